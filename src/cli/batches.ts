import type { Command } from "commander";
import type { Params, Result } from "../protocol/schemas.ts";
import { input, LATEST, report } from "./edits.ts";
import { CommandError, EXIT, paint, paintDiff, print, printJson, printText } from "./output.ts";
import { type Common, talk } from "./session.ts";
import { inCommands } from "./suggestions.ts";

/** Adds `batch`, which changes several documents at once, and `preview`, which shows a change before it is made. */
export function batchCommands(program: Command): void {
  program
    .command("batch")
    .description("change several documents, all of them or none")
    .argument("[file]", "a file with the changes in JSON (default: standard input)")
    .addHelpText("after", BATCH_HELP)
    .action((file: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      const request = readJson<Params<"batch.apply">>(file);
      return talk(options, async ({ client }) => {
        const answer = await client.request("batch.apply", withBases(request));
        if (options.json) printJson(answer);
        else if (answer.result !== undefined) printBatch(answer.result);
        if (!answer.successful) throw batchError(answer.errors);
      });
    });

  program
    .command("preview")
    .description("show what an edit or a batch would change, and apply exactly that")
    .argument("<method>", "edit.replace, edit.patch, … or batch.apply; with --apply, the patch_id")
    .argument("[file]", "its parameters in JSON (default: standard input); with --apply, the base_hash")
    .option("--apply", "apply a preview")
    .option("--confirm", "with --apply: you checked the places that the preview warns about")
    .addHelpText("after", PREVIEW_HELP)
    .action((first: string, second: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { apply?: boolean; confirm?: boolean }>();
      if (!options.apply) return showPreview(options, first as Params<"preview.create">["method"], second);
      if (second === undefined) return command.error("error: --apply needs a patch_id and a base_hash");
      const { confirm = false } = options;
      return talk(options, async ({ client }) => {
        const tokens = { patch_id: first, base_hash: second, confirm };
        const applied = await client.request("preview.apply", tokens);
        if (options.json) return printJson(applied);
        for (const result of applied.files) report(result, {});
        if (applied.batch?.batchId != null) print(`batch ${applied.batch.batchId}`);
      });
    });
}

const BATCH_HELP = `
Paths in the JSON are relative to the workspace folder. docs/protocol.md describes it under batch.apply. Example:
  $ echo '{"files":[{"docPath":"a.md","version":"3-h2k9wz","text":"new"}]}' | spliced batch`;

const PREVIEW_HELP = `
Examples:
  $ echo '{"path":"a.md","old":"Monday","new":"Tuesday"}' | spliced preview edit.replace
  $ spliced preview --apply patch_5hx0c… 9f86d0…`;

function showPreview(
  options: Common,
  method: Params<"preview.create">["method"],
  file: string | undefined,
): Promise<void> {
  const params = readJson<Params<"preview.create">["params"]>(file);
  return talk(options, async ({ client }) => {
    const edit = method === "batch.apply" ? withBases(params as Params<"batch.apply">) : withBase(params);
    const preview = await client.request("preview.create", { method, params: edit });
    if (options.json) return printJson(preview);
    for (const { path, diff, warnings } of preview.files) {
      printText(diff === "" ? `${path}: nothing to change` : paintDiff(diff));
      for (const warning of warnings) print(paint("yellow", `${path}: ${warning}`));
    }
    print(`apply it with: ${applyCommand(preview, preview.confirmationRequired)}`);
  });
}

/** Adds the newest version as the base of each file that names none. */
function withBases(request: Params<"batch.apply">): Params<"batch.apply"> {
  if (!Array.isArray(request.files)) return request;
  return { ...request, files: request.files.map(withBase) };
}

const BASES = [
  "version",
  "sha256",
  "originalSha256",
  "document_version",
  "snapshot_version",
  "document_digest",
];

function withBase<T extends object>(edit: T): T {
  return BASES.some((name) => name in edit) ? edit : { ...edit, version: LATEST };
}

function printBatch({ batchId, files }: Result<"change.get">): void {
  for (const { path, diff, mirrored } of files) {
    print(`${paint("green", "✓")} ${path}${diff === "" ? ": nothing to change" : ""}`);
    if (diff) printText(paintDiff(diff));
    if (!mirrored) print(paint("yellow", "  stored, but the file is not written yet; see: spliced status"));
  }
  print(`batch ${batchId}`);
}

function batchError(errors: Result<"batch.apply">["errors"]): CommandError {
  const messages = errors.map(({ code, message }) => `${code}: ${message}`);
  const preview = errors.find(({ details }) => details?.["patch_id"] !== undefined)?.details;
  const hint =
    preview === undefined
      ? errors[0]?.suggestion
      : `if the changes are right, run: ${applyCommand(preview as unknown as PreviewIds, true)}`;
  const message = inCommands(`nothing was changed\n${messages.join("\n")}`);
  return new CommandError(EXIT.refused, message, hint && inCommands(hint));
}

type PreviewIds = Pick<Result<"preview.create">, "patch_id" | "base_hash">;

function applyCommand({ patch_id, base_hash }: PreviewIds, confirm: boolean): string {
  return `spliced preview --apply ${patch_id} ${base_hash}${confirm ? " --confirm" : ""}`;
}

/** Reads JSON, whose fields the daemon checks. @throws CommandError for any other text */
function readJson<T>(file: string | undefined): T {
  try {
    return JSON.parse(input(file)) as T;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandError(EXIT.usage, `${file ?? "standard input"} is not JSON: ${error.message}`);
  }
}
