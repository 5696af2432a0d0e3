import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eolOf } from "../../src/text/lines.ts";
import { Text } from "../../src/text/text.ts";
import { Refusal } from "../../src/workspace/outcome/refusal.ts";
import { type LegacyEdit, planLegacy } from "../../src/workspace/planners/legacy.ts";

/** Returns the text after an edit, or the code and message of its refusal. */
function make(
  base: string,
  edit: LegacyEdit,
  path = "a.py",
  unit: "utf-32" | "utf-16" | "utf-8" = "utf-32",
): string {
  const text = Text.of(base);
  const planned = planLegacy(path, edit, unit)({ text, eol: eolOf(text), maxBytes: 1 << 24 });
  if (planned instanceof Refusal) return `${planned.code}: ${planned.message}`;
  return text.splice(planned.splices).toString();
}

const at = (from: number, to: number) => ({ from, to });
const hashOf = (part: string) => createHash("sha256").update(part).digest("hex");

describe("cursor edits", () => {
  const cases: [name: string, base: string, edit: LegacyEdit, result: string][] = [
    ["insert at the cursor", "ab", { op: "insert", content: "x", cursor: 1 }, "axb"],
    ["insert at the start of the range", "abc", { op: "insert", content: "x", selection: at(1, 2) }, "axbc"],
    [
      "the cursor goes before the range",
      "abc",
      { op: "insert", content: "x", cursor: 3, selection: at(1, 2) },
      "abcx",
    ],
    ["insert into an empty document", "", { op: "insert", content: "x\n", cursor: 0 }, "x\n"],
    ["replace the range", "one two", { op: "replace", content: "2", selection: at(4, 7) }, "one 2"],
    ["replace it by nothing", "one two", { op: "replace", content: "", selection: at(3, 7) }, "one"],
    ["replace the document", "one\ntwo\n", { op: "replace", content: "two\n", document: true }, "two\n"],
    ["replace an empty document", "", { op: "replace", content: "x", document: true }, "x"],
    ["delete the range", "one two", { op: "delete", selection: at(0, 4), cursor: 4 }, "two"],
    ["CRLF stays", "a\r\nb\r\n", { op: "insert", content: "x\n", cursor: 3 }, "a\r\nx\r\nb\r\n"],
  ];
  for (const [name, base, edit, result] of cases)
    test(`[LG1] ${name}`, () => expect(make(base, edit)).toBe(result));

  test("[LG1] positions are in the unit agreed on", () => {
    const text = "\u{1f600}é b";
    for (const [unit, from, to] of [
      ["utf-32", 1, 2],
      ["utf-16", 2, 3],
      ["utf-8", 4, 6],
    ] as const)
      expect(make(text, { op: "delete", selection: at(from, to) }, "a.py", unit)).toBe("\u{1f600} b");
  });

  test("[LG1] a range that is no range of the text is refused, whatever it is", () => {
    const text = fc
      .array(fc.constantFrom("a", "\n", "é", "\u{1f600}"), { maxLength: 8 })
      .map((all) => all.join(""));
    const position = fc.integer({ min: 0, max: 12 });
    fc.assert(
      fc.property(text, position, position, fc.constantFrom("x", "xé\n"), (base, from, to, content) => {
        fc.pre(from !== to);
        const all = [...base];
        const made = make(base, { op: "replace", content, selection: at(from, to) });
        const fits = from <= to && to <= all.length;
        if (fits) expect(made).toBe(all.slice(0, from).join("") + content + all.slice(to).join(""));
        else expect(made).toMatch(/^INVALID_POSITION: /);
      }),
    );
  });

  const unclear: [name: string, edit: LegacyEdit, message: string][] = [
    ["replace without a range", { op: "replace", content: "x" }, "replace needs a range"],
    ["delete without a range", { op: "delete" }, "delete needs a range"],
    ["delete at a mere cursor", { op: "delete", cursor: 1 }, "delete needs a range"],
    ["insert without a place", { op: "insert", content: "x" }, "insert needs a cursor or a range"],
    ["annotate without a place", { op: "annotate", content: "x" }, "annotate needs a cursor or a range"],
    ["replace of an empty range", { op: "replace", content: "x", selection: at(0, 0) }, "0..0 is empty"],
    ["delete of an empty range", { op: "delete", selection: at(1, 1) }, "1..1 is empty"],
    ["delete with content", { op: "delete", content: "x", selection: at(0, 1) }, "delete takes no content"],
    ["replace without content", { op: "replace", selection: at(0, 1) }, "replace needs content"],
    ["insert of nothing", { op: "insert", content: "", cursor: 0 }, "nothing to insert"],
    ["delete of the document", { op: "delete", document: true }, "document requires op replace"],
    [
      "document and a range",
      { op: "replace", content: "x", document: true, selection: at(0, 1) },
      "document requires op replace",
    ],
    [
      "a fingerprint of no range",
      { op: "insert", content: "x", cursor: 0, fingerprint: hashOf("") },
      "selection_fingerprint requires a target_range",
    ],
  ];
  for (const [name, edit, message] of unclear)
    test(`[LG2] ${name} is refused`, () => {
      const refused = make("abc", edit);
      expect(refused).toMatch(/^INVALID_ARGUMENT: /);
      expect(refused).toContain(message);
    });

  test("[LG4] a fingerprint is of what the range holds, or the edit is stale", () => {
    const edit = { op: "replace", content: "2", selection: at(4, 7) } as const;
    expect(make("one two", { ...edit, fingerprint: hashOf("two").toUpperCase() })).toBe("one 2");
    expect(make("one\nsix", { ...edit, fingerprint: hashOf("two") })).toMatch(
      /^STALE_VERSION: the range begins in line 2 with "six"; /,
    );
    expect(make("one", { op: "replace", content: "2", document: true, fingerprint: hashOf("one") })).toBe(
      "2",
    );
  });

  const remarks: [path: string, base: string, from: number, remark: string, result: string][] = [
    ["a.py", "if x:\n    y()\n", 12, "why\nand how", "if x:\n    # why\n    # and how\n    y()\n"],
    ["src/a.TS", "a\n", 0, "why\n", "// why\na\n"],
    ["q.sql", "a", 1, "why", "-- why\na"],
    ["notes.md", "a\nb\n", 2, "why", "a\n<!-- why -->\nb\n"],
    ["a.css", "\tp {}\r\n", 3, "why", "\t/* why */\r\n\tp {}\r\n"],
    ["Makefile", "all:\n", 0, "a\n\nb", "# a\n#\n# b\nall:\n"],
    ["a.tex", "", 0, "why", "% why\n"],
    ["a.sh", "#!/bin/sh\nls\n", 10, "why", "#!/bin/sh\n# why\nls\n"],
    ["a.py", "a\n", 2, "at the end", "a\n# at the end\n"],
  ];
  for (const [path, base, from, remark, result] of remarks)
    test(`[LG5] ${path} is annotated as ${JSON.stringify(result)}`, () =>
      expect(make(base, { op: "annotate", content: remark, cursor: from }, path)).toBe(result));

  const refusedRemarks: [path: string, base: string, remark: string, message: string][] = [
    ["a.json", "{}\n", "why", "does not know the comment syntax of a.json"],
    ["notes", "a\n", "why", "does not know the comment syntax of notes"],
    ["a.sh", "#!/bin/sh\n", "why", "must remain the first line"],
    ["a.js", "a\n", "why\u2028b()", "would end its comment early"],
    ["a.c", "a\n", "why \\\nb", "would end its comment early"],
    ["a.html", "a\n", "--> <b>", "would end its comment early"],
    ["a.css", "a\n", "*/ p", "would end its comment early"],
  ];
  for (const [path, base, remark, message] of refusedRemarks)
    test(`[LG9] ${JSON.stringify(remark)} above ${JSON.stringify(base)} of ${path} is refused`, () =>
      expect(make(base, { op: "annotate", content: remark, cursor: 0 }, path)).toContain(message));
});
