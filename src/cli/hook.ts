import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { type Command, Option } from "commander";
import { HOOK_CLIENTS, type HookClient } from "../hooks/input.ts";
import type { SplicedCommand } from "../hooks/settings.ts";
import { unifiedDiff } from "../text/unified.ts";
import { workspaceFolder } from "./background.ts";
import { CommandError, EXIT, paint, paintDiff, print, printJson, printText, remark } from "./output.ts";
import type { Common } from "./session.ts";

interface HookOptions extends Common {
  readonly install?: HookClient;
  readonly uninstall?: HookClient;
  readonly print?: HookClient;
  readonly through?: boolean;
  readonly yes?: boolean;
  readonly file?: string;
}

/** Adds `hook`, which agents call around their tools, and which adds itself to their settings. */
export function hookCommand(program: Command): void {
  const client = (flags: string, description: string) =>
    new Option(`${flags} <agent>`, description).choices(HOOK_CLIENTS);
  program
    .command("hook")
    .description("connect agents that save files themselves, so that the history names them")
    .argument("[folder]", "the project", ".")
    .addOption(client("--install", "add the hooks to an agent's settings, after showing the change"))
    .addOption(client("--uninstall", "take the hooks out of an agent's settings again"))
    .addOption(client("--print", "print the hooks for an agent"))
    .option("--through", "for claude: make its edits through the daemon, so that all of them land")
    .option("--file <file>", "the settings file, instead of the project's")
    .option("-y, --yes", "do not ask")
    .addHelpText("after", HELP)
    .action((folder: string, _options, command: Command) =>
      run(folder, command.optsWithGlobals<HookOptions>()),
    );
}

const HELP = `
An agent calls "spliced hook <agent>" before and after its tools, with JSON on standard input. The daemon then knows
whose a save is. Without a daemon the hook does nothing. It never refuses a tool call, except with --through.

Examples:
  $ spliced hook --install claude
  $ spliced hook --install codex      then trust the hooks in Codex with /hooks
  $ spliced undo --agent claude --since 14:00`;

async function run(folder: string, options: HookOptions): Promise<void> {
  const { install, uninstall, print: printed, through = false } = options;
  const [agent, ...more] = [install, uninstall, printed].filter((one) => one !== undefined);
  if (agent === undefined || more.length > 0)
    throw new CommandError(
      EXIT.usage,
      "name one of --install, --uninstall and --print with an agent",
      `the agents are: ${HOOK_CLIENTS.join(", ")}`,
    );
  if (through && agent !== "claude")
    throw new CommandError(EXIT.usage, `--through works for claude only: ${NOT_THROUGH}`);
  const settings = await import("../hooks/settings.ts");
  const command = splicedCommand();
  if (printed !== undefined) return printText(settings.hooksAlone(agent, command, { through }));
  const file =
    options.file === undefined
      ? join(workspaceFolder(folder), settings.settingsFile(agent))
      : resolve(options.file);
  const before = contentOf(file);
  if (uninstall !== undefined && before === undefined)
    throw new CommandError(EXIT.refused, `there is no ${file}`);
  const after =
    uninstall !== undefined
      ? settings.withoutHooks(agent, before!, command)
      : settings.withHooks(agent, before, command, { through });
  await change(file, before, after, options);
}

const NOT_THROUGH =
  "the hooks of other agents do not say whether the agent may edit without asking, or cannot tell it what was done";

/** Shows a change of a settings file and makes it, if the person agrees. */
async function change(
  file: string,
  before: string | undefined,
  after: string | undefined,
  { yes = false, json }: HookOptions,
): Promise<void> {
  if (before === after) {
    if (json) return printJson({ file, changed: false });
    return print(`${file} is as it should be; nothing was changed`);
  }
  const diff = unifiedDiff(before ?? "", after ?? "", { from: before ? file : "/dev/null", to: file });
  if (!json) printText(paintDiff(diff));
  if (!yes && !(await agrees(`Change ${file}? [y/N] `)))
    throw new CommandError(
      EXIT.refused,
      `${file} was not changed`,
      "add --yes to change it without a question",
    );
  try {
    if (after === undefined) rmSync(file);
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, after); // also through a link, which stays a link
    }
  } catch (error) {
    throw unusable(file, error);
  }
  if (json) printJson({ file, changed: true });
  else print(`${paint("green", after === undefined ? "removed" : "changed")} ${file}`);
}

async function agrees(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question(question)).trim());
  } finally {
    asking.close();
  }
}

function contentOf(file: string): string | undefined {
  try {
    const bytes = readFileSync(file);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unusable(file, error);
  }
}

function unusable(file: string, error: unknown): CommandError {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA")
    return new CommandError(EXIT.refused, `${file} is not UTF-8 text`, "save it as UTF-8, then try again");
  return new CommandError(
    EXIT.refused,
    `${file} cannot be read and written (${code})`,
    "check its permissions with: ls -l, or print the hooks with: spliced hook --print <agent>",
  );
}

/** Returns the words that run this very program, wherever the agent's PATH leads. */
function splicedCommand(): SplicedCommand {
  const script = realpathSync(process.argv[1]!);
  if (!/spliced\S*$/.test(script))
    remark(`this program is ${script}; --uninstall finds only names with spliced`);
  return [process.execPath, script];
}
