import { type Command, InvalidArgumentError, Option } from "commander";
import type { Params, Result } from "../protocol/schemas.ts";
import { input } from "./edits.ts";
import { paint, paintDiff, print, printJson, printText } from "./output.ts";
import { type Common, talk } from "./session.ts";

type Shown = Result<"proposal.get">;

interface ProposeOptions extends Common {
  readonly append?: string;
  readonly patch?: string;
  readonly write?: string;
  readonly reasoning?: string;
  readonly confidence?: "low" | "medium" | "high";
  readonly base?: string;
}

/** Commands about edits that wait for approval. */
export function proposalCommands(program: Command): void {
  proposeCommand(program);

  program
    .command("proposals")
    .description("list the edits that wait for approval, with what they would change")
    .argument("[path]", "only those of one document")
    .addOption(
      new Option("--status <status>", "those in another status, or all")
        .choices(["pending", "approved", "rejected", "superseded", "expired", "all"])
        .default("pending"),
    )
    .action((path: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { status: Shown["status"] | "all" }>();
      return talk(options, async ({ client, pathOf }) => {
        const { status } = options;
        const { proposals, more } = await client.request("proposal.list", {
          ...(path !== undefined && { path: pathOf(path) }),
          ...(status !== "all" && { status }),
        });
        if (options.json) return printJson(proposals);
        for (const proposal of proposals) show(proposal);
        if (more) print(paint("dim", "there are older ones; name a document to see its own"));
      });
    });

  program
    .command("approve")
    .description("make a proposed edit; of some hunks only, the rest stays pending")
    .argument("<id>", "as spliced proposals tells it")
    .option("--hunks <numbers>", "which hunks, as 1,3; all without it", parseNumbers)
    .action((id: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { hunks?: number[] }>();
      return talk(options, async ({ client }) => {
        const { hunks } = options;
        const approved = await client.request("proposal.approve", { id, ...(hunks && { hunks }) });
        if (options.json) return printJson(approved);
        print(`${paint("green", "✓")} ${approved.path}: ${approved.edit.summary}`);
        if (approved.status === "pending") print(`${approved.hunks.length} hunks of ${id} are left`);
      });
    });

  program
    .command("reject")
    .description("close a proposed edit without making it")
    .argument("<id>", "as spliced proposals tells it")
    .argument("[reason]", "why, for who proposed it")
    .action((id: string, reason: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      return talk(options, async ({ client }) => {
        const rejected = await client.request("proposal.reject", {
          id,
          ...(reason !== undefined && { reason }),
        });
        if (options.json) printJson(rejected);
        else print(`${paint("green", "rejected")} ${id}`);
      });
    });
}

function proposeCommand(program: Command): void {
  program
    .command("propose")
    .description("propose an edit, for somebody to approve or reject")
    .argument("<path>")
    .argument("[old]", "the text to replace, exactly as it stands; its first occurrence is meant")
    .argument("[new]", "what takes its place")
    .option("--append <text>", "add lines at the end instead")
    .option("--patch <file>", "a unified diff instead; - is standard input")
    .option("--write <file>", "the whole new text instead; - is standard input")
    .option("-r, --reasoning <why>", "why, for who reviews it")
    .addOption(new Option("--confidence <how>", "how sure you are").choices(["low", "medium", "high"]))
    .option("--base <version>", "the version that you saw")
    .addHelpText(
      "after",
      '\nExample:\n  $ spliced propose notes.md "Monday" "Tuesday" --reasoning "meeting moved"',
    )
    .action(
      (path: string, old: string | undefined, updated: string | undefined, _options, command: Command) => {
        const options = command.optsWithGlobals<ProposeOptions>();
        const wish = wishOf(options, old, updated);
        if (wish === undefined)
          command.error("error: give <old> and <new>, or one of --append, --patch and --write");
        return talk(options, async ({ client, pathOf }) => {
          const { reasoning, confidence, base } = options;
          const proposal = await client.request("proposal.create", {
            path: pathOf(path),
            ...wish!,
            ...(reasoning !== undefined && { reasoning }),
            ...(confidence !== undefined && { confidence }),
            ...(base !== undefined && { version: base }),
          });
          if (options.json) printJson(proposal);
          else show(proposal);
        });
      },
    );
}

/** Undefined unless exactly one kind of edit was asked for. */
function wishOf(
  { append, patch, write }: ProposeOptions,
  old: string | undefined,
  updated: string | undefined,
): Omit<Params<"proposal.create">, "path"> | undefined {
  const given = [old, append, patch, write].filter((part) => part !== undefined).length;
  if (given !== 1 || (old === undefined) !== (updated === undefined)) return undefined;
  if (append !== undefined) return { operation: "append", proposed_value: append };
  if (patch !== undefined) return { operation: "patch", patch: input(patch) };
  if (write !== undefined) return { operation: "full_replace", proposed_value: input(write) };
  return { operation: "replace", old_content: old, proposed_value: updated };
}

function show(proposal: Shown): void {
  const { id, path, author, reasoning, confidence, status, reviewer, reason, hunks, conflicts } = proposal;
  const by = reviewer === null ? "" : ` by ${reviewer}`;
  print(`${paint("bold", id)} ${path}  ${paint("cyan", author)}  ${status}${by}`);
  print(paint("dim", `  ${reasoning} (confidence: ${confidence})`));
  if (reason !== null) print(`  ${reason}`);
  if (hunks.length === 0) printText(paintDiff(proposal.diff));
  else for (const hunk of hunks) printText(`${paint("dim", `hunk ${hunk.number}`)}\n${paintDiff(hunk.diff)}`);
  for (const { lines, now } of conflicts)
    print(
      paint("yellow", `  later edits changed lines ${lines[0]}-${lines[1]}, too: ${JSON.stringify(now)}`),
    );
  if (proposal.problem !== null) print(paint("yellow", `  ${proposal.problem}`));
  print("");
}

function parseNumbers(given: string): number[] {
  if (/^[1-9]\d*(,[1-9]\d*)*$/.test(given)) return given.split(",").map(Number);
  throw new InvalidArgumentError("numbers from 1, as 1,3.");
}
