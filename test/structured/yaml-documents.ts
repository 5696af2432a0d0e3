import fc from "fast-check";

/** YAML as people write it: every style of keys, values, comments, indentation, markers and line ends. */

const KEYS = ["a", "b", "name", "'q k'", '"dq"', "x.y", "x-y", "1", "true", "~", "on", "é"];
const SCALARS = [
  "1",
  "-7",
  "+1",
  "0x1F",
  "0o17",
  "1.5",
  "1e3",
  ".inf",
  "true",
  "no",
  "null",
  "~",
  "",
  "plain text",
  "http://x.y/z?a=b",
  "'single ''q'",
  '"dq \\n \\u00e9"',
  "'#no'",
  "2020-01-02",
  "12:30:45",
  "0777",
  "1_000",
  "=",
  "<<",
  "-x",
  "!!str 5",
  "&anc v",
  "[1, 2]",
  "{a: 1, b: [x]}",
  "[]",
  "{}",
  "[ 'a', \"b\" , c, ]",
  "{ a : 1 }",
];
/** Values over several lines, each line under the place of its key. */
const SPREAD = [
  [" |", "    alpha", "", "    beta # no comment"],
  [" |-  # note", "    alpha", "    beta"],
  [" >+", "    alpha", "", ""],
  [" |2-", "    two spaces", "   more"],
  [" first line", "  second line"],
  [" [1,", "   2, # note", "   {x: y}", "  ]"],
  [' "dq', "   cont\\", '   more"'],
];

type Block = readonly string[];
const gap = fc.oneof(
  { arbitrary: fc.constant<Block>([]), weight: 6 },
  fc.constantFrom<Block>(["# note"], [""]),
);
const tail = fc.oneof({ arbitrary: fc.constant(""), weight: 6 }, fc.constant(" # note"));
const indented = (block: Block, by: number): Block =>
  block.map((line) => (line === "" ? line : " ".repeat(by) + line));

const { block } = fc.letrec<{ block: Block }>((tie) => {
  const value = fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    {
      arbitrary: fc
        .tuple(fc.constantFrom(...SCALARS), tail)
        .map(([scalar, note]): Block => [` ${scalar}${note}`]),
      weight: 5,
    },
    fc.constantFrom<Block>(...SPREAD),
    fc
      .tuple(tie("block"), tail, fc.constantFrom(1, 2, 4))
      .map(([inner, note, by]): Block => [note, ...indented(inner, by)]),
  );
  const map = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), value, gap, fc.constantFrom("", "", "", " ")), {
      minLength: 1,
      maxLength: 4,
      selector: ([key]) => key,
    })
    .map((fields) =>
      fields.flatMap(([key, [head = "", ...below], before, space]) => [
        ...before,
        `${key}${space}:${head}`,
        ...below,
      ]),
    );
  const list = fc
    .array(fc.tuple(fc.oneof(value, fc.constant<Block>([" - x"])), gap), { minLength: 1, maxLength: 4 })
    .map((items) => items.flatMap(([[head = "", ...below], before]) => [...before, `-${head}`, ...below]));
  return { block: fc.oneof({ arbitrary: map, weight: 3 }, list) };
});

export const writtenYaml: fc.Arbitrary<string> = fc
  .record({
    block,
    head: fc.constantFrom<Block>([], [], [""], ["---"], ["# note", ""], ["%YAML 1.2", "---"]),
    foot: fc.constantFrom<Block>([], [], ["# note"], ["..."]),
    open: fc.boolean(),
    windows: fc.boolean(),
  })
  .map(({ block, head, foot, open, windows }) => {
    const text = [...head, ...block, ...foot].join("\n") + (open ? "" : "\n");
    return windows ? text.replaceAll("\n", "\r\n") : text;
  });
