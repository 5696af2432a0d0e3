import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { HOOK_CLIENTS, type HookClient } from "../../hooks/input.ts";
import type { SplicedCommand } from "../../hooks/settings.ts";
import { workspaceFolder } from "../connection/background.ts";
import type { Common } from "../connection/session.ts";
import { CommandError, EXIT, printText, remark } from "../terminal/output.ts";
import { changeSettings, settingsText } from "../terminal/settings-file.ts";

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
  $ spliced hook --install codex      then trust the project and, with /hooks, the hooks
  $ spliced undo --agent claude --since 2h`;

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
  const settings = await import("../../hooks/settings.ts");
  const command = splicedCommand();
  if (printed !== undefined) return printText(settings.hooksAlone(agent, command, { through }));
  const file =
    options.file === undefined
      ? join(workspaceFolder(folder), settings.settingsFile(agent))
      : resolve(options.file);
  const before = settingsText(file, instead(agent));
  if (uninstall !== undefined && before === undefined)
    throw new CommandError(EXIT.refused, `there is no ${file}`);
  const after =
    uninstall !== undefined
      ? settings.withoutHooks(agent, before!, command)
      : settings.withHooks(agent, before, command, { through });
  await changeSettings(file, before, after, { ...options, instead: instead(agent) });
}

function instead(agent: HookClient): string {
  return `print the hooks with: spliced hook --print ${agent}`;
}

const NOT_THROUGH =
  "the hooks of other agents do not say whether the agent may edit without asking, or cannot pass on the result of an edit";

/** Returns the words that run this very program, wherever the agent's PATH leads. */
function splicedCommand(): SplicedCommand {
  const script = realpathSync(process.argv[1]!);
  if (!/spliced\S*$/.test(script))
    remark(`this program is ${script}; --uninstall finds only names with spliced`);
  return [process.execPath, script];
}
