import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { access, isDenied } from "../../src/transport/access.ts";
import { EVERYTHING } from "../../src/workspace/rights.ts";

const OWNER = { name: "owner", rights: EVERYTHING };
const keys = { find: (token: string) => (token === "secret" ? OWNER : undefined), holds: () => true };
const door = access(keys, ["dev.local"], () => 7754);

/** Who is let in with these headers, or with which status not. */
function admit(headers: Record<string, string | undefined>): string | number {
  const admitted = door.admit({
    headers: { host: "127.0.0.1:7754", authorization: "Bearer secret", ...headers },
  } as unknown as IncomingMessage);
  return isDenied(admitted) ? admitted.status : admitted.name;
}

describe("the door", () => {
  const cases: [name: string, headers: Record<string, string | undefined>, result: string | number][] = [
    ["the token", {}, "owner"],
    ["localhost", { host: "localhost:7754" }, "owner"],
    ["an allowed host", { host: "DEV.local:9000" }, "owner"],
    ["IPv6 loopback", { host: "[::1]:7754" }, "owner"],
    ["its own origin", { origin: "http://127.0.0.1:7754" }, "owner"],
    ["no token", { authorization: undefined }, 401],
    ["a wrong token", { authorization: "Bearer Secret" }, 401],
    ["a token of another scheme", { authorization: "Basic secret" }, 401],
    ["a rebound host", { host: "evil.example:7754" }, 403],
    ["no host", { host: undefined }, 403],
    ["a host with a user", { host: "127.0.0.1@evil.example" }, 403],
    ["a foreign origin", { origin: "https://evil.example" }, 403],
    ["an origin on another port", { origin: "http://127.0.0.1:8080" }, 403],
    ["a null origin", { origin: "null" }, 403],
  ];
  for (const [name, headers, result] of cases)
    test(`[AC1] ${name}: ${result}`, () => expect(admit(headers)).toBe(result));
});
