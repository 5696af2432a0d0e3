import { afterEach, expect, test, vi } from "vitest";
import { MODULES } from "../../src/cli/commands.ts";
import { NAMES, typed } from "../../src/cli/terminal/typed.ts";

afterEach(() => vi.unstubAllEnvs());

/** Sets the variables that npm sets for a program: of npm 10, and of npm 11. */
function startedBy(command: string, script: string): void {
  vi.stubEnv("npm_command", command);
  vi.stubEnv("npm_lifecycle_script", script);
}

test.each(["spliced", "'spliced'", "spliced start"])("[TM88] hints have npx where npx ran %s", (script) => {
  startedBy("exec", script);
  expect(typed("start one with: spliced start\nsee: spliced --help")).toBe(
    "start one with: npx spliced start\nsee: npx spliced --help",
  );
  for (const text of ["spliced cannot serve /a", "npx spliced ls", "spliced mcp: ready", "my-spliced.ts"])
    expect(typed(text)).toBe(text);
});

test.each([
  ["exec", "'claude'"],
  ["exec", "vitest"],
  ["run-script", "spliced start"],
])("[TM88] hints have no npx in what npm %s started as %s", (command, script) => {
  startedBy(command, script);
  expect(typed("see: spliced log")).toBe("see: spliced log");
});

test("[TM88] every command is known", () => {
  const names = MODULES.flatMap((module) => module.names);
  expect(names.filter((name) => name !== "__list")).toEqual(NAMES);
});
