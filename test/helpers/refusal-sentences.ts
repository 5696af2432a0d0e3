import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { methods, notifications } from "../../src/protocol/schemas/schemas.ts";

const SRC = resolve(import.meta.dirname, "../../src");
/** Files with texts for people, for models or for the reference of the wire; none of them is a refusal. */
const NO_REFUSALS = [
  "cli/",
  "client/",
  "daemon/",
  "mcp/",
  "web/",
  "protocol/schemas/",
  "protocol/reference/",
];

const names = [...Object.keys(methods), ...Object.keys(notifications)].filter((name) => name.includes("."));
/** Matches the name of a method or notification. */
export const NAMES = new RegExp(`\\b(?:${names.map((name) => name.replace(".", "\\.")).join("|")})\\b`, "g");

/** Returns every text of the core and the protocol that names a method in a sentence, with its file. */
export function sentences(): [file: string, text: string][] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => !NO_REFUSALS.some((folder) => file.startsWith(folder)))
    .flatMap((file) => {
      const code = readFileSync(join(SRC, file), "utf8").replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
      const texts = code.match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/g) ?? [];
      return texts
        .filter((text) => text.includes(" ") && text.search(NAMES) !== -1)
        .map((text): [string, string] => [file, text.slice(1, -1)]);
    });
}
