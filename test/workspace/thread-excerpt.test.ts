import { expect, test } from "vitest";
import { excerpt } from "../../src/workspace/threads/thread.ts";

test.each([
  ["**Shorten** the `intro`, see [the plan](plan.md).", "Shorten the intro, see the plan."],
  ["# A plan\n\n- first\n- *second* and _third_", "A plan first second and third"],
  ["> quoted\n```ts\nconst a = 1;\n```", "quoted const a = 1;"],
  ["snake_case_name and 2 * 3 * 4 stay, ~~this~~ too", "snake_case_name and 2 * 3 * 4 stay, this too"],
  ["![a picture](p.png) and **unclosed", "a picture and **unclosed"],
  [`${"word ".repeat(100)}`, `${"word ".repeat(39)}word…`],
])(
  "[TH41] the title of a thread is the text of its first message without the marks of Markdown: %s",
  (text, title) => {
    expect(excerpt(text)).toBe(title);
  },
);
