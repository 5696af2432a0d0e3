import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Json, Key } from "../../src/structured/data.ts";
import { StructureFailure } from "../../src/structured/failure.ts";
import { setField } from "../../src/structured/set-field.ts";
import { times } from "../e2e/long.ts";
import { spliceString } from "../text/language.ts";

/** Returns the text after a field was set, or the message of the refusal. */
function set(path: string, text: string, key: Key, value: Json): string {
  const edited = setField(text, path, key, value);
  if (edited instanceof StructureFailure) return `${edited.reason}: ${edited.message}`;
  expect(spliceString(text, edited.splices)).toBe(edited.text);
  return edited.text;
}

type Case = [name: string, text: string, key: Key, value: Json, result: string];

const TOML: Case[] = [
  ["a number, with its comment", "a = 1 # one\nb = 2\n", ["a"], 5, "a = 5 # one\nb = 2\n"],
  ["a field of a section", "[a]\nx = 1\n\n[b]\nx = 1\n", ["b", "x"], 2, "[a]\nx = 1\n\n[b]\nx = 2\n"],
  ["a field of a dotted key", "a.b.c = 1\n", ["a", "b", "c"], true, "a.b.c = true\n"],
  ["a field inside an inline table", "p = { x = 1, y = 2 }\n", ["p", "y"], 3, "p = { x = 1, y = 3 }\n"],
  ["an item of an array", "a = [1, 2, 3] # n\n", ["a", 1], 9, "a = [1, 9, 3] # n\n"],
  ["appends behind the last item", "a = [1, 2]\n", ["a", 2], 3, "a = [1, 2, 3]\n"],
  [
    "appends on a line of its own",
    "a = [\n  1, # one\n  2 # two\n]\n",
    ["a", 2],
    3,
    "a = [\n  1, # one\n  2, # two\n  3\n]\n",
  ],
  ["appends behind a last comma", "a = [\n  1,\n]\n", ["a", 1], 2, "a = [\n  1,\n  2,\n]\n"],
  [
    "a new field goes below its siblings",
    "[a]\nx=1 # x\n\n[b]\n",
    ["a", "y"],
    2,
    "[a]\nx=1 # x\ny=2\n\n[b]\n",
  ],
  ["a new field at the top", "# about b\n[b]\nx = 1\n", ["a"], 2, "a = 2\n\n# about b\n[b]\nx = 1\n"],
  ["a new field in dotted style", "a.b = 1\nc = 2\n", ["a", "d"], 3, "a.b = 1\na.d = 3\nc = 2\n"],
  ["a new field in an inline table", "p = {}\n", ["p", "x"], 3, "p = { x = 3 }\n"],
  ["a new section", "a = 1\n", ["b", "c"], "x", 'a = 1\n\n[b]\nc = "x"\n'],
  [
    "a new section below a section",
    "[a]\nx = 1\n\n[z]\n",
    ["a", "b"],
    { c: 1, d: { e: 2 } },
    "[a]\nx = 1\n\n[a.b]\nc = 1\n\n[a.b.d]\ne = 2\n\n[z]\n",
  ],
  ["the section that headers only hint at", "[a.b]\nx = 1\n", ["a", "y"], 2, "[a]\ny = 2\n\n[a.b]\nx = 1\n"],
  [
    "a table that changes in one field only",
    "[a]\n# x\nx = 1 # one\ny = 2\n",
    ["a"],
    { x: 1, y: 3 },
    "[a]\n# x\nx = 1 # one\ny = 3\n",
  ],
  [
    "a field of an element of an array of tables",
    "[[p]]\nn = 1\n[[p]]\nn = 2\n[p.q]\nr = 1\n",
    ["p", 1, "q", "r"],
    7,
    "[[p]]\nn = 1\n[[p]]\nn = 2\n[p.q]\nr = 7\n",
  ],
  [
    "another element of an array of tables",
    "[[p]]\nn = 1\n\n[z]\n",
    ["p", 1],
    { n: 2 },
    "[[p]]\nn = 1\n\n[[p]]\nn = 2\n\n[z]\n",
  ],
  [
    "a table becomes a value",
    "[a]\nx = 1\n\n[a.b]\ny = 2\n\n[c]\n",
    ["a", "b"],
    5,
    "[a]\nx = 1\nb = 5\n\n[c]\n",
  ],
  ["the only table of a table becomes a value", "[a.b]\ny = 2\n", ["a", "b"], 5, "[a]\nb = 5\n\n"],
  ["a key that needs quotes", "", ["a b", "ü"], '"q"\\', '["a b"]\n"ü" = "\\"q\\"\\\\"\n'],
  ["a string with lines", "s = 1\n", ["t"], "a\nb\n", 's = 1\nt = """\na\nb\n"""\n'],
  ["CRLF stays CRLF", "[a]\r\nx = 1\r\n", ["a", "y"], "p\nq", '[a]\r\nx = 1\r\ny = "p\\nq"\r\n'],
  ["no final newline stays none", "a = 1", ["b"], 2, "a = 1\nb = 2"],
  ["__proto__ is a key like others", "", ["__proto__"], 1, "__proto__ = 1\n"],
];

const JSON_: Case[] = [
  ["a value", '{ "a": 1,\t"b": 2 }', ["a"], "x", '{ "a": "x",\t"b": 2 }'],
  ["null", '{"a":1}\n', ["a"], null, '{"a":null}\n'],
  ["keeps comments", '{\n  // one\n  "a": 1 // two\n}\n', ["a"], 2, '{\n  // one\n  "a": 2 // two\n}\n'],
  [
    "a new field on its own line",
    '{\n    "a": 1 // two\n}\n',
    ["b"],
    true,
    '{\n    "a": 1, // two\n    "b": true\n}\n',
  ],
  ["a new field on one line", '{"a":1}', ["b"], [1, { c: 2 }], '{"a":1,"b":[1,{"c":2}]}'],
  [
    "missing objects are created",
    '{\n  "a": 1\n}\n',
    ["b", "c"],
    2,
    '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}\n',
  ],
  ["into an empty object", "{}\n", ["a", "b"], 1, '{\n  "a": {\n    "b": 1\n  }\n}\n'],
  ["into an inner empty object", '{\n\t"a": {}\n}\n', ["a", "b"], 1, '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'],
  ["an item", '{"a": [1, 2]}', ["a", 0], 5, '{"a": [5, 2]}'],
  ["appends", '{"a": [1, 2]}', ["a", 2], 3, '{"a": [1, 2, 3]}'],
  [
    "appends to a list on lines",
    '{\n  "a": [\n    1\n  ]\n}',
    ["a", 1],
    2,
    '{\n  "a": [\n    1,\n    2\n  ]\n}',
  ],
  [
    "of a list only the difference",
    '{"a": [1, /* two */ 2, 3]}',
    ["a"],
    [1, 2, 4],
    '{"a": [1, /* two */ 2, 4]}',
  ],
  ["takes items out", '{"a": [1, 2, 3]}', ["a"], [1, 3], '{"a": [1, 3]}'],
  [
    "removes fields",
    '{\n  "a": {\n    "x": 1,\n    "y": 2\n  }\n}\n',
    ["a"],
    { x: 1 },
    '{\n  "a": {\n    "x": 1\n  }\n}\n',
  ],
  ["CRLF stays CRLF", '{\r\n  "a": 1\r\n}\r\n', ["b"], "x\ny", '{\r\n  "a": 1,\r\n  "b": "x\\ny"\r\n}\r\n'],
  [
    "a large number keeps its digits",
    '{"id": 12345678901234567890, "a": 1}',
    ["a"],
    2,
    '{"id": 12345678901234567890, "a": 2}',
  ],
];

const YAML: Case[] = [
  ["a value, with its comment", "a: 1 # one\nb:   2\n", ["a"], 5, "a: 5 # one\nb:   2\n"],
  ["quotes stay", "a: 'x' # c\nb: \"y\"\n", ["a"], "it's", "a: 'it''s' # c\nb: \"y\"\n"],
  ["a string that looks like something else is quoted", "a: x\n", ["a"], "yes", 'a: "yes"\n'],
  ["null", "a: x\n", ["a"], null, "a: null\n"],
  ["where nothing stood", "a: # c\nb: 1\n", ["a"], 1, "a: 1 # c\nb: 1\n"],
  [
    "deep in",
    "a:\n  - b: 1\n    c: 2\n  # x\n  - b: 3\n",
    ["a", 0, "c"],
    9,
    "a:\n  - b: 1\n    c: 9\n  # x\n  - b: 3\n",
  ],
  [
    "a new field",
    "a:\n    x: 1 # x\n# b\nb: 2\n",
    ["a", "z"],
    "q",
    "a:\n    x: 1 # x\n    z: q\n# b\nb: 2\n",
  ],
  ["a new object", "a: 1\n", ["b", "c"], [1, { d: 2 }], "a: 1\nb:\n  c:\n    - 1\n    - d: 2\n"],
  ["appends to a list", "a:\n- x # x\nb: 1\n", ["a", 1], "z", "a:\n- x # x\n- z\nb: 1\n"],
  ["into brackets", "a: {x: 1}\nb: [1, 2]\n", ["a", "z"], "p, q", 'a: {x: 1, z: "p, q"}\nb: [1, 2]\n'],
  ["into an empty list", "a: []\n", ["a", 0], 1, "a: [1]\n"],
  ["into an empty document", "# only this\n", ["a", "b"], 1, "# only this\na:\n  b: 1\n"],
  [
    "a list in place of a value",
    "a:\n  b: 1 # one\nc: 2\n",
    ["a", "b"],
    ["x"],
    "a:\n  b: # one\n    - x\nc: 2\n",
  ],
  ["a value in place of a list", "a:\n  - x\n  - y\nc: 2\n", ["a"], 5, "a: 5\nc: 2\n"],
  ["a block of text", "a: |\n  one\n  two\nb: 1\n", ["a"], "three\nfour\n", "a: |\n  three\n  four\nb: 1\n"],
  ["one line in place of a block of text", "a: |\n  one\n  two\nb: 1\n", ["a"], "x", "a: |-\n  x\nb: 1\n"],
  ["a number in place of a block of text", "a: |\n  one\n  two\nb: 1\n", ["a"], 1, "a: 1\nb: 1\n"],
  [
    "removes items and fields",
    "a:\n  - 1 # one\n  - b: 1\n    c: 2\n",
    ["a"],
    [1, { c: 2 }],
    "a:\n  - 1 # one\n  - c: 2\n",
  ],
  ["CRLF stays CRLF", "a: 1\r\nb:\r\n  - x\r\n", ["b", 1], "z", "a: 1\r\nb:\r\n  - x\r\n  - z\r\n"],
  ["no final newline stays none", "a: 1", ["b"], 2, "a: 1\nb: 2"],
  ["an alias is set as a whole", "a: &x 1\nb: *x\n", ["b"], 2, "a: &x 1\nb: 2\n"],
];

/** Edits in which values of TOML keep their kinds. */
const KINDS: Case[] = [
  ["a list of floats gets another float", "a = [1.0, 2.5]\n", ["a", 2], 3, "a = [1.0, 2.5, 3.0]\n"],
  ["a float stays a float", "gpa = 3.85\n", ["gpa"], 4, "gpa = 4.0\n"],
  ["a literal string stays one", "p = 'C:\\x' # path\n", ["p"], "D:\\y", "p = 'D:\\y' # path\n"],
  ["equal data keeps its spelling", "n = 0x10\n", ["n"], 16, "n = 0x10\n"],
  ["a string replaces a date as a string", "d = 2020-01-01\n", ["d"], "2021-01-01", 'd = "2021-01-01"\n'],
  ["a large number becomes a float", "a = 1\n", ["a"], 1e21, "a = 1e21\n"],
];

const MIXED: [path: string, ...Case][] = [
  ["a.toml", "below a line with CRLF", "a = 1\nb = 2\r\n", ["n"], 3, "a = 1\nb = 2\r\nn = 3\r\n"],
  ["a.toml", "below a line with LF", "a = 1\r\nb = 2\n", ["n"], 3, "a = 1\r\nb = 2\nn = 3\n"],
  [
    "a.toml",
    "a section",
    "a = 1\n[b]\nc = 2\r\n",
    ["d"],
    { e: 3 },
    "a = 1\n[b]\nc = 2\r\n\r\n[d]\r\ne = 3\r\n",
  ],
  ["a.toml", "an item on its line", "a = [\n  1,\r\n]\n", ["a", 1], 2, "a = [\n  1,\r\n  2,\r\n]\n"],
  ["a.json", "a field", '{\n  "a": 1\r\n}\n', ["b"], 2, '{\n  "a": 1,\r\n  "b": 2\r\n}\n'],
  ["a.json", "into empty brackets", '{\n"a": [\r\n]}\n', ["a", 0], 2, '{\n"a": [\r\n  2\r\n]}\n'],
  ["a.yaml", "a field", "a: 1\nb: 2\r\nc: 3\n", ["d"], 4, "a: 1\nb: 2\r\nc: 3\nd: 4\n"],
  ["a.yaml", "a field at the end", "a: 1\nb: 2\r\n", ["d"], 4, "a: 1\nb: 2\r\nd: 4\r\n"],
  ["a.yaml", "a list for a value", "a: 1\nb: 2 # n\r\n", ["b"], [4], "a: 1\nb: # n\r\n  - 4\r\n"],
];

const REFUSED: [path: string, ...Case][] = [
  ["a.toml", "null", "a = 1\n", ["a"], null, "invalid_value: a cannot be null: TOML has no null"],
  [
    "a.toml",
    "through a value",
    "a = 1\n",
    ["a", "b"],
    2,
    'no_such_field: a is a number; it has no field "b"',
  ],
  ["a.toml", "past the end", "a = [1]\n", ["a", 3], 2, "no_such_field: a has 1 items; there is no item 3"],
  [
    "a.toml",
    "an invalid document",
    "a = \n",
    ["a"],
    1,
    "invalid_document: this is not valid TOML: invalid value",
  ],
  [
    "a.toml",
    "no table into an array of tables",
    "[[a]]\n",
    ["a", 1],
    2,
    "invalid_value: a is an array of tables; an item must be an object",
  ],
  ["a.json", "the same key twice", '{"a": 1,\n"a": 2}', ["a"], 3, "invalid_document: a occurs twice"],
  [
    "a.json",
    "a last comma is not JSON",
    '{"a": 1,}',
    ["a"],
    3,
    "invalid_document: this is not valid JSON: PropertyNameExpected",
  ],
  ["a.json", "an empty text", "", ["a"], 3, "invalid_document: this is not valid JSON: ValueExpected"],
  [
    "a.yml",
    "through an alias",
    "a: &x {p: 1}\nb: *x\n",
    ["b", "p"],
    2,
    "not_carried: b is an alias (*x) of another value",
  ],
  [
    "a.yml",
    "a value that an alias repeats",
    "a: &x 1\nb: *x\n",
    ["a"],
    2,
    "not_carried: a cannot be set here without changing something else; nothing was changed",
  ],
  [
    "a.yml",
    "several documents",
    "a: 1\n---\na: 2\n",
    ["a"],
    2,
    "invalid_document: this file contains several YAML documents; a field can be set only in a file with one",
  ],
  ["a.yml", "the same key twice", "a: 1\na: 2\n", ["a"], 2, 'invalid_document: the key "a" occurs twice'],
];

for (const [name, path, cases] of [
  ["TOML", "a.toml", TOML],
  ["JSON", "a.json", JSON_],
  ["YAML", "a.yml", YAML],
] as const)
  describe(name, () => {
    for (const [name, text, key, value, result] of cases)
      test(`[SD1] ${name}`, () => expect(set(path, text, key, value)).toBe(result));
  });

describe("a document of mixed line breaks", () => {
  for (const [path, name, text, key, value, result] of MIXED)
    test(`[SD14] ${path}: ${name}`, () => expect(set(path, text, key, value)).toBe(result));
});

describe("YAML beside the value", () => {
  const KEPT: Case[] = [
    [
      "a comment on a block scalar's first line",
      "k: |  # why\n  a\n  b\nm: 1\n",
      ["k"],
      "c\nd\n",
      "k: |  # why\n  c\n  d\nm: 1\n",
    ],
    [
      "a comment, when the value gets one line",
      "k: >- # why\n  a\n  b\nm: 1\n",
      ["k"],
      7,
      "k: 7 # why\nm: 1\n",
    ],
    ["a comment, when the value becomes a list", "- |+ # why\n  a\n- 2\n", [0], ["x"], "- - x # why\n- 2\n"],
    ["a tag that the value fits", "k: !!int 5\n", ["k"], 6, "k: !!int 6\n"],
    ["a tag of another schema", "k: !Ref a\n", ["k"], "b", "k: !Ref b\n"],
  ];
  for (const [name, text, key, value, result] of KEPT)
    test(`[SD9] ${name} stays`, () => expect(set("a.yaml", text, key, value)).toBe(result));

  const TAGGED = [
    ["!!int 5", "x"],
    ["!!str a", 5],
    ["!!bool yes", "no"],
    ["!!null ''", 1],
    ["!!seq [1]", { a: 1 }],
  ];
  for (const [text, value] of TAGGED)
    test(`[SD9] ${text} is not followed by ${JSON.stringify(value)}`, () => {
      const failure = setField(`k: ${text}\nm: 1\n`, "a.yaml", ["k"], value as Json) as StructureFailure;
      expect(failure.message).toMatch(/tag|changing something else/);
    });

  test("[SD9] strings of any characters are written in printable ones, and read back", () => {
    const special = fc.constantFrom(
      "\ufffe",
      "\uffff",
      "\ufdd0",
      "\u{1ffff}",
      "\ufeff",
      "\x7f",
      "\x80",
      "\x85",
      "\u2028",
      "\r",
      "\0",
    );
    const string = fc
      .array(fc.oneof(special, fc.string({ unit: "binary" })), { maxLength: 6 })
      .map((all) => all.join(""));
    const documents = fc.constantFrom("k: a\n", "k: |\n  a\n", "k: 'a'\n", "{ k: a, m: 2 }\n", "k: [1, b]\n");
    const value = fc.oneof(
      string,
      fc.array(string, { maxLength: 2 }),
      fc.dictionary(string, string, { maxKeys: 2 }),
    );
    fc.assert(
      fc.property(documents, value, (text, value) => {
        const edited = setField(text, "a.yaml", ["k"], value);
        if (edited instanceof StructureFailure) throw new Error(edited.message);
        expect(edited.text).not.toMatch(/[^\P{Cc}\t\n]|[\p{NChar}\ufeff\u2028\u2029]/u);
        expect(parse(edited.text).k).toEqual(value);
      }),
      { numRuns: times(75, 20_000) },
    );
  });
});

describe("documents that only look valid", () => {
  const INVALID: [path: string, text: string][] = [
    ...[
      "2021-02-29",
      "2021-04-31",
      "1900-02-29",
      "2021-02-30T00:00:00Z",
      "[2021-06-31]",
      "{ x = 2021-09-31 }",
    ].map((value): [string, string] => ["a.toml", `a = ${value}\nb = 1\n`]),
    ["a.toml", "\ufeff\ufeffa = 1\n"],
    ["a.yaml", "%YAML 1.2\n%YAML 1.2\n---\na: 1\n"],
    ["a.yaml", "a: 1\rb: 2\n"],
  ];
  for (const [path, text] of INVALID)
    test(`[SD10] ${JSON.stringify(text)} is refused`, () => {
      expect((setField(text, path, ["b"], 2) as StructureFailure).reason).toBe("invalid_document");
    });

  for (const value of ["2020-02-29", "2000-02-29", "0000-02-29", "2021-12-31T23:59:59Z"])
    test(`[SD10] ${value} is a date`, () => {
      expect(set("a.toml", `a = ${value}\nb = 1\n`, ["b"], 2)).toBe(`a = ${value}\nb = 2\n`);
    });
});

describe("JSON with comments, by name", () => {
  const text = '{\n  "a": 1, // note\n}\n';
  for (const path of [
    "tsconfig.json",
    "web/tsconfig.build.json",
    "jsconfig.json",
    ".eslintrc",
    ".vscode/settings.json",
    "x.code-workspace",
  ])
    test(`[SD11] ${path}`, () => expect(set(path, text, ["a"], 2)).toBe(text.replace("1", "2")));
  for (const path of ["package.json", "mytsconfig.json", "vscode/settings.json"])
    test(`[SD11] not ${path}`, () => expect(setField(text, path, ["a"], 2)).toBeInstanceOf(StructureFailure));
});

describe("kinds", () => {
  for (const [name, text, key, value, result] of KINDS)
    test(`[SD3] ${name}`, () => expect(set("a.toml", text, key, value)).toBe(result));
});

describe("refusals", () => {
  for (const [path, name, text, key, value, result] of REFUSED)
    test(`[SD4] ${path}: ${name}`, () => expect(set(path, text, key, value)).toBe(result));

  test("[SD4] a field under a key with a question mark, below an empty line, is refused", () => {
    const text = "\n1:\n  a: x\n  ? c\n  : 1_000\n";
    expect(set("a.yaml", text, ["1", "c"], { a: 1 })).toMatch(/^not_carried: /);
  });

  test("[SD4] an invalid document is refused with the line", () => {
    for (const [path, text] of [
      ["a.toml", "a = 1\nb = \n"],
      ["a.json", '{\n"a": }'],
      ["a.yaml", "a: 1\nb: [\n"],
    ] as const)
      expect(setField(text, path, ["a"], 2)).toMatchObject({
        reason: "invalid_document",
        line: path === "a.yaml" ? 3 : 2,
      });
  });

  for (const path of ["a.toml", "a.yaml", "a.json"])
    test(`[SD10] ${path} with two byte order marks is refused`, () =>
      expect(set(path, `\ufeff${path === "a.json" ? '{"a": 1}' : "a"}`, ["a"], 2)).toContain(
        "the file begins with two byte order marks",
      ));

  test("[SD4] the refusal of another format lists the supported ones", () => {
    expect(set("notes.md", "", ["a"], 1)).toBe(
      "unknown_format: notes.md has no fields to set; files of these types have: .toml, .json, .jsonc, .yaml, .yml",
    );
  });

  test("[SD1] .jsonc allows a comma after the last item", () => {
    expect(set("a.jsonc", '{\n  "a": 1, // one\n}\n', ["b"], 2)).toBe('{\n  "a": 1, // one\n  "b": 2,\n}\n');
  });

  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const bomb = [
    "a: &a [x, x, x, x, x, x, x, x]",
    ..."bcdefgh".split("").map((c, i) => `${c}: &${c} [${`*${"abcdefg"[i]}, `.repeat(8)}]`),
  ].join("\n");
  const heavy: [name: string, path: string, text: string][] = [
    ["a deep list of JSON", "a.json", deep],
    ["a deep list of YAML", "a.yaml", deep],
    ["a deep list of TOML", "a.toml", `a = ${deep}`],
    ["a deep key of TOML", "a.toml", `[${"a.".repeat(50_000)}b]`],
    ["aliases that multiply", "a.yaml", bomb],
    ["more than a million characters", "a.toml", "# x\n".repeat(300_000)],
  ];
  for (const [name, path, text] of heavy)
    test(`[SD5] ${name} is refused`, () =>
      expect(set(path, text, ["k"], 1)).toMatch(/^(invalid_document|too_large): /));

  test("[SD5] a deep value, and more changes than the document's size allows, are refused", () => {
    let value: Json = 1;
    for (let i = 0; i < 10_000; i++) value = [value];
    expect(set("a.json", "{}", ["a"], value)).toBe(
      "invalid_value: the value is nested more than 200 levels deep",
    );
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i]));
    expect(set("a.json", `{"a": {"x": 1}, "b": "${"x".repeat(10_000)}"}`, ["a"], many)).toBe(
      "too_large: 501 changes at once are too many for a document of this size",
    );
  });
});
