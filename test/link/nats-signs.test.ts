import { expect, test } from "vitest";
import { SignsOfLife } from "../../src/link/carrier/nats-signs.ts";

/** Returns what each look concludes: `both`, the server or the stream gave a sign of life, or neither did. */
function looks(...seen: readonly ("both" | "server" | "neither")[]) {
  const signs = new SignsOfLife();
  return seen.map((by) => signs.look({ server: by !== "neither", stream: by === "both" }));
}

const SERVER = "NATS: the server does not answer";
const STREAM = "NATS: the stream gives no sign of life";

test("[FA14] a stream that falls silent just before its server is not the reason", () => {
  expect(looks("server", "neither", "neither", "neither", "neither")).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    SERVER,
  ]);
});

test("[FA14] a stream that stays silent while its server answers is the reason, also with gaps", () => {
  const gaps = looks("both", "server", "server", "neither", "server", "server");
  expect(gaps.at(-1)).toBe(STREAM);
  expect(gaps.slice(0, -1).every((reason) => reason === undefined)).toBe(true);
});

test("[FA14] a sign of the stream begins the count anew", () => {
  expect(looks("server", "server", "server", "both", "server", "server", "server").at(-1)).toBeUndefined();
});
