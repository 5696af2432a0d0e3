import { describe, expect, test } from "vitest";
import { type Block, proseOf } from "../../src/web/views/threads/prose.ts";
import { type Inline, inlineOf } from "../../src/web/views/threads/prose-inline.ts";
import { times } from "../e2e/long.ts";
import { chosenSeed, seeded } from "../e2e/seed.ts";

/** Writes the parts of a line as tags, so that a test reads them at a glance. */
function told(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === "string") return part.replaceAll("<", "&lt;");
      if (part.is === "code") return `<code>${part.text}</code>`;
      if (part.is === "link") return `<a ${part.href}>${told(part.parts)}</a>`;
      return `<${part.is}>${told(part.parts)}</${part.is}>`;
    })
    .join("");
}

function toldBlock(block: Block): unknown {
  switch (block.is) {
    case "paragraph":
      return told(block.parts);
    case "heading":
      return `# ${told(block.parts)}`;
    case "code":
      return { code: block.text };
    case "rule":
      return "---";
    case "quote":
      return { quote: block.blocks.map(toldBlock) };
    case "list":
      return { [block.start ?? "ul"]: block.items.map((item) => item.map(toldBlock)) };
    case "table":
      return { table: block.rows.map((row) => row.map(told)) };
  }
}

const read = (text: string) => proseOf(text).blocks.map(({ block }) => toldBlock(block));

describe("Markdown in answers", () => {
  test.each([
    ["a *b* and __c__", "a <em>b</em> and <strong>c</strong>"],
    ["***both***, **a *b* c**", "<strong><em>both</em></strong>, <strong>a <em>b</em> c</strong>"],
    ["~~gone~~ \\*kept\\*", "<del>gone</del> *kept*"],
    ["snake_case_name, 2 * 3 * 4, **open", "snake_case_name, 2 * 3 * 4, **open"],
    ["`a*b*` and `` c`d ``, `open", "<code>a*b*</code> and <code>c`d</code>, `open"],
    ['[a *b*](https://x.org/y "t")', "<a https://x.org/y>a <em>b</em></a>"],
    [
      "https://x.org/a_b_c. (<http://y.org>)",
      "<a https://x.org/a_b_c>https://x.org/a_b_c</a>. (<a http://y.org/>http://y.org</a>)",
    ],
    ["![seen](https://x.org/p.png)", "<a https://x.org/p.png>seen</a>"],
    ["[w](https://en.org/A_(b))", "<a https://en.org/A_(b)>w</a>"],
  ])("[WP147] %s", (text, shown) => {
    expect(told(inlineOf(text))).toBe(shown);
  });

  test.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert`1`)",
    "[a]( javascript:alert(1))",
    "[a](data:text/html,x)",
    "[a](notes.md)",
    "[a](//x.org)",
    "<javascript:alert(1)>",
    "[a](https://)",
  ])("[WP147] %s stays text", (text) => {
    const parts = inlineOf(text);
    expect(parts).toEqual([text]);
  });

  test("[WP147] a link has no link in it", () => {
    expect(told(inlineOf("[a [b](http://b.org) c](http://a.org)"))).not.toMatch(/<a [^>]*>[^<]*<a/);
  });

  test("[WP147] reads paragraphs, headings, code, quotes, rules and tables", () => {
    expect(
      read(
        "# A *b* #\nfirst\nsecond\n\n```js\nx <b>\n  *y*\n```\n> q\n> - r\n\n---\n| a | `b` |\n|:-|--|\n| 1\\|2 | 3 |\nend",
      ),
    ).toEqual([
      "# A <em>b</em>",
      "first\nsecond",
      { code: "x <b>\n  *y*" },
      { quote: ["q", { ul: [["r"]] }] },
      "---",
      {
        table: [
          ["a", "<code>b</code>"],
          ["1|2", "3"],
        ],
      },
      "end",
    ]);
  });

  test("[WP147] reads lists, also inside one another, with code and with numbers", () => {
    expect(
      read("- a\n  b\n- c\n  - d\n\n    e\n\n- f\n\n3. g\n   ```\n   h\n     i\n   ```\n4. j\n  - k"),
    ).toEqual([
      { ul: [["a\nb"], ["c", { ul: [["d", "e"]] }], ["f"]] },
      {
        3: [
          ["g", { code: "h\n  i" }],
          ["j", { ul: [["k"]] }],
        ],
      },
    ]);
  });

  test("[WP147] code without its end is code while the answer comes", () => {
    expect(read("```\na\n\n# b")).toEqual([{ code: "a\n\n# b" }]);
  });

  test("[WP148] an answer that comes in pieces reads as the whole, and earlier parts stay the same", () => {
    const random = seeded(chosenSeed(7));
    const pieces = [
      "a ",
      "*",
      "**",
      "`",
      "```\n",
      "\n",
      "\n\n",
      "- ",
      "1. ",
      "> ",
      "# ",
      "|",
      "|-|\n",
      "  ",
      "---",
      "[x](http://y.z)",
      "_",
    ];
    for (let run = 0; run < times(300, 20_000); run++) {
      let text = "";
      let prose = proseOf("");
      for (let step = 0; step < 25; step++) {
        text += pieces[random.below(pieces.length)];
        const next = proseOf(text, prose);
        expect(next, JSON.stringify(text)).toEqual(proseOf(text));
        for (const [i, { block }] of prose.blocks.slice(0, -2).entries())
          expect(next.blocks[i]!.block).toBe(block);
        prose = next;
      }
    }
  });

  const HOSTILE = {
    quotes: "> ".repeat(90_000),
    lists: "- ".repeat(90_000),
    items: "-\n".repeat(90_000),
    brackets: "[".repeat(19_000),
    "closed brackets": "[".repeat(9_000) + "](".repeat(5_000),
    emphasis: "*a_ ".repeat(4_900),
    ticks: "`a``b```c````".repeat(1_500),
    links: "[a](http://x) ".repeat(1_400),
    addresses: "http://".repeat(2_800),
    backslashes: "\\".repeat(19_000),
    rules: `${"- ".repeat(90_000)}x`,
    hashes: `# ${"# ".repeat(90_000)}`,
    pipes: `${"|".repeat(90_000)}\n${"|-".repeat(45_000)}|`,
    staircase: Array.from({ length: 600 }, (_, i) => `${"  ".repeat(i / 2)}- a\n`).join(""),
    paragraph: "word *x* `y` ".repeat(15_000),
    megabyte: "A line of *text*.\n\n".repeat(55_000),
  };
  test.each(Object.entries(HOSTILE))("[WP148] reads hostile text in a moment: %s", (_, text) => {
    const before = process.cpuUsage();
    const prose = proseOf(text);
    const { user } = process.cpuUsage(before);
    expect(prose.blocks.length).toBeGreaterThan(0);
    expect(user / 1000).toBeLessThan(1500);
  });
});
