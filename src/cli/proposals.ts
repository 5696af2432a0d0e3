import { type Command, InvalidArgumentError, Option } from "commander";
import type { Params, Result } from "../protocol/schemas.ts";
import { input, LATEST } from "./edits.ts";
import { proposalIdFrom } from "./ids.ts";
import { paint, paintDiff, print, printJson, printText } from "./output.ts";
import { type Common, talk } from "./session.ts";
import { inCommands } from "./suggestions.ts";

type Proposal = Result<"proposal.get">;

interface ProposeOptions extends Common {
  readonly append?: string;
  readonly patch?: string;
  readonly write?: string;
  readonly reasoning?: string;
  readonly confidence?: "low" | "medium" | "high";
  readonly base?: string;
}

/** Adds the commands about edits that wait for approval. */
export function proposalCommands(program: Command): void {
  proposeCommand(program);

  program
    .command("proposals")
    .description("list the edits that wait for approval, with their diffs")
    .argument("[path]", "only proposals for this document")
    .addOption(
      new Option("--status <status>", "only proposals with this status")
        .choices(["pending", "approved", "rejected", "superseded", "expired", "all"])
        .default("pending"),
    )
    .action((path: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { status: Proposal["status"] | "all" }>();
      return talk(options, async ({ client, pathOf }) => {
        const { status } = options;
        const { proposals, more } = await client.request("proposal.list", {
          ...(path !== undefined && { path: pathOf(path) }),
          ...(status !== "all" && { status }),
        });
        if (options.json) return printJson(proposals);
        for (const proposal of proposals) printProposal(proposal);
        if (more) print(paint("dim", "there are older proposals; name a document to list only its own"));
      });
    });

  program
    .command("approve")
    .description("approve a proposal, or some of its hunks; the other hunks stay pending")
    .argument("<id>", "the proposal's id, from spliced proposals")
    .option("--hunks <numbers>", "only these hunks, such as 1,3", parseNumbers)
    .option("--confirm <patch_id>", "drop most of the document, as the refusal of an approval shows it")
    .action((id: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { hunks?: number[]; confirm?: string }>();
      return talk(options, async ({ client }) => {
        const { hunks, confirm } = options;
        const approved = await client.request("proposal.approve", {
          id: await proposalIdFrom(client, id),
          ...(hunks && { hunks }),
          ...(confirm !== undefined && { confirm }),
        });
        if (options.json) return printJson(approved);
        print(`${paint("green", "✓")} ${approved.path}: ${approved.edit.summary}`);
        if (approved.status === "pending")
          print(`${approved.hunks.length} hunks of ${approved.id} are still pending`);
      });
    });

  program
    .command("reject")
    .description("reject a proposal; the document stays as it is")
    .argument("<id>", "the proposal's id, from spliced proposals")
    .argument("[reason]", "the reason, for the author of the proposal")
    .action((id: string, reason: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      return talk(options, async ({ client }) => {
        const rejected = await client.request("proposal.reject", {
          id: await proposalIdFrom(client, id),
          ...(reason !== undefined && { reason }),
        });
        if (options.json) printJson(rejected);
        else print(`${paint("green", "rejected")} ${rejected.id}`);
      });
    });
}

function proposeCommand(program: Command): void {
  program
    .command("propose")
    .description("propose an edit that another agent or a person approves or rejects")
    .argument("<path>", "the document")
    .argument("[old]", "the text to replace, exactly as it is in the document; its first match counts")
    .argument("[new]", "the new text")
    .option("--append <text>", "propose lines at the end instead")
    .option("--patch <file>", "propose a unified diff instead; - reads standard input")
    .option("--write <file>", "propose a whole new text instead; - reads standard input")
    .option("-r, --reasoning <why>", "the reason, for the reviewer")
    .addOption(new Option("--confidence <level>", "how sure you are").choices(["low", "medium", "high"]))
    .option("--base <version>", "the version that you read")
    .addHelpText(
      "after",
      '\nExample:\n  $ spliced propose notes.md "Monday" "Tuesday" --reasoning "meeting moved"',
    )
    .action(
      (path: string, old: string | undefined, updated: string | undefined, _options, command: Command) => {
        const options = command.optsWithGlobals<ProposeOptions>();
        const edit = editOf(options, old, updated);
        if (edit === undefined)
          command.error("error: give <old> and <new>, or one of --append, --patch and --write");
        return talk(options, async ({ client, pathOf }) => {
          const { reasoning, confidence, base } = options;
          const proposal = await client.request("proposal.create", {
            path: pathOf(path),
            ...edit!,
            ...(reasoning !== undefined && { reasoning }),
            ...(confidence !== undefined && { confidence }),
            version: base ?? LATEST,
          });
          if (options.json) printJson(proposal);
          else printProposal(proposal);
        });
      },
    );
}

/** Returns the proposed edit; undefined unless the options name exactly one kind of edit. */
function editOf(
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

function printProposal(proposal: Proposal): void {
  const { id, path, author, reasoning, confidence, status, reviewer, reason, hunks, conflicts } = proposal;
  const by = reviewer === null ? "" : ` by ${reviewer}`;
  print(`${paint("bold", id)} ${path}  ${paint("cyan", author)}  ${status}${by}`);
  print(paint("dim", `  ${reasoning} (confidence: ${confidence})`));
  if (reason !== null) print(`  ${reason}`);
  if (hunks.length === 0) printText(paintDiff(proposal.diff));
  else for (const hunk of hunks) printText(`${paint("dim", `hunk ${hunk.number}`)}\n${paintDiff(hunk.diff)}`);
  for (const { lines, now } of conflicts)
    print(paint("yellow", `  later edits changed lines ${lines[0]}-${lines[1]} to ${JSON.stringify(now)}`));
  if (proposal.problem !== null) print(paint("yellow", `  ${inCommands(proposal.problem)}`));
  print("");
}

function parseNumbers(given: string): number[] {
  if (/^[1-9]\d*(,[1-9]\d*)*$/.test(given)) return given.split(",").map(Number);
  throw new InvalidArgumentError("Give numbers from 1, such as 1,3.");
}
