import { describe, expect, test } from "vitest";
import { type Prose, proseOf } from "../../src/web/views/threads/prose.ts";
import { times } from "../e2e/long.ts";
import { chosenSeed, seeded } from "../e2e/seed.ts";
import { further } from "../helpers/further.ts";
import { processorMs } from "../helpers/processor-time.ts";

/** Writes parts as tags, so that a test reads them at a glance. */
function told(parts: readonly Prose[]): string {
  return parts
    .map((part) => {
      if (typeof part === "string") return part.replaceAll("<", "&lt;");
      const about = part.tag === "a" ? ` ${part.href}` : part.tag === "ol" ? ` ${part.start}` : "";
      return `<${part.tag}${about}>${told(part.parts)}</${part.tag}>`;
    })
    .join("");
}

const read = (text: string) => told(proseOf(text));

/** How deep the elements of an answer are inside one another. */
function depthOf(parts: readonly Prose[]): number {
  return Math.max(0, ...parts.map((part) => (typeof part === "string" ? 0 : 1 + depthOf(part.parts))));
}

describe("Markdown in answers", () => {
  test.each([
    ["a *b* and __c__", "a <em>b</em> and <strong>c</strong>"],
    ["***both***, **a *b* c**", "<em><strong>both</strong></em>, <strong>a <em>b</em> c</strong>"],
    ["~~gone~~ \\*kept\\*", "<s>gone</s> *kept*"],
    ["snake_case_name, 2 * 3 * 4, **open", "snake_case_name, 2 * 3 * 4, **open"],
    ["`a*b*` and `` c`d ``, `open", "<code>a*b*</code> and <code>c`d</code>, `open"],
    ['[a *b*](https://x.org/y "t")', "<a https://x.org/y>a <em>b</em></a>"],
    [
      "https://x.org/a_b_c. (<http://y.org>)",
      "<a https://x.org/a_b_c>https://x.org/a_b_c</a>. (<a http://y.org/>http://y.org</a>)",
    ],
    ["![seen](https://x.org/p.png)", "<a https://x.org/p.png>seen</a>"],
    ["[![seen](https://x.org/p.png)](https://x.org)", "<a https://x.org/>seen</a>"],
    [
      "[](https://x.org/y) ![](https://x.org/z)",
      "<a https://x.org/y>https://x.org/y</a> <a https://x.org/z>https://x.org/z</a>",
    ],
    ["[w](https://en.org/A_(b))", "<a https://en.org/A_(b)>w</a>"],
  ])("[WP147] %s", (text, shown) => {
    expect(read(text)).toBe(`<p>${shown}</p>`);
  });

  test.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a]( javascript:alert(1))",
    "[a](data:text/html,x)",
    "[a](notes.md)",
    "[a](//x.org)",
    "<javascript:alert(1)>",
    "[a](https://)",
    "![a](javascript:alert(1))",
    "mailto:a@x.org",
  ])("[WP147] %s stays text", (text) => {
    expect(proseOf(text)).toEqual([{ tag: "p", parts: [text] }]);
  });

  test("[WP147] a link has no link in it", () => {
    expect(read("[a [b](http://b.org) c](http://a.org)")).not.toMatch(/<a [^>]*>[^<]*<a/);
  });

  test("[WP147] reads paragraphs, headings, code, quotes, rules and tables", () => {
    expect(
      read(
        "# A *b* #\nfirst\nsecond\n\n```js\nx <b>\n  *y*\n```\n> q\n> - r\n\n---\n| a | `b` |\n|:-|--|\n| 1\\|2 | 3 |\n\nend",
      ),
    ).toBe(
      "<h1>A <em>b</em></h1><p>first\nsecond</p><pre><code>x &lt;b>\n  *y*</code></pre>" +
        "<blockquote><p>q</p><ul><li><p>r</p></li></ul></blockquote><hr></hr>" +
        "<table><thead><tr><th>a</th><th><code>b</code></th></tr></thead>" +
        "<tbody><tr><td>1|2</td><td>3</td></tr></tbody></table><p>end</p>",
    );
  });

  test("[WP147] reads lists, also inside one another, with code and with numbers", () => {
    expect(
      read("- a\n  b\n- c\n  - d\n\n    e\n\n- f\n\n3. g\n   ```\n   h\n     i\n   ```\n4. j\n   - k"),
    ).toBe(
      "<ul><li><p>a\nb</p></li><li><p>c</p><ul><li><p>d</p><p>e</p></li></ul></li><li><p>f</p></li></ul>" +
        "<ol 3><li><p>g</p><pre><code>h\n  i</code></pre></li><li><p>j</p><ul><li><p>k</p></li></ul></li></ol>",
    );
  });

  test("[WP147] code without its end is code while the answer comes", () => {
    expect(read("```\na\n\n# b")).toBe("<pre><code>a\n\n# b</code></pre>");
  });

  test("[WP148] a later definition makes no link of an earlier text", () => {
    expect(read("[a]\n\n[a]: http://x.org")).toBe("<p>[a]</p><p>[a]: <a http://x.org/>http://x.org</a></p>");
  });

  further("[WP148] earlier parts stay the same while an answer comes in pieces", () => {
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
      let before = proseOf(text);
      for (let step = 0; step < 25; step++) {
        text += pieces[random.below(pieces.length)];
        const next = proseOf(text);
        const kept = before.slice(0, -2);
        expect(next.slice(0, kept.length), JSON.stringify(text)).toEqual(kept);
        before = next;
      }
    }
  });

  test.each([
    ["long", "**a** ".repeat(10_000)],
    ["deep in quotes", `${"> ".repeat(200)}end`],
    ["deep in lists", `${"- ".repeat(200)}end`],
    ["deep in marks", `${"**a ".repeat(100)}end${"**".repeat(100)}`],
  ])("[WP148] a text that is too %s is shown as it was written", (_, text) => {
    expect(proseOf(text)).toEqual([{ tag: "p", parts: [text] }]);
  });

  const MOST = 50_000;
  const full = (text: string) => text.repeat(Math.ceil(MOST / text.length)).slice(0, MOST);
  const half = full("[").slice(MOST / 2);
  const HOSTILE = {
    quotes: full("> "),
    lists: full("- "),
    items: full("-\n"),
    "quotes and lists": full(">\n- a\n"),
    "lazy quotes": full("> a\nb\n"),
    "numbered lists": full("1. "),
    brackets: full("["),
    "closed brackets": half + "](".repeat(MOST / 4),
    "matched brackets": half + "]".repeat(MOST / 2),
    "open links": full("[a]("),
    images: full("!["),
    "images in links": full("[!["),
    definitions: full("[a\n"),
    emphasis: full("*a_ "),
    marks: full("_a __a*"),
    "marks inside one another": "**a ".repeat(MOST / 8) + " b**".repeat(MOST / 8),
    underlines: full("a\n=\n"),
    ticks: full("`a``b```c````"),
    links: full("[a](http://x) "),
    addresses: full("http://"),
    names: full("a@"),
    elements: full("<a b='"),
    comments: full("<!--"),
    data: full("<![CDATA["),
    backslashes: full("\\"),
    spaces: `a${" ".repeat(MOST - 2)}x`,
    rules: `${"- ".repeat(MOST / 2 - 1)}x`,
    hashes: full("# "),
    pipes: `${"|".repeat(MOST / 2)}\n${"|-".repeat(MOST / 4 - 1)}|`,
    rows: full(`${"|a".repeat(100)}\n${"|-".repeat(100)}\n${"|a\n".repeat(MOST)}`),
    tables: full("|a|b|\n|-|-|\n"),
    staircase: full(Array.from({ length: 310 }, (_, i) => `${"  ".repeat(i / 2)}- a\n`).join("")),
    paragraph: full("word *x* `y` "),
    megabyte: "A line of *text*.\n\n".repeat(55_000),
  };
  test.each(Object.entries(HOSTILE))("[WP148] reads hostile text in a moment: %s", async (_, text) => {
    let prose: readonly Prose[] = [];
    const ms = await processorMs(() => {
      prose = proseOf(text);
    });
    expect(prose.length).toBeGreaterThan(0);
    expect(depthOf(prose)).toBeLessThanOrEqual(42);
    expect(ms).toBeLessThan(1000);
  });
});
