import { describe, expect, test } from "vitest";
import { fitted } from "../../src/cli/terminal/help-text.ts";

describe("the text of --help", () => {
  test("[TM44] paragraphs fit the terminal, and break between words", () => {
    const text = "One two three four five\nsix seven.\n\nEight nine ten eleven twelve.\n";
    expect(fitted(text, 12)).toBe(
      "One two\nthree four\nfive six\nseven.\n\nEight nine\nten eleven\ntwelve.\n",
    );
    expect(fitted(text, 80)).toBe("One two three four five six seven.\n\nEight nine ten eleven twelve.\n");
  });

  test("[TM44] examples, lists and words too long for a line stay as they are", () => {
    const text = "Examples:\n  $ spliced agent --list    what is installed\nunbroken-word-of-many\nend\n";
    expect(fitted(text, 10)).toBe(text);
  });
});
