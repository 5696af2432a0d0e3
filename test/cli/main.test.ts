import { afterEach, expect, test, vi } from "vitest";
import { main } from "../../src/cli/main.ts";

afterEach(() => void vi.restoreAllMocks());

/** Returns what the words print on standard output, and their exit code. */
async function run(...argv: string[]): Promise<{ readonly out: string; readonly code: number }> {
  const printed: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(String(text)) > 0);
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  const code = await main(argv, "0");
  return { out: printed.join(""), code };
}

test.each([
  [[], "spliced"],
  [["lane"], "spliced lane"],
  [["token"], "spliced token"],
  [["checkpoint"], "spliced checkpoint"],
])(
  "[TM82] words that name no command are an error of usage, with --json as JSON: %j",
  async (argv, place) => {
    expect(await run(...argv)).toEqual({ out: "", code: 2 });
    const { out, code } = await run("--json", ...argv);
    expect(code).toBe(2);
    expect(out).toBe(
      `${JSON.stringify({ error: { code: "USAGE", message: `no command is named; see: ${place} --help` } }, null, 2)}\n`,
    );
  },
);

test("[TM90] --json and --version print JSON in either order, and --help prints text", async () => {
  const json = { out: '{\n  "version": "0"\n}\n', code: 0 };
  for (const argv of [
    ["--json", "--version"],
    ["--version", "--json"],
    ["-V", "--json"],
  ])
    expect(await run(...argv), argv.join(" ")).toEqual(json);
  expect(await run("--version")).toEqual({ out: "0\n", code: 0 });
  for (const argv of [
    ["--json", "--help"],
    ["ls", "--json", "--help"],
  ])
    expect((await run(...argv)).out, argv.join(" ")).toMatch(/^Usage: spliced/);
});

test("[TM87] a search for an empty text asks no daemon", async () => {
  expect((await run("search", "")).code).toBe(2);
});
