import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Data, equal, type Key, withField } from "../../src/structured/data.ts";
import { StructureFailure } from "../../src/structured/failure.ts";
import { read } from "../../src/structured/set-field.ts";
import { tomlFormat } from "../../src/structured/toml/toml.ts";
import { editableView, editByView } from "../../src/structured/view/markdown-edit.ts";
import { markdownView } from "../../src/structured/view/markdown-view.ts";
import { notationKindOf } from "../../src/structured/view/notation.ts";
import { readViewBody } from "../../src/structured/view/read-body.ts";
import { outline, render } from "../../src/structured/view/sections.ts";
import {
  fieldsOf,
  OWN,
  ownOf,
  ViewLeaf,
  type ViewNode,
  type ViewText,
  viewText,
} from "../../src/structured/view/view-text.ts";
import { times } from "../e2e/long.ts";
import { spliceString } from "../text/language.ts";
import "../helpers/seeds.ts";
import { tomlDocument } from "./toml-documents.ts";

const PATH = "memory/student.toml";
const RUNS = { numRuns: times(20, 1_000) };

function dataOf(text: string): Data {
  return (read(tomlFormat, text) as { data: Data }).data;
}

function viewOf(text: string): string {
  return markdownView(text, PATH) as string;
}

interface Placed {
  readonly key: Key;
  readonly leaf: ViewLeaf;
}

/** Returns the values that a view shows, in its order. */
function leavesOf(node: ViewNode, key: Key = []): Placed[] {
  if (node instanceof ViewLeaf) return [{ key, leaf: node }];
  if (Array.isArray(node)) return node.flatMap((element, i) => leavesOf(element, [...key, i]));
  const own = ownOf(node);
  const head = own ? [{ key: [...key, OWN], leaf: own }] : [];
  const isRoot = key.length === 0;
  const fields: ViewText = isRoot ? node : fieldsOf(node);
  return [
    ...(isRoot ? [] : head),
    ...[...fields].flatMap(([name, field]) => leavesOf(field, [...key, name])),
  ];
}

describe("the Markdown view of any TOML", () => {
  test("[MV10] has keys and values without Unicode's line ends, and exists only where it can be written back", () => {
    fc.assert(
      fc.property(tomlDocument, fc.constantFrom("", "\r", "\n\r\n", "x", "\u2028", "= 1"), (text, more) => {
        for (const each of [text, text + more, more + text]) {
          const view = editableView(each, PATH);
          if (each === text) expect(view).toBe(viewOf(text));
          if (view instanceof StructureFailure) continue;
          expect(editByView(each, PATH, view)).toEqual({ text: each, splices: [] });
          if (each === text)
            for (const line of view.split("\n"))
              if (line.startsWith("#")) expect(line).not.toMatch(/[\u2028\u2029\x85]/);
        }
      }),
      RUNS,
    );
  });

  test("[MV4] saved without an edit changes no byte", () => {
    fc.assert(
      fc.property(tomlDocument, (text) => {
        expect(editByView(text, PATH, viewOf(text))).toEqual({ text, splices: [] });
      }),
      RUNS,
    );
  });

  test("[MV4] parses into the rendered sections", () => {
    fc.assert(
      fc.property(tomlDocument, (text) => {
        const read = outline(viewOf(text));
        if (read instanceof StructureFailure) throw new Error(read.message);
        expect(render(read)).toBe(viewOf(text));
        for (const { leaf } of leavesOf(viewText(text)))
          expect(equal(readViewBody(leaf.body, leaf.data, 1) as Data, leaf.data)).toBe(true);
      }),
      RUNS,
    );
  });

  test("[MV5] edited in one value, changes that value alone", () => {
    let applied = 0;
    const replaced: Record<ReturnType<typeof notationKindOf>, [body: string, value: Data]> = {
      text: ["Some other\n\ntext", "Some other\n\ntext"],
      number: ["`77`", 77n],
      boolean: ["`0x1`", 1n],
      date: ["```text\n## x\n```", "## x"],
      list: ["- `1`\n- `[2]`", [1n, [2n]]],
      table: ["`{}`", new Map()],
    };
    fc.assert(
      fc.property(tomlDocument, fc.nat(), (text, pick) => {
        const leaves = leavesOf(viewText(text));
        if (leaves.length === 0) return;
        const { key, leaf } = leaves[pick % leaves.length]!;
        const [body, value] = replaced[notationKindOf(leaf.data)];
        const edited = editByView(text, PATH, withBody(viewOf(text), pick % leaves.length, body));
        if (edited instanceof StructureFailure)
          throw new Error(
            `${edited.message} ${edited.line}\n${withBody(viewOf(text), pick % leaves.length, body)}`,
          );
        expect(spliceString(text, edited.splices)).toBe(edited.text);
        expect(equal(dataOf(edited.text), withField(dataOf(text), key, value) as Data)).toBe(true);
        const comments = /# (above|note|section|a document)/g;
        expect(edited.text.match(comments)).toEqual(text.match(comments));
        applied++;
      }),
      RUNS,
    );
    expect(applied).toBeGreaterThan(RUNS.numRuns / 2);
  });

  test("[MV8] gives valid TOML after any damage, or is refused", () => {
    const line = fc.constantFrom(
      "## New",
      "### Name",
      "- x",
      "text",
      "```",
      "`1`",
      "",
      "---",
      "*(not set)*",
      "## `",
      "## A [2]",
    );
    const mangle = fc.record({ at: fc.nat(), cut: fc.nat(2), add: fc.array(line, { maxLength: 2 }) });
    let applied = 0;
    fc.assert(
      fc.property(tomlDocument, fc.array(mangle, { minLength: 1, maxLength: 3 }), (text, mangles) => {
        const lines = viewOf(text).split("\n");
        for (const { at, cut, add } of mangles) lines.splice(4 + (at % lines.length), cut, ...add);
        const edited = editByView(text, PATH, lines.join("\n"));
        if (edited instanceof StructureFailure) {
          expect(edited.reason).toBe("invalid_value");
          return;
        }
        applied++;
        expect(spliceString(text, edited.splices)).toBe(edited.text);
        const again = editByView(edited.text, PATH, lines.join("\n"));
        // After an element was removed, the elements after it have other numbers.
        if (!(again instanceof StructureFailure) && !text.includes("[["))
          expect(again.text).toBe(edited.text);
      }),
      RUNS,
    );
    expect(applied).toBeGreaterThan(RUNS.numRuns / 20);
  });
});

/** Returns a view with the body of its n-th value replaced. */
function withBody(view: string, n: number, body: string): string {
  const read = outline(view);
  if (read instanceof StructureFailure) throw new Error(read.message);
  let left = n;
  type Sections = typeof read.sections;
  const walk = (sections: Sections): Sections =>
    sections.map((section) => {
      // A heading with only fields has no value.
      const value = section.body !== "" && !(section.body === "`{}`") && left-- === 0;
      return { ...section, body: value ? body : section.body, children: walk(section.children) };
    });
  return render({ ...read, sections: walk(read.sections) });
}
