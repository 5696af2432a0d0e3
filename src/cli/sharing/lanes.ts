import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { type Common, talk } from "../connection/session.ts";
import { paint, print, printJson } from "../terminal/output.ts";
import { typed } from "../terminal/typed.ts";

type Lane = Result<"lane.add">;

interface AddOptions extends Common {
  readonly at?: string;
  readonly token?: string;
  readonly propose?: boolean;
}

/** Adds the commands that make, list and remove lanes. */
export function laneCommands(program: Command): void {
  const lane = program
    .command("lane")
    .description("make, list and remove lanes: live folders of the workspace, each for one agent")
    .addHelpText("after", HELP);

  lane
    .command("add")
    .description("make a lane, and print its folder")
    .argument("<name>", "the name of the lane, and of the author of its writes")
    .option("--propose", "make proposals of all writes, for a person to approve")
    .option("--at <folder>", "an empty or new folder (default: ../<workspace>.lanes/<name>)")
    .option("--token <name>", "the token whose rules apply (default: the owner's, which allows everything)")
    .addHelpText("after", HELP)
    .action((name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const { at, token, propose = false, json } = options;
      return talk(options, async ({ client }) => {
        const made = await client.request("lane.add", {
          name,
          propose,
          ...(at !== undefined && { folder: resolve(at) }),
          ...(token !== undefined && { token }),
        });
        if (json) printJson(made);
        else print(`${paint("green", "added")} ${made.folder}  ${made.files} files`);
      });
    });

  lane
    .command("ls")
    .alias("list")
    .description("list the lanes, and the files whose text the workspace does not have")
    .action((_options, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      return talk(options, async ({ client }) => {
        const { lanes } = await client.request("lane.list", {});
        if (options.json) printJson(lanes);
        else if (lanes.length === 0) print(typed("no lanes; make one with: spliced lane add <name>"));
        else for (const one of lanes) printLane(one);
      });
    });

  lane
    .command("rm")
    .aliases(["remove", "revoke"])
    .description("remove a lane and its folder, unless only the lane has some text")
    .argument("<name>", "the lane")
    .option("--force", "remove the lane and the text that only it has; a pending proposal stays")
    .addHelpText("after", HELP)
    .action((name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { readonly force?: boolean }>();
      const { force = false, json } = options;
      return talk(options, async ({ client }) => {
        if (!force && !json) await showWaiting(client, name);
        const removed = await client.request("lane.remove", { name, force });
        if (json) return printJson(removed);
        const { folder, problem } = removed;
        // In a copied workspace, the lane of the same name is the first workspace's.
        const why = problem ?? "the folder stays, since it is not this workspace's";
        const what = existsSync(folder) ? `lane ${name}; ${why}: ${folder}` : folder;
        print(`${paint("red", "removed")} ${what}`);
      });
    });
}

/** The most waiting files of a lane that are shown: thousands of lines would hide the other lanes. */
const MOST_SHOWN = 20;

const HELP = `
A lane is a second folder of the same workspace, for one agent. The agent works there with any tool and any shell
command. The daemon merges its writes into the workspace at once, in its name, and the lane shows the writes of others.
Ignored files and folders, such as node_modules, are links to the workspace's. With git, a lane is a worktree.

With --propose, the lane's writes wait as one proposal, and the lane shows its own text until somebody reviews it.

Commands of spliced work in a lane as in the workspace.

Examples:
  $ spliced lane add claude && cd ../notes.lanes/claude && claude
  $ spliced lane add codex --propose
  $ spliced token add bot --allow "docs/**=write" && spliced lane add bot --token bot
  $ spliced agent claude --lane                         answer threads from a lane
  $ spliced lane ls
  $ spliced lane rm claude`;

/** Prints the files and the commit that would be lost with a lane. */
async function showWaiting(
  client: { request(method: "lane.list", params: object): Promise<Result<"lane.list">> },
  name: string,
): Promise<void> {
  const { lanes } = await client.request("lane.list", {});
  const lane = lanes.find((one) => one.name === name);
  if (lane !== undefined && (lane.waiting.length > 0 || lane.commit !== null)) printLane(lane);
}

function printLane(lane: Lane): void {
  for (const line of laneLines(lane)) print(line);
}

/** Returns the lines that show a lane. */
export function laneLines(lane: Lane): string[] {
  const { name, folder, token, propose, files, waiting, proposal, commit, problem } = lane;
  const kind = propose ? "proposes" : "live";
  const lines = [`${paint("bold", name)}  ${folder}  ${files} files  ${kind}, as ${token}`];
  if (problem !== null) lines.push(`    ${paint("red", problem)}`);
  if (commit !== null)
    lines.push(
      `    ${paint("yellow", commit.slice(0, 12))} is at the end of no branch; see: git branch --contains ${commit.slice(0, 12)}`,
    );
  for (const { path, status, deleted, why } of waiting.slice(0, MOST_SHOWN)) {
    const what = deleted ? `${status}, deleted` : status;
    lines.push(`    ${paint("yellow", what.padEnd(18))} ${path}${why === null ? "" : `  ${why}`}`);
  }
  const more = waiting.length - MOST_SHOWN;
  if (more > 0) lines.push(typed(`    and ${more} more files; see: spliced lane ls --json`));
  if (proposal !== null) lines.push(typed(`    ${proposal} waits; see: spliced proposals`));
  return lines;
}
