import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { inCommands } from "../../src/cli/suggestions.ts";
import { methods, notifications } from "../../src/protocol/schemas.ts";

const SRC = resolve(import.meta.dirname, "../../src");
/** Files with texts for people, for models or for the reference of the wire; none of them is a refusal. */
const NO_REFUSALS = ["cli/", "client/", "daemon/", "mcp/", "web/", "protocol/schemas/"];
const NO_REFUSALS_FILES = ["protocol/openrpc.ts", "protocol/reference.ts"];

const names = [...Object.keys(methods), ...Object.keys(notifications)].filter((name) => name.includes("."));
const NAMES = new RegExp(`\\b(?:${names.map((name) => name.replace(".", "\\.")).join("|")})\\b`, "g");

/** Returns every text of the core and the protocol that names a method in a sentence, with its file. */
function sentences(): [file: string, text: string][] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => !NO_REFUSALS.some((folder) => file.startsWith(folder)))
    .filter((file) => !NO_REFUSALS_FILES.includes(file))
    .flatMap((file) => {
      const code = readFileSync(join(SRC, file), "utf8").replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
      const texts = code.match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/g) ?? [];
      return texts
        .filter((text) => text.includes(" ") && text.search(NAMES) !== -1)
        .map((text): [string, string] => [file, text.slice(1, -1)]);
    });
}

describe("the command line’s words for a refusal", () => {
  test("[EE7] every method that a refusal names has a command", () => {
    const found = sentences();
    expect(found.length).toBeGreaterThan(30);
    const untranslated = found.filter(([, text]) =>
      inCommands(text)
        .replace(/`spliced call [a-z.]+`/g, "")
        .match(NAMES),
    );
    expect(untranslated).toEqual([]);
    expect(found.filter(([, text]) => /\bcall (?:undo|redo)\b/i.test(inCommands(text)))).toEqual([]);
  });

  test.each([
    ["Call doc.list to see it, or `doc.create`.", "Call `spliced ls` to see it, or `spliced new`."],
    [
      "undo takes it back. redo makes it again.",
      "`spliced undo` takes it back. `spliced redo` makes it again.",
    ],
    ["Reject it, or undo the later edits first.", "Reject it, or undo the later edits first."],
    [
      'The nearest is "call doc.read. undo \\" doc.list".',
      'The nearest is "call doc.read. undo \\" doc.list".',
    ],
    ["Raise limits.maxFileBytes in daemon.config.ts.", "Raise limits.maxFileBytes in daemon.config.ts."],
  ])("[EE7] %s", (wire, command) => {
    expect(inCommands(wire)).toBe(command);
  });
});
