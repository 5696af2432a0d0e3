import { describe, expect, test } from "vitest";
import { inCommands, parametersInCommands } from "../../src/cli/terminal/suggestions.ts";
import { NAMES, sentences } from "../helpers/refusal-sentences.ts";

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
    [
      'Include more of the surrounding text in `old`, or send occurrence: "first", "all" or a number.',
      "Include more of the surrounding text in <old>, or give --first, --all or --nth <n>.",
    ],
    ['The text is "use `old` here".', 'The text is "use `old` here".'],
    ["Remove the lane with `force`.", "Remove the lane with --force."],
    ["Raise limits.maxFileBytes in daemon.config.ts.", "Raise limits.maxFileBytes in daemon.config.ts."],
  ])("[EE7] %s", (wire, command) => {
    expect(inCommands(wire)).toBe(command);
  });

  test.each([
    [
      "edit.append: message: x",
      [{ at: "message", message: "x" }],
      "--message: x",
      "see: spliced append --help",
    ],
    ["undo: agent: x", [{ at: "agent", message: "x" }], "--by: x", "see: spliced undo --help"],
    ["subscribe: pattern: x", [{ at: "pattern", message: "x" }], "<glob>: x", "see: spliced watch --help"],
    [
      "machine.remove: machine: x",
      [{ at: "machine", message: "x" }],
      "--remove: x",
      "see: spliced machines --help",
    ],
    ["thread.append: text: x", [{ at: "text", message: "x" }], "<message>: x", "see: spliced chat --help"],
    ["doc.diff: to: x", [{ at: "to", message: "x" }], "--to: x", "see: spliced diff --help"],
  ])("[TM39] %s", (message, problems, said, hint) => {
    expect(parametersInCommands(message, { problems })).toEqual({ message: said, hint });
  });
});
