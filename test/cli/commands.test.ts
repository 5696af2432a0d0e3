import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { addCommands, MODULES } from "../../src/cli/commands.ts";

const ALL = MODULES.flatMap(({ names }) => names);

async function added(...argv: string[]): Promise<string[]> {
  const program = new Command("spliced");
  await addCommands(program, argv);
  return program.commands.map((command) => command.name());
}

describe("the commands that a command line loads", () => {
  test.each(MODULES)("[PK36] $names", async ({ names, load }) => {
    const program = new Command("spliced");
    (await load())(program);
    expect(program.commands.map((command) => command.name()).toSorted()).toEqual(names.toSorted());
  });

  test("[PK36] those beside the first word", async () => {
    expect(await added("cat", "a.md")).toEqual(["ls", "cat", "diff"]);
    expect(await added("--version")).toEqual([]);
  });

  test.each([
    [[]],
    [["--help"]],
    [["help", "cat"]],
    [["--agent", "cat", "mv"]],
    [["completion", "bash"]],
    [["cta"]],
  ])("[PK36] all for %j", async (argv) => expect((await added(...argv)).toSorted()).toEqual(ALL.toSorted()));
});
