import type { Command } from "commander";
import type { Params, Result } from "../protocol/schemas.ts";
import { input, report } from "./edits.ts";
import { CommandError, EXIT, paint, paintDiff, print, printJson, printText } from "./output.ts";
import { type Common, talk } from "./session.ts";

/** Commands that change several documents at once, or show a change before it is made. */
export function batchCommands(program: Command): void {
  program
    .command("batch")
    .description("change several documents, all of them or none")
    .argument("[file]", "the request in JSON, as batch.apply takes it; standard input without one")
    .addHelpText("after", `\nPaths in it start from the workspace folder. ${EXAMPLE}`)
    .action((file: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      const request = parse<Params<"batch.apply">>(file);
      return talk(options, async ({ client }) => {
        const answer = await client.request("batch.apply", request);
        if (options.json) printJson(answer);
        else if (answer.result !== undefined) printBatch(answer.result);
        if (!answer.successful) throw refused(answer.errors);
      });
    });

  program
    .command("preview")
    .description("show what an edit or a batch would do; then apply what was shown")
    .argument("<method>", "edit.replace, edit.patch, …, or batch.apply; with --apply the patch_id")
    .argument("[file]", "its parameters in JSON; standard input without one; with --apply the base_hash")
    .option("--apply", "make exactly what was shown")
    .option("--confirm", "what has to be looked at was")
    .addHelpText("after", "\nExample:\n  $ spliced preview --apply patch_5hx0c… 9f86d0…")
    .action((first: string, second: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { apply?: boolean; confirm?: boolean }>();
      if (!options.apply) return show(options, first as Params<"preview.create">["method"], second);
      if (second === undefined) return command.error("error: --apply takes a patch_id and a base_hash");
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

const EXAMPLE = `Example:
  $ echo '{"files":[{"docPath":"a.md","version":"3-h2k9wz","text":"new"}]}' | spliced batch`;

function show(
  options: Common,
  method: Params<"preview.create">["method"],
  file: string | undefined,
): Promise<void> {
  const params = parse<Params<"preview.create">["params"]>(file);
  return talk(options, async ({ client }) => {
    const shown = await client.request("preview.create", { method, params });
    if (options.json) return printJson(shown);
    for (const { path, diff, warnings } of shown.files) {
      printText(diff === "" ? `${path}: nothing to change` : paintDiff(diff));
      for (const warning of warnings) print(paint("yellow", `${path}: ${warning}`));
    }
    print(`apply it with: ${applying(shown, shown.confirmationRequired)}`);
  });
}

function printBatch({ batchId, files }: Result<"change.get">): void {
  for (const { path, diff, mirrored } of files) {
    print(`${paint("green", "✓")} ${path}${diff === "" ? ": nothing to change" : ""}`);
    if (diff) printText(paintDiff(diff));
    if (!mirrored) print(paint("yellow", "  the file does not hold it yet; see: spliced status"));
  }
  print(`batch ${batchId}`);
}

function refused(errors: Result<"batch.apply">["errors"]): CommandError {
  const messages = errors.map(({ code, message }) => `${code}: ${message}`);
  const shown = errors.find(({ details }) => details?.["patch_id"] !== undefined)?.details;
  const hint =
    shown === undefined
      ? errors[0]?.suggestion
      : `look at it, then: ${applying(shown as unknown as Tokens, true)}`;
  return new CommandError(EXIT.refused, `nothing was changed\n${messages.join("\n")}`, hint);
}

type Tokens = Pick<Result<"preview.create">, "patch_id" | "base_hash">;

function applying({ patch_id, base_hash }: Tokens, confirm: boolean): string {
  return `spliced preview --apply ${patch_id} ${base_hash}${confirm ? " --confirm" : ""}`;
}

/** JSON as it was given; the daemon says what is wrong with what is in it. */
function parse<T>(file: string | undefined): T {
  try {
    return JSON.parse(input(file)) as T;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandError(EXIT.usage, `${file ?? "standard input"} is not JSON: ${error.message}`);
  }
}
