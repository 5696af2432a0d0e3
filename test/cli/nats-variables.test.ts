import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { natsVariables } from "../../src/cli/sharing/nats-variables.ts";

test("[TM26] each variable that names a file has its absolute path, and no other one", () => {
  const documented = readFileSync("docs/machines.md", "utf8").match(/(?<=`SPLICED_NATS_)[A-Z_]+(?=`)/g)!;
  const given = Object.fromEntries(documented.map((name) => [`SPLICED_NATS_${name}`, "a/b"]));
  const found = natsVariables({ ...given, SPLICED_TOKEN: "secret" });
  const absolute = Object.keys(found).filter((name) => found[name] === resolve("a/b"));
  expect(Object.keys(found)).toEqual(Object.keys(given));
  expect(absolute.map((name) => name.replace("SPLICED_NATS_", "")).sort()).toEqual([
    "CA",
    "CERT",
    "CREDS",
    "KEY",
    "NKEY",
    "PASSWORD_FILE",
    "TOKEN_FILE",
  ]);
  expect(natsVariables({ SPLICED_NATS_CREDS: "" })).toEqual({ SPLICED_NATS_CREDS: "" });
});
