import { type Command, InvalidArgumentError, Option } from "commander";
import { approveShown, versionsShown } from "../../client/approve-shown.ts";
import { filesOf, type ProposalFile } from "../../client/proposal-files.ts";
import type { Params, Result } from "../../protocol/schemas/schemas.ts";
import { proposalIdFrom } from "../connection/ids.ts";
import { type Common, talk } from "../connection/session.ts";
import { givenInput, input, LATEST } from "../documents/edits.ts";
import { collect, refuseBeside } from "../terminal/arguments.ts";
import { paint, paintDiff, print, printJson, printText, remark, whoOf } from "../terminal/output.ts";
import { inCommands } from "../terminal/suggestions.ts";
import { typed } from "../terminal/typed.ts";
import { readJson, withBase } from "./batches.ts";
import { rememberProposals, shownVersions } from "./shown.ts";

type Proposal = Result<"proposal.get">;

interface ApproveOptions extends Common {
  readonly hunks?: number[];
  readonly file?: readonly string[];
  readonly confirm?: string;
}

interface ProposeOptions extends Common {
  readonly create?: string;
  readonly delete?: boolean;
  readonly rename?: string;
  readonly files?: string;
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
    .description("list the changes that wait for approval, with their diffs")
    .argument("[path]", "only proposals for this document")
    .addOption(
      new Option("--status <status>", "only proposals with this status")
        .choices(["pending", "approved", "rejected", "superseded", "expired", "all"])
        .default("pending"),
    )
    .action((path: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { status: Proposal["status"] | "all" }>();
      return talk(options, async ({ client, located, pathOf }) => {
        const { status } = options;
        const { proposals, more } = await client.request("proposal.list", {
          ...(path !== undefined && { path: pathOf(path) }),
          ...(status !== "all" && { status }),
        });
        rememberShown(located.root, proposals);
        if (options.json) return printJson(proposals);
        for (const proposal of proposals) printProposal(proposal);
        if (proposals.length === 0) remark(status === "pending" ? "no proposal waits" : "no such proposal");
        if (more) print(paint("dim", "there are older proposals; name a document to list only its own"));
      });
    });

  program
    .command("approve")
    .description("approve a proposal, or some of its files or hunks; the rest stays pending")
    .argument("<id>", "the proposal's id, from spliced proposals")
    .addOption(
      new Option("--hunks <numbers>", "only these hunks, such as 1,3")
        .argParser(parseNumbers)
        .conflicts("file"),
    )
    .option(
      "--file <path>",
      "only this file, with its hunks if not all: notes.md or notes.md:1,3; repeat it for more files",
      collect,
    )
    .option(
      "--confirm <patch_id>",
      "approve also what drops most of the document; the refusal that asks has this id",
    )
    .action((id: string, _options, command: Command) => {
      const options = command.optsWithGlobals<ApproveOptions>();
      return talk(options, async ({ client, located, pathOf }) => {
        const { hunks, file, confirm } = options;
        const whole = await proposalIdFrom(client, id);
        const approval = {
          id: whole,
          ...(hunks && { hunks }),
          ...(file && { files: file.map((one) => approvedFile(one, pathOf)) }),
          ...(confirm !== undefined && { confirm }),
        };
        const approved = await approveShown(client, approval, shownVersions(located.root, whole));
        if (options.json) return printJson(approved);
        for (const { path, summary } of approved.edits ?? [approved.edit])
          print(`${paint("green", "✓")} ${path}: ${summary}`);
        if (approved.applied_batch !== null)
          print(typed(`undo all of it with: spliced undo --batch ${approved.applied_batch}`));
        if (approved.status === "pending") print(stillPending(approved));
        for (const { id, path, author, status, problem } of approved.obsolete)
          print(paint("yellow", `${id} of ${author} (${path}): ${obsoleteText(status, problem)}`));
      });
    });

  program
    .command("reject")
    .description("reject a proposal, or withdraw your own; the document stays as it is")
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
        else print(`${paint("green", rejected.withdrawn ? "withdrew" : "rejected")} ${rejected.id}`);
      });
    });
}

/** The options of `propose` that name the kind of change, of which there is one. */
const KINDS = ["append", "patch", "write", "create", "delete", "rename", "files"];

function kind(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.conflicts(KINDS.filter((name) => name !== option.attributeName()));
}

function proposeCommand(program: Command): void {
  program
    .command("propose")
    .description("propose changes that another agent or a person approves or rejects")
    .argument("[path]", "the document")
    .argument("[old]", "the text to replace, exactly as it is in the document; its first match counts")
    .argument("[new]", "the new text")
    .addOption(kind("--append <text>", "propose lines at the end instead"))
    .addOption(kind("--patch <file>", "propose a unified diff instead; - reads standard input"))
    .addOption(kind("--write <file>", "propose a whole new text instead; - reads standard input"))
    .addOption(kind("--create <file>", "propose a new document with this text; - reads standard input"))
    .addOption(kind("--delete", "propose to delete the document"))
    .addOption(kind("--rename <to>", "propose to move the document"))
    .addOption(
      kind(
        "--files <file>",
        "propose changes of several files, which this JSON lists; - reads standard input",
      ),
    )
    .option("-r, --reasoning <why>", "the reason, for the reviewer")
    .addOption(new Option("--confidence <level>", "how sure you are").choices(["low", "medium", "high"]))
    .option("--base <version>", "the version that you read")
    .addHelpText(
      "after",
      `
docs/protocol.md describes the files under proposal.create. Examples:
  $ spliced propose notes.md "Monday" "Tuesday" --reasoning "meeting moved"
  $ echo '[{"path":"a.md","operation":"delete"},{"path":"b.md","operation":"rename","to":"c.md"}]' | spliced propose --files -`,
    )
    .action(
      (
        path: string | undefined,
        old: string | undefined,
        updated: string | undefined,
        _options,
        command: Command,
      ) => {
        const options = command.optsWithGlobals<ProposeOptions>();
        refuseBeside(command, "<path>", path, ["files"]);
        refuseBeside(command, "<old>", old, KINDS);
        if (path === undefined && options.files === undefined)
          command.error("error: give <path>, or --files");
        return talk(
          options,
          async ({ client, located, pathOf }) => {
            const { reasoning, confidence } = options;
            const asked =
              proposedFiles(options, path && pathOf(path), pathOf) ?? editOf(options, old, updated);
            if (asked === undefined)
              command.error(
                "error: give <old> and <new>, or one of --append, --patch, --write, --create, --delete, --rename and --files",
              );
            const proposal = await client.request("proposal.create", {
              ...("files" in asked
                ? asked
                : { path: pathOf(path!), ...asked, version: options.base ?? LATEST }),
              ...(reasoning !== undefined && { reasoning }),
              ...(confidence !== undefined && { confidence }),
            });
            rememberShown(located.root, [proposal]);
            if (options.json) printJson(proposal);
            else printProposal(proposal);
          },
          options.files === undefined ? "options" : "json",
        );
      },
    );
}

/** Returns the proposed changes of files; undefined for an edit of one. */
function proposedFiles(
  { create, delete: isDeleted, rename, files, base }: ProposeOptions,
  path: string | undefined,
  pathOf: (path: string) => string,
): Pick<Params<"proposal.create">, "files"> | undefined {
  if (files !== undefined) {
    const listed = readJson<NonNullable<Params<"proposal.create">["files"]>>(files);
    return { files: Array.isArray(listed) ? listed.map(withBase) : listed };
  }
  const at = { path: path!, ...(base !== undefined && { version: base }) };
  if (create !== undefined) return { files: [{ path: path!, operation: "create", text: input(create) }] };
  if (isDeleted) return { files: [{ ...at, operation: "delete" }] };
  return rename === undefined ? undefined : { files: [{ ...at, operation: "rename", to: pathOf(rename) }] };
}

/** Returns a file with its hunks, as `--file` names it. */
function approvedFile(
  given: string,
  pathOf: (path: string) => string,
): NonNullable<Params<"proposal.approve">["files"]>[number] {
  const [, path, hunks] = /^(.+):([1-9]\d*(?:,[1-9]\d*)*)$/.exec(given) ?? [];
  if (path === undefined || hunks === undefined) return { path: pathOf(given) };
  return { path: pathOf(path), hunks: parseNumbers(hunks) };
}

/** Remembers proposals whose hunks the command shows. */
function rememberShown(root: string, proposals: readonly Proposal[]): void {
  const pending = proposals.filter(({ status }) => status === "pending");
  rememberProposals(
    root,
    pending.map((proposal) => ({ id: proposal.id, versions: versionsShown(proposal) })),
  );
}

function stillPending(proposal: Proposal): string {
  const open = filesOf(proposal).filter(({ status }) => status === "pending");
  const [only] = open;
  const hunks = open.length === 1 ? only!.hunks.length : 0;
  const [count, noun] = hunks > 0 ? [hunks, "hunk"] : [open.length, "file"];
  return count === 1
    ? `1 ${noun} of ${proposal.id} is still pending`
    : `${count} ${noun}s of ${proposal.id} are still pending`;
}

function obsoleteText(status: Proposal["status"], problem: string | null): string {
  if (status !== "pending") return status;
  return problem === null ? "conflicts with the text now" : inCommands(problem);
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
  if (patch !== undefined) return { operation: "patch", patch: givenInput(patch) };
  if (write !== undefined) return { operation: "full_replace", proposed_value: input(write) };
  return { operation: "replace", old_content: old, proposed_value: updated };
}

function printProposal(proposal: Proposal): void {
  const { id, path, author, machine, reasoning, confidence, status, reviewer, reason } = proposal;
  const by = reviewer === null ? "" : ` by ${reviewer}`;
  const files = filesOf(proposal);
  const where = files.length === 1 ? path : `${files.length} files`;
  print(`${paint("bold", id)} ${where}  ${paint("cyan", whoOf({ author, machine }))}  ${status}${by}`);
  print(paint("dim", `  ${reasoning} (confidence: ${confidence})`));
  if (reason !== null) print(`  ${reason}`);
  for (const file of files) {
    if (files.length > 1) print(`${paint("bold", file.path)}  ${file.operation}  ${file.status}`);
    printFile(file);
  }
  print("");
}

function printFile({ diff, hunks, conflicts, problem }: ProposalFile): void {
  if (hunks.length === 0) printText(paintDiff(diff));
  else for (const hunk of hunks) printText(`${paint("dim", `hunk ${hunk.number}`)}\n${paintDiff(hunk.diff)}`);
  for (const { lines, now } of conflicts)
    print(paint("yellow", `  later edits changed lines ${lines[0]}-${lines[1]} to ${JSON.stringify(now)}`));
  if (problem !== null) print(paint("yellow", `  ${inCommands(problem)}`));
}

function parseNumbers(given: string): number[] {
  if (/^[1-9]\d*(,[1-9]\d*)*$/.test(given)) return given.split(",").map(Number);
  throw new InvalidArgumentError("Give numbers from 1, such as 1,3.");
}
