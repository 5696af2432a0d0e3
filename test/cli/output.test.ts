import { beforeEach, describe, expect, test, vi } from "vitest";
import { paint, print, printDocument, printJson, printText } from "../../src/cli/terminal/output.ts";

/** Returns the output to a stream that is a terminal or not. */
function printed(write: (stream: NodeJS.WriteStream) => void, isTTY: boolean): string {
  let written = "";
  const stream = { isTTY, write: (text: string) => (written += text) } as unknown as NodeJS.WriteStream;
  write(stream);
  return written;
}

describe("printed output", () => {
  const hostile = "a\x1b]0;gone\x07\x1b[2J\x1b[8mb\r\x9b1A\x7f\tc\r\nd\u202e";

  beforeEach(() => {
    vi.stubEnv("NO_COLOR", "");
  });

  test("[PK9] on a terminal shows control characters instead of obeying them", () => {
    const seen = "a␛]0;gone␇␛[2J␛[8mb␍<9b>1A␡\tc\r\nd<202e>";
    expect(printed((stream) => printText(hostile, stream), true)).toBe(`${seen}\n`);
    expect(printed((stream) => printDocument(hostile, stream), true)).toBe(seen);
  });

  test("[PK18] a printed line stays one line, so that a name cannot fake a line", () => {
    for (const isTTY of [true, false])
      expect(printed((stream) => print("a.md\n  b.md", stream), isTTY)).toBe("a.md␊  b.md\n");
  });

  test("[PK30] a printed line controls no terminal that shows a program's output", () => {
    const seen = "a␛]0;gone␇␛[2J␛[8mb␍<9b>1A␡\tc␍␊d\u202e";
    expect(printed((stream) => print(hostile, stream), false)).toBe(`${seen}\n`);
  });

  test("[PK20] has only the command line’s own colours", () => {
    const line = (stream: NodeJS.WriteStream) => `\x1b[32mgo${paint("red", "\x1b[32mno\x1b[39m", stream)}`;
    expect(printed((stream) => print(line(stream), stream), true)).toBe(
      "␛[32mgo\x1b[31m␛[32mno␛[39m\x1b[39m\n",
    );
  });

  test("[PK9] JSON on a terminal is valid JSON with escaped control characters", () => {
    const json = printed((stream) => printJson({ hostile }, { indent: 0, stream }), true);
    expect(json).toMatch(/^[\x20-\x7e]*\n$/);
    expect(JSON.parse(json)).toEqual({ hostile });
  });

  test("[PK19] a program gets the exact text", () => {
    expect(printed((stream) => printText(hostile, stream), false)).toBe(`${hostile}\n`);
    expect(printed((stream) => printDocument(hostile, stream), false)).toBe(hostile);
    expect(printed((stream) => printJson(hostile, { stream }), false)).toBe(`${JSON.stringify(hostile)}\n`);
  });
});
