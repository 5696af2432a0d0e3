import type { Command } from "commander";
import { BASE_PARAMETERS } from "../../protocol/params/parameter-names.ts";
import type { Params, Result } from "../../protocol/schemas/schemas.ts";
import { parseExactly } from "../../text/exact-json.ts";
import { wholeId } from "../connection/ids.ts";
import { type Common, codeOf, talk } from "../connection/session.ts";
import { givenInput, LATEST, report } from "../documents/edits.ts";
import {
  AnsweredError,
  CommandError,
  EXIT,
  paint,
  paintDiff,
  print,
  printJson,
  printText,
} from "../terminal/output.ts";
import { methodsInCommands } from "../terminal/suggestions.ts";
import { typed } from "../terminal/typed.ts";
import { type PreviewTokens, rememberPreview, shownPreviews } from "./shown.ts";

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
      return talk(
        options,
        async ({ client, located }) => {
          const answer = await client.request("batch.apply", withBases(request));
          if (options.json) printJson({ ...answer, errors: answer.errors.map(errorInCommands) });
          else if (answer.result !== undefined) printBatch(answer.result);
          if (!answer.successful)
            throw await batchError(answer.errors, (shown) => rememberPreview(located.root, shown));
        },
        "json",
      );
    });

  program
    .command("preview")
    .description("show the changes of an edit or a batch, and apply exactly these")
    .argument("<edit>", "replace, patch, append, write, set or batch; with --apply, the id of a preview")
    .argument("[file]", "its parameters in JSON (default: standard input)")
    .option("--apply", "apply a preview")
    .option("--confirm", "with --apply: you checked the places that the preview warns about")
    .addHelpText("after", PREVIEW_HELP)
    .action((first: string, second: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { apply?: boolean; confirm?: boolean }>();
      if (options.confirm && !options.apply) command.error("error: --confirm needs --apply");
      if (!options.apply) return showPreview(options, methodOf(first), second);
      return applyPreview(options, first, second);
    });
}

const BATCH_HELP = `
Paths in the JSON are relative to the workspace folder. docs/protocol.md describes it under batch.apply. Example:
  $ echo '{"files":[{"docPath":"a.md","version":"3-h2k9wz","text":"new"}]}' | spliced batch`;

const PREVIEW_HELP = `
docs/protocol.md describes the parameters of each edit. Examples:
  $ echo '{"path":"a.md","old":"Monday","new":"Tuesday"}' | spliced preview replace
  $ spliced preview --apply patch_5hx0c`;

type PreviewMethod = Params<"preview.create">["method"];

const PREVIEWED = ["replace", "patch", "append", "write", "set", "batch"];

/** Returns the method of an edit that a person named by its command or by its method. @throws CommandError */
function methodOf(edit: string): PreviewMethod {
  if (edit.includes(".")) return edit as PreviewMethod;
  if (!PREVIEWED.includes(edit))
    throw new CommandError(EXIT.usage, `no edit is called ${edit}; the edits are: ${PREVIEWED.join(", ")}`);
  return (edit === "batch" ? "batch.apply" : `edit.${edit}`) as PreviewMethod;
}

function showPreview(options: Common, method: PreviewMethod, file: string | undefined): Promise<void> {
  const params = readJson<Params<"preview.create">["params"]>(file);
  return talk(
    options,
    async ({ client, located }) => {
      const edit = method === "batch.apply" ? withBases(params as Params<"batch.apply">) : withBase(params);
      const preview = await client.request("preview.create", { method, params: edit });
      rememberPreview(located.root, preview);
      if (options.json) return printJson(preview);
      for (const { path, diff, warnings } of preview.files) {
        printText(diff === "" ? `${path}: nothing to change` : paintDiff(diff));
        for (const warning of warnings) print(paint("yellow", `${path}: ${warning}`));
      }
      print(`apply it with: ${applyCommand(preview, preview.confirmationRequired)}`);
    },
    "json",
  );
}

/** Applies a preview that these commands have shown, or one whose hash the person gives. */
function applyPreview(
  options: Common & { readonly confirm?: boolean },
  given: string,
  hash: string | undefined,
): Promise<void> {
  return talk(options, async ({ client, located }) => {
    const shown = shownPreviews(located.root);
    const listed = shown.map(({ patch_id }) => ({ id: patch_id, about: "" }));
    const patch_id = await wholeId(given, () => Promise.resolve(listed));
    const base_hash = hash ?? shown.find((preview) => preview.patch_id === patch_id)?.base_hash;
    if (base_hash === undefined)
      throw new CommandError(EXIT.usage, `these commands have shown no preview ${given} lately`, UNSHOWN);
    const { confirm = false } = options;
    const applied = await client.request("preview.apply", { patch_id, base_hash, confirm });
    if (options.json) return printJson(applied);
    for (const result of applied.files) report(result, {});
    if (applied.batch?.batchId != null) print(`batch ${applied.batch.batchId}`);
  });
}

const UNSHOWN = "show it again with: spliced preview, or give its base_hash, too";

/** Adds the newest version as the base of each file that names none. */
function withBases(request: Params<"batch.apply">): Params<"batch.apply"> {
  if (!Array.isArray(request.files)) return request;
  return { ...request, files: request.files.map(withBase) };
}

/** Adds the newest version as the base of an edit that names none; a change of a file needs none. */
export function withBase<T extends object>(edit: T): T {
  const { operation = "edit" } = edit as { readonly operation?: unknown };
  if (operation !== "edit") return edit;
  return BASE_PARAMETERS.some((name) => name in edit) ? edit : { ...edit, version: LATEST };
}

function printBatch({ batchId, proposal, files }: Result<"change.get">): void {
  for (const { path, diff, mirrored } of files) {
    print(`${paint("green", "✓")} ${path}${diff === "" ? ": nothing to change" : ""}`);
    if (diff) printText(paintDiff(diff));
    if (!mirrored && proposal === undefined)
      print(paint("yellow", typed("  stored, but the file is not written yet; see: spliced status")));
  }
  print(proposal === undefined ? `batch ${batchId}` : `waits for approval as ${proposal}`);
}

async function batchError(
  errors: Result<"batch.apply">["errors"],
  remember: (shown: PreviewTokens) => void,
): Promise<CommandError> {
  const messages = errors.map((error) => `${codeOf(error)}: ${error.message}`);
  const details = errors.find(({ details }) => details?.["patch_id"] !== undefined)?.details;
  const preview = details as PreviewTokens | undefined;
  if (preview !== undefined) remember(preview);
  const message = methodsInCommands(`nothing was changed\n${messages.join("\n")}`);
  const suggestion = errors[0]?.suggestion;
  const hint =
    preview === undefined
      ? suggestion && methodsInCommands(suggestion)
      : [
          ...(await import("../terminal/confirmation.ts")).placesToCheck(preview),
          `if the changes are right, run: ${applyCommand(preview, true)}`,
        ].join("\n");
  return new AnsweredError(EXIT.refused, message, hint);
}

type BatchError = Result<"batch.apply">["errors"][number];

function errorInCommands({ message, suggestion, ...error }: BatchError): BatchError {
  const next = suggestion === undefined ? {} : { suggestion: methodsInCommands(suggestion) };
  return { ...error, message: methodsInCommands(message), ...next };
}

function applyCommand({ patch_id }: PreviewTokens, confirm: boolean): string {
  return typed(`spliced preview --apply ${patch_id}${confirm ? " --confirm" : ""}`);
}

/** Reads JSON, whose fields the daemon checks. @throws CommandError for any other text */
export function readJson<T>(file: string | undefined): T {
  try {
    return parseExactly(givenInput(file)) as T;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandError(EXIT.usage, `${file ?? "standard input"} is not JSON: ${error.message}`);
  }
}
