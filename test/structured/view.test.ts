import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { StructureFailure } from "../../src/structured/failure.ts";
import { editByView } from "../../src/structured/view/markdown-edit.ts";
import { hasView, markdownView } from "../../src/structured/view/markdown-view.ts";
import { spliceString } from "../text/language.ts";

const FIXTURE = resolve(import.meta.dirname, "../../fixtures/views/round-trip");
const HEAD = "---\nblock: a\n---\n";

/** Returns the view below its frontmatter. */
function view(text: string): string {
  const view = markdownView(text, "dir/a.toml");
  if (view instanceof StructureFailure) throw new Error(view.message);
  expect(view.startsWith(HEAD)).toBe(true);
  return view.slice(HEAD.length);
}

/** Returns the document after an edit of its view, or the refusal with its line. */
function edit(text: string, change: (view: string) => string): string {
  return write(text, HEAD + change(view(text)));
}

function write(text: string, markdown: string): string {
  const edited = editByView(text, "dir/a.toml", markdown);
  if (edited instanceof StructureFailure) return `${edited.line}: ${edited.message}`;
  expect(spliceString(text, edited.splices)).toBe(edited.text);
  return edited.text;
}

function swap(old: string, updated: string): (view: string) => string {
  return (view) => {
    expect(view).toContain(old);
    return view.replace(old, () => updated);
  };
}

describe("the Markdown view", () => {
  test("[MV1] S0: a student's page is shown, and saving it back changes nothing", () => {
    const toml = readFileSync(resolve(FIXTURE, "student.toml"), "utf8");
    const markdown = readFileSync(resolve(FIXTURE, "student.md"), "utf8");
    expect(markdownView(toml, "students/student.toml")).toBe(markdown);
    expect(editByView(toml, "students/student.toml", markdown)).toEqual({ text: toml, splices: [] });
  });

  test("[MV1] the example in the documentation is the real view", () => {
    const page = readFileSync(resolve(import.meta.dirname, "../../docs/markdown-view.md"), "utf8");
    const example = page.split("````\n")[1]!.split("\n");
    const column = (from: number, to?: number) =>
      `${example
        .map((line) => line.slice(from, to).trimEnd())
        .join("\n")
        .trimEnd()}\n`;
    expect(markdownView(column(0, 42), "student.toml")).toBe(column(42));
  });

  const views: [name: string, toml: string, markdown: string][] = [
    ["Title Case for keys", "full_name = 'x'\n", "\n## Full Name\nx\n"],
    [
      "hyphens and capitals stay",
      "first-name = 'x'\nAPI_KEY = 'y'\n",
      "\n## First-name\nx\n\n## API KEY\ny\n",
    ],
    [
      "keys that would look alike in backticks",
      "name = 'x'\nName = 'y'\n",
      "\n## `name`\nx\n\n## `Name`\ny\n",
    ],
    ["quoted keys in backticks", '"a b" = 1\n', '\n## `"a b"`\n1\n'],
    ["booleans as Yes and No", "a = true\nb = false\n", "\n## A\nYes\n\n## B\nNo\n"],
    [
      "numbers and dates in their spelling",
      "a = 1_0\nb = 1.0\nc = 07:32:00\n",
      "\n## A\n1_0\n\n## B\n1.0\n\n## C\n07:32:00\n",
    ],
    [
      "tables as headings, however deep",
      "[a.b]\nc = { d = 1 }\n",
      "\n## A\n\n### B\n\n#### C\n\n##### D\n1\n",
    ],
    ["a list", "a = ['x', 'y']\n", "\n## A\n- x\n- y\n"],
    ["a list of several kinds", "a = ['x', 1, [2], '']\n", '\n## A\n- x\n- `1`\n- `[2]`\n- `""`\n'],
    [
      "empty values",
      "a = []\nb = {}\nc = ''\n[d]\n",
      "\n## A\n`[]`\n\n## B\n`{}`\n\n## C\n```text\n\n```\n\n## D\n`{}`\n",
    ],
    ["paragraphs", "a = 'x\\y'\nb = \"x\\n\\ny\"\n", "\n## A\nx\\y\n\n## B\nx\n\ny\n"],
    [
      "text that looks like Markdown",
      'a = "## x"\nb = "- x\\n- y"\n',
      "\n## A\n```text\n## x\n```\n\n## B\n```text\n- x\n- y\n```\n",
    ],
    ["text with fences", 'a = "```\\nx\\n```"\n', "\n## A\n````text\n```\nx\n```\n````\n"],
    ["text in backticks", 'a = "`x`"\n', "\n## A\n```text\n`x`\n```\n"],
    ["characters that cannot be seen", 'a = "x\\u0007"\n', '\n## A\n`"x\\u0007"`\n'],
    [
      "arrays of tables by number",
      "[[a]]\nx = 1\n[[a]]\nx = 2\n",
      "\n## A [1]\n\n### X\n1\n\n## A [2]\n\n### X\n2\n",
    ],
    ["a table's own value", "[a]\n_value = 'x'\nb = 1\n", "\n## A\nx\n\n### B\n1\n"],
    ["nothing", "", ""],
  ];
  for (const [name, toml, markdown] of views)
    test(`[MV2] shows ${name}`, () => {
      expect(view(toml)).toBe(markdown);
      expect(write(toml, HEAD + markdown)).toBe(toml);
    });

  test("[MV3] an invalid document is shown and edited as plain text", () => {
    const broken = "a = \n```\r\n";
    const markdown = markdownView(broken, "a.toml") as string;
    expect(markdown).toBe("---\nblock: a\nerror: invalid_toml\n---\n\n````toml\na = \n```\r\n\n````\n");
    expect(write(broken, markdown)).toBe(broken);
    expect(write("a = \n", (markdownView("a = \n", "a.toml") as string).replace("a = ", "a = 1"))).toBe(
      "a = 1\n",
    );
    expect(write("a = \n", "## A\n1\n")).toContain("the document is not valid TOML");
  });

  test("[MV1] only a TOML document has a view", () => {
    expect(["a.toml", "b/a.TOML", "a.md", "toml"].map(hasView)).toEqual([true, true, false, false]);
  });
});

describe("an edited view", () => {
  const edits: [name: string, toml: string, change: (view: string) => string, result: string][] = [
    ["changes a string, keeping its quotes", "a = 'x' # c\nb = 1\n", swap("x", "y"), "a = 'y' # c\nb = 1\n"],
    [
      "accepts text verbatim",
      "a = 'x'\n",
      swap("x", 'He said "#1"\n\nand - left'),
      'a = """\nHe said "#1"\n\nand - left"""\n',
    ],
    ["keeps a number a number", "a = 1 # c\n", swap("1", "2"), "a = 2 # c\n"],
    ["keeps a float a float", "a = 1.5\n", swap("1.5", "2"), "a = 2.0\n"],
    ["keeps a boolean a boolean", "a = true\n", swap("Yes", "No"), "a = false\n"],
    ["keeps a date a date", "a = 1979-05-27\n", swap("27", "28"), "a = 1979-05-28\n"],
    ["leaves a string that says Yes a string", "a = 'Yes'\n", swap("Yes", "No"), "a = 'No'\n"],
    ["adds to a list", "a = [\n  1, # one\n]\n", swap("- 1", "- 1\n- 2"), "a = [\n  1, # one\n  2,\n]\n"],
    ["takes from a list", "a = ['x', 'y', 'z']\n", swap("- y\n", ""), "a = ['x', 'z']\n"],
    ["fills an empty list", "a = []\n", swap("`[]`", "- x\n- 1"), 'a = ["x", "1"]\n'],
    [
      "adds a field",
      "[a]\nx = 1\n\n[b]\n",
      swap("1\n", "1\n\n### Full Name\nSam\n"),
      '[a]\nx = 1\nfull_name = "Sam"\n\n[b]\n',
    ],
    [
      "adds a table",
      "a = 1\n",
      (v) => `${v}\n## B\n\n### C\n\n#### D\n- x\n`,
      'a = 1\n\n[b]\n\n[b.c]\nd = ["x"]\n',
    ],
    ["adds a key in its own spelling", "", () => '\n## `"a b"`\n`1.50`\n', '"a b" = 1.5\n'],
    [
      "removes a field with its line",
      "a = 1\n# b\nb = 2 # two\nc = 3\n",
      swap("## B\n2\n", ""),
      "a = 1\n# b\nc = 3\n",
    ],
    ["removes a field that is not set", "a = 1\nb = 2\n", swap("2", "*(not set)*"), "a = 1\n"],
    [
      "removes a table",
      "[a]\nx = 1\n\n[a.b]\ny = 1\n\n[c]\n",
      swap("## A\n\n### X\n1\n\n### B\n\n#### Y\n1\n", ""),
      "[c]\n",
    ],
    [
      "renames a key, its value and comments kept",
      "a = 1 # c\n[b]\n# d\nd = 2.0\n[b.c]\n",
      (v) => v.replace("## A", "## New Name").replace("## B", "## Z"),
      "new_name = 1 # c\n[z]\n# d\nd = 2.0\n[z.c]\n",
    ],
    [
      "renames arrays of tables",
      "[[a]]\nx = 1\n[[a]]\n[a.b]\n",
      (v) => v.replaceAll("## A [", "## Z ["),
      "[[z]]\nx = 1\n[[z]]\n[z.b]\n",
    ],
    [
      "adds an element",
      "[[a]]\nx = 1\n",
      (v) => `${v}\n## A [2]\n\n### X\n\`2\`\n`,
      "[[a]]\nx = 1\n\n[[a]]\nx = 2\n",
    ],
    [
      "removes an element",
      "[[a]]\nx = 1\n[[a]]\nx = 2 # c\n",
      swap("## A [1]\n\n### X\n1\n", ""),
      "[[a]]\nx = 2 # c\n",
    ],
    [
      "keeps the value of a section that gains sections",
      "a = 'x' # c\n",
      swap("x\n", "x\n\n### Since\n2024\n"),
      'a = { _value = "x", since = "2024" } # c\n',
    ],
    [
      "changes the value that a table has",
      "[a]\n_value = 'x'\nb = 1\n",
      swap("x", "y"),
      "[a]\n_value = 'y'\nb = 1\n",
    ],
    ["gives a table a value", "[a]\nb = 1\n", swap("## A\n", "## A\nx\n"), '[a]\nb = 1\n_value = "x"\n'],
    ["changes the kind of a field that says so", "a = 1\n", swap("1", "`[1, 'x']`"), 'a = [1, "x"]\n'],
    [
      "accepts verbatim text from a fence",
      "a = 1\n",
      swap("1", "```text\n## x\n- y\n```"),
      'a = """\n## x\n- y"""\n',
    ],
    ["empties a string", "a = 'x'\n", swap("x\n", ""), "a = ''\n"],
    ["may come without frontmatter and with CRLF", "a = 1\r\n", swap("1", "2"), "a = 2\r\n"],
  ];
  for (const [name, toml, change, result] of edits)
    test(`[MV6] ${name}`, () => expect(edit(toml, change)).toBe(result));

  test("[MV6] may come without frontmatter, and in CRLF", () => {
    expect(write("a = 1\n", "## A\r\n2\r\n")).toBe("a = 2\n");
  });

  const refused: [name: string, toml: string, change: (view: string) => string, message: string][] = [
    [
      "a boolean that is neither Yes nor No",
      "a = true\n",
      swap("Yes", "Maybe"),
      '5: this field is Yes or No, but the view has "Maybe"',
    ],
    ["an invalid number", "a = 1\n", swap("1", "many"), '5: this field is a number, but the view has "many"'],
    [
      "an invalid date",
      "a = 1979-05-27\n",
      swap("1979", "79"),
      '5: this field is a date or time, as it is in TOML, but the view has "79-05-27"',
    ],
    [
      "a list that became text",
      "a = ['x']\n",
      swap("- x", "x"),
      '5: this field is a list, each item after `- `, but the view has "x"',
    ],
    [
      "text that became a list",
      "a = 'x'\n",
      swap("x", "- x"),
      '5: this field is text, not a list, but the view has "- x"',
    ],
    [
      "backticks without valid TOML",
      "a = 'x'\n",
      swap("x", "`npm start`"),
      '5: "npm start" is in backticks but is not a TOML value: this is not valid TOML: invalid value',
    ],
    ["a number without a value", "a = 1\n", swap("1\n", ""), '5: "A": it has no value'],
    ["a new heading without a value", "a = 1\n", (v) => `${v}\n## B\n`, '8: "B": it has no value'],
    [
      "the same heading twice",
      "a = 1\n",
      (v) => v + v,
      '8: "A": the same key already has a heading at line 5',
    ],
    [
      "another order",
      "a = 1\nb = 2\n",
      () => "\n## B\n2\n\n## A\n1\n",
      '8: "A": its position among the headings changed, and an edit of the view cannot move headings',
    ],
    [
      "a level left out",
      "a = 1\n",
      (v) => `${v}\n#### B\nx\n`,
      "8: the Markdown cannot be read: #### B: a heading here must have 2 to 3 #",
    ],
    [
      "a heading of the first level",
      "a = 1\n",
      (v) => `# A\n${v}`,
      "4: the Markdown cannot be read: # A: a heading here must have 2 to 2 #",
    ],
    [
      "text before the headings",
      "a = 1\n",
      (v) => `\nhello\n${v}`,
      "5: the Markdown cannot be read: text before the first ## heading has no key",
    ],
    [
      "a fence that is not closed",
      "a = 1\nb = 2\n",
      swap("1", "```text\n1"),
      "6: the Markdown cannot be read: the block that begins with ``` here is not closed",
    ],
    [
      "a title that identifies no key",
      "a = 1\n",
      (v) => `${v}\n## What (now)?\nx\n`,
      '8: the title "What (now)?" does not identify one key',
    ],
    [
      "a title that two keys have",
      "name = 1\nName = 2\n",
      (v) => `${v}\n## Name\nx\n`,
      '11: the title "Name" does not identify one key',
    ],
    [
      "elements out of order",
      "[[a]]\n[[a]]\n",
      () => "\n## A [2]\n`{}`\n\n## A [1]\n`{}`\n",
      '8: "A [1]": elements must be in the order of their numbers, each number once',
    ],
    [
      "a heading without a number for elements",
      "[[a]]\n",
      swap("## A [1]", "## A"),
      '5: "A": its elements are numbered: A [1]',
    ],
  ];
  for (const [name, toml, change, message] of refused)
    test(`[MV7] refuses ${name}`, () => expect(edit(toml, change)).toBe(message));

  test("[MV11] refuses other frontmatter, and says why", () => {
    const cut = '1: the view must begin with ---, block: a and ---; instead it has ""';
    expect(write("a = 1\n", "---\nblock: b\n---\n\n## A\n2\n")).toBe(
      '1: block is the name of the file, so an edit of the view cannot change block: a to "block: b"',
    );
    expect(write("a = 1\n", "---\nblock: a\ntags: x\n---\n\n## A\n2\n")).toBe(
      '1: the frontmatter has block: a and nothing else, because TOML has no place for "tags: x"',
    );
    expect(write("a = 1\n", "---\n---\n\n## A\n2\n")).toBe(cut);
    expect(write("a = 1\n", "")).toBe(cut);
    expect(write("a = 1\n", "---\nblock: a\n")).toBe(
      "1: the Markdown cannot be read: the frontmatter has no closing ---",
    );
  });
});
