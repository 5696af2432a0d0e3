import { type Command, Option } from "commander";
import type { BriefClient } from "../../client/brief.ts";
import type { Params, Result } from "../../protocol/schemas/schemas.ts";
import { batchIdFrom, changeIdFrom, sessionFrom } from "../connection/ids.ts";
import { talk } from "../connection/session.ts";
import { type EditOptions, reasoned, reasonIn, report } from "../documents/edits.ts";
import { parseTime, refuseBeside } from "../terminal/arguments.ts";
import { CommandError, EXIT, paint, paintDiff, print, printJson, printText } from "../terminal/output.ts";
import { changeLine, NEWEST } from "./change-line.ts";

interface UndoOptions extends EditOptions {
  readonly batch?: string;
  readonly by?: string;
  readonly in?: string;
  readonly since?: Date;
  readonly session?: string;
  readonly dryRun?: boolean;
}

/** Adds `undo` or `redo`. */
export function undoCommand(program: Command, name: "undo" | "redo", description: string): void {
  const command = program
    .command(name)
    .description(description)
    .argument("[change]", "the id of the change, from spliced history or spliced watch")
    .addOption(
      new Option("--batch <id>", "all changes of this batch").conflicts(["by", "in", "since", "session"]),
    )
    .option("--by <agent>", "the newest change of this agent; disk means saves to the files")
    .option("--in <path>", "the newest change of this document");
  if (name === "undo")
    command
      .option("--since <time>", "everything since then: 14:00, 10m, 2h, 3d, or a date and time", parseTime)
      .option("--session <session>", "everything of this session; spliced history shows the first characters")
      .option("--dry-run", "show the changes that --since or --session would undo, and change nothing")
      .addHelpText("after", UNDO_HELP);
  reasoned(command)
    .option("--durable", "return once the edit is stored, before its file is written")
    .action((changeId: string | undefined, _options, command: Command) => {
      refuseBeside(command, "<change>", changeId, ["batch", "by", "in", "since", "session"]);
      return undo(name, changeId, command.optsWithGlobals<UndoOptions>());
    });
}

const UNDO_HELP = `
With --since or --session, --agent names the agent whose changes are undone; without it they are yours. The changes
are undone together or not at all, and so are new, deleted and moved files. Later changes of others stay.

Examples:
  $ spliced undo --agent codex --since 2h --dry-run
  $ spliced undo --agent claude --session 5f0c2a71`;

function undo(name: "undo" | "redo", changeId: string | undefined, options: UndoOptions): Promise<void> {
  const { since, session, dryRun = false } = options;
  const isSpan = since !== undefined || session !== undefined;
  if (dryRun && !isSpan)
    throw new CommandError(
      EXIT.usage,
      "--dry-run needs --since or --session",
      "spliced history -p shows a change",
    );
  const agent = options.by ?? (isSpan ? options.agent : undefined);
  const { agent: _, ...rest } = options;
  // --agent names the agent whose changes are undone here, and not the author of the undo.
  return talk(isSpan ? rest : options, async ({ client, pathOf }) => {
    const params: Params<"undo"> = {
      ack: options.durable ? "durable" : "mirrored",
      ...(changeId !== undefined && { changeId: await changeIdFrom(client, changeId) }),
      ...(options.batch !== undefined && { batchId: await batchIdFrom(client, options.batch) }),
      ...(agent !== undefined && { agent }),
      ...(since !== undefined && { since: since.toISOString() }),
      ...(session !== undefined && { session: await sessionFrom(client, session) }),
      ...(options.in !== undefined && { path: pathOf(options.in) }),
      ...reasonIn(options),
    };
    if (dryRun) return showUndo(await client.request("preview.create", { method: "undo", params }), options);
    const done = await client.request(name, params);
    if (options.json) return printJson(done);
    for (const one of done.files ?? [done]) {
      report(one, options);
      await reportUndone(client, name, one);
    }
  });
}

/**
 * Prints the change that was undone or redone, if the history has it among the newest ones. A redo reverses an undo, and
 * the change of that undo is redone.
 */
async function reportUndone(
  client: BriefClient,
  name: "undo" | "redo",
  { path, changeId }: { readonly path: string; readonly changeId: string | null },
): Promise<void> {
  const { changes } = await client.request("history.list", { path, limit: NEWEST });
  const named = (id: string | null | undefined) => changes.find((change) => change.changeId === id);
  const reversed = named(named(changeId)?.undoes);
  const change = name === "undo" ? reversed : named(reversed?.undoes);
  if (change !== undefined)
    print(`  ${name === "undo" ? "undid" : "redid"} ${changeLine({ ...change, undone: false })}`);
}

function showUndo(preview: Result<"preview.create">, { json }: UndoOptions): void {
  if (json) {
    printJson(preview);
    return;
  }
  for (const { path, diff, warnings } of preview.files) {
    print(`${paint("bold", path)}${warnings.length > 0 ? `: ${warnings.join("; ")}` : ""}`);
    if (diff !== "") printText(paintDiff(diff));
  }
  print("nothing was changed; without --dry-run this is undone");
}
