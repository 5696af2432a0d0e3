import { describe, expect, test } from "vitest";
import { visible, visibleJson, visibleLine } from "../../src/text/visible.ts";

describe("a text made visible", () => {
  const escaped: [name: string, text: string, visible: string][] = [
    ["an escape sequence", "\x1b]0;gone\x07", "␛]0;gone␇"],
    ["a C1 control and DEL", "\x9b1A\x7f", "<9b>1A␡"],
    ["a carriage return that goes back over the line", "safe\rrm", "safe␍rm"],
    ["an override of direction", "a\u202egpj.exe", "a<202e>gpj.exe"],
    ["isolates and marks of direction", "\u2066a\u2069\u200f\u061c", "<2066>a<2069><200f><61c>"],
    ["spaces of no width", "pay\u200bpal\u2060.md\ufeff", "pay<200b>pal<2060>.md<feff>"],
    ["a joiner between Latin letters", "no\u200dtes\u200c", "no<200d>tes<200c>"],
    ["a letter that shows nothing", "\u3164\u115f", "<3164><115f>"],
    ["text written in tags", "a\u{e0068}\u{e0069}", "a<e0068><e0069>"],
    ["data hidden in selectors of looks", "😀\ufe0f\ufe01\u{e0100}", "😀\ufe0f<fe01><e0100>"],
    ["separators of lines that are none", "a\u2028b\u2029c", "a<2028>b<2029>c"],
  ];
  for (const [name, text, result] of escaped)
    test(`[PK9] shows ${name}`, () => expect(visible(text)).toBe(result));

  const unchanged: [name: string, text: string][] = [
    ["tabs and line breaks", "a\tb\nc\r\nd"],
    ["letters of any script", "naïve Ünïcode 日本語 العَرَبِيَّة हिन्दी"],
    ["joiners where a script has them", "می\u200cخواهم क्\u200dष"],
    ["emoji", "👩🏽\u200d💻 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 ©\ufe0f"],
    ["variants of ideographs", "葛\u{e0100}"],
  ];
  for (const [name, text] of unchanged) test(`[PK21] leaves ${name}`, () => expect(visible(text)).toBe(text));

  test("[PK18] on one line shows its line breaks", () => {
    expect(visibleLine("a.md\nb.md\r\n\tc")).toBe("a.md␊b.md␍␊\tc");
  });

  test("[PK9] in JSON leaves the JSON value the same", () => {
    const value = { text: "\x1b[2J\x9b\u202e\u{e0068}\n" };
    const json = visibleJson(JSON.stringify(value));
    expect(json).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(json)).toEqual(value);
  });
});
