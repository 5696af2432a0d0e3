import type { Command } from "commander";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { type Common, talk } from "../connection/session.ts";
import { parseTime } from "../terminal/arguments.ts";
import { agrees } from "../terminal/ask.ts";
import { CommandError, EXIT, paint, print, printJson } from "../terminal/output.ts";
import { localTime } from "../terminal/times.ts";

interface PruneOptions extends Common {
  readonly older: Date;
  readonly yes?: boolean;
}

/** Adds `prune`, which drops old history. */
export function pruneCommand(program: Command): void {
  program
    .command("prune")
    .description("drop old history, after showing how much; the files and the newest versions stay")
    .requiredOption("--older <time>", "drop changes older than this: 30d, or a date", parseTime)
    .option("-y, --yes", "do not ask")
    .addHelpText("after", HELP)
    .action((_options, command: Command) => prune(command.optsWithGlobals<PruneOptions>()));
}

const HELP = `
The daemon can no longer undo or show dropped changes. It preserves changes that checkpoints and proposals need. The
setting keepHistoryDays does the same by itself. The daemon uses the freed space for new history. Its file becomes
smaller when the daemon stops or restarts, if at least half of the file is free.

Example:
  $ spliced prune --older 90d`;

function prune({ older, yes, ...options }: PruneOptions): Promise<void> {
  const before = older.toISOString();
  return talk(options, async ({ client }) => {
    const would = await client.request("history.prune", { before, dryRun: true });
    if (would.changes === 0) {
      if (options.json) return printJson({ ...would, dropped: false });
      return print(`there is no history before ${localTime(before)} to drop`);
    }
    if (!options.json) print(`this drops ${described(would)}, all before ${localTime(before)}`);
    if (!yes && !(await agrees("Drop them?")))
      throw new CommandError(
        EXIT.refused,
        "no history was dropped",
        "add --yes to drop it without a question",
      );
    const done = await client.request("history.prune", { before });
    if (options.json) return printJson({ ...done, dropped: true });
    print(`${paint("green", "dropped")} ${described(done)}`);
    if (done.kept > 0)
      print(`${done.kept} documents keep theirs: they are in use, or their file is not there`);
  });
}

function described({ changes, documents, bytes }: Result<"history.prune">): string {
  return `${changes} changes of ${documents} documents (about ${Math.ceil(bytes / 1000)} kB)`;
}
