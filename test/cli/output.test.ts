import { describe, expect, test, vi } from "vitest";
import { paint, print } from "../../src/cli/output.ts";

/** What is written to a stream that is a terminal, or is none. */
function printed(line: (stream: NodeJS.WriteStream) => string, isTTY: boolean): string {
  let written = "";
  const stream = { isTTY, write: (text: string) => (written += text) } as unknown as NodeJS.WriteStream;
  print(line(stream), stream);
  return written;
}

describe("what is printed", () => {
  const hostile = "a\x1b]0;gone\x07\x1b[2J\x1b[8mb\r\x9b1A\x7f\tc\r\nd";

  test("[PK9] moves no terminal, whoever wrote it", () => {
    expect(printed(() => hostile, true)).toBe("a␛]0;gone␇␛[2J␛[8mb␍<9b>1A␡\tc\r\nd\n");
  });

  test("[PK9] keeps our own colours there", () => {
    vi.stubEnv("NO_COLOR", "");
    expect(printed((stream) => paint("red", "no\x1b[0m", stream), true)).toBe("\x1b[31mno␛[0m\x1b[39m\n");
  });

  test("[PK9] is as it is for a program", () => {
    expect(printed(() => hostile, false)).toBe(`${hostile}\n`);
  });
});
