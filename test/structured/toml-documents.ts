import fc from "fast-check";

/** Scalars in their spelling, as they appear after a key or between brackets. */
const SCALARS = [
  '"plain"',
  '"two words"',
  "'literal'",
  '""',
  '"Yes"',
  '" spaced "',
  '"a # b"',
  '"## heading"',
  '"- item"',
  '"text\\n\\nparagraph"',
  '"line\\n## heading\\n- item"',
  '"*(not set)*"',
  '"`code`"',
  '"```\\nfence\\n```"',
  '"---"',
  '"a\u2028## b\u2029"',
  "'\u2028'",
  '"\ufeff \u00a0\u0085"',
  '"tab\\tand \\u0007 bell"',
  '"cr\\rlf\\r\\n"',
  '"""\nover\n\n  lines "quoted" \n"""',
  "'''\n- over\nlines'''",
  '"\u{1f600} é"',
  "1",
  "-17",
  "1_000",
  "0x1F",
  "9007199254740993",
  "1.0",
  "3.85",
  "6.02e23",
  "-0.0",
  "inf",
  "nan",
  "true",
  "false",
  "1979-05-27",
  "07:32:00",
  "1979-05-27T07:32:00.123456-08:00",
  "1979-05-27 07:32:00Z",
] as const;

const KEYS = [
  "a",
  "b",
  "c",
  "name",
  "Name",
  "first-name",
  "API_KEY",
  "userName",
  "full_name",
  "_value",
  "1",
  "__proto__",
];
const QUOTED_KEYS = [
  '"a\u2028b"',
  "'\u2029'",
  '"\u0085 \ufeff\u00a0"',
  '"\\r\\n"',
  '"a b"',
  "'x.y'",
  '""',
  '"ü"',
  '"[1]"',
  '"a\\"b`"',
  '"## k"',
];

/** One key of a table, with a value on its line or with the parts of a table. */
type Entry =
  | { readonly kind: "line"; readonly key: string; readonly value: string; readonly comment: string }
  | { readonly kind: "section"; readonly key: string; readonly body: Table; readonly hinted: boolean }
  | { readonly kind: "dotted"; readonly key: string; readonly body: Table }
  | { readonly kind: "array"; readonly key: string; readonly bodies: readonly Table[] };
type Table = readonly Entry[];

const key = fc.oneof({ arbitrary: fc.constantFrom(...KEYS), weight: 5 }, fc.constantFrom(...QUOTED_KEYS));
const comment = fc.oneof(
  { arbitrary: fc.constant(""), weight: 3 },
  fc.constantFrom(" # note", "  # [not] a = header"),
);

const { table } = fc.letrec<{ value: string; table: Table }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { arbitrary: fc.constantFrom<string>(...SCALARS), weight: 6 },
    fc.tuple(fc.array(tie("value"), { maxLength: 3 }), fc.nat(2)).map(([items, style]) => list(items, style)),
    fc
      .uniqueArray(fc.tuple(key, tie("value")), { maxLength: 3, selector: ([name]) => spelled(name) })
      .map((pairs) => `{${pairs.map(([name, item]) => ` ${name} = ${item}`).join(",")} }`),
  ),
  table: fc.uniqueArray(
    fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      {
        arbitrary: fc.record({ kind: fc.constant("line" as const), key, value: tie("value"), comment }),
        weight: 5,
      },
      fc.record({ kind: fc.constant("section" as const), key, body: tie("table"), hinted: fc.boolean() }),
      fc.record({ kind: fc.constant("dotted" as const), key, body: tie("table") }),
      fc.record({
        kind: fc.constant("array" as const),
        key,
        bodies: fc.array(tie("table"), { minLength: 1, maxLength: 3 }),
      }),
    ),
    { maxLength: 5, selector: (entry: Entry) => spelled(entry.key) },
  ) as fc.Arbitrary<Table>,
}));

/** Valid documents in every style that a person may use: all kinds of values, tables, comments, line endings. */
export const tomlDocument: fc.Arbitrary<string> = fc
  .record({
    table,
    crlf: fc.boolean(),
    open: fc.boolean(),
    head: fc.constantFrom("", "# a document\n\n", "\n"),
  })
  .map(({ table, crlf, open, head }) => {
    const text = head + [...linesOf(table, ""), ...sectionsOf(table, "")].join("\n");
    const ended = open ? text : `${text}\n`;
    return crlf ? ended.replaceAll("\n", "\r\n") : ended;
  });

function spelled(name: string): string {
  return name.replaceAll(/^["']|["']$/g, "");
}

function list(items: readonly string[], style: number): string {
  if (style === 0) return `[${items.join(", ")}]`;
  if (style === 1) return `[\n${items.map((item) => `  ${item}, # ${items.length}\n`).join("")}]`;
  return `[ # first\n${items.join("\n    ,")} # last\n]`;
}

function linesOf(table: Table, prefix: string): string[] {
  return table.flatMap((entry) => {
    if (entry.kind === "line")
      return [
        ...(entry.comment ? ["# above"] : []),
        `${prefix}${entry.key} = ${entry.value}${entry.comment}`,
      ];
    if (entry.kind !== "dotted") return [];
    const inner = linesOf(entry.body, `${prefix}${entry.key} . `);
    return inner.length > 0 ? inner : [`${prefix}${entry.key} = {}`];
  });
}

function sectionsOf(table: Table, prefix: string): string[] {
  return table.flatMap((entry) => {
    const path = `${prefix}${entry.key}`;
    if (entry.kind === "section") {
      const own = linesOf(entry.body, "");
      const below = sectionsOf(entry.body, `${path}.`);
      const hint = entry.hinted && own.length === 0 && below.length > 0;
      return [...(hint ? [] : ["", `[${path}] # section`, ...own]), ...below];
    }
    if (entry.kind !== "array") return [];
    return entry.bodies.flatMap((body) => [
      `  [[ ${path} ]]`,
      ...linesOf(body, ""),
      ...sectionsOf(body, `${path}.`),
    ]);
  });
}
