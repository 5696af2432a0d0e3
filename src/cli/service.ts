import { realpathSync } from "node:fs";
import { type Command, Option } from "commander";
import { workspaceFolder } from "./background.ts";
import { CommandError, EXIT, printJson, printText, remark } from "./output.ts";
import { launchdAgent, systemdUnit } from "./service-units.ts";
import type { Common } from "./session.ts";

interface ServiceOptions extends Common {
  readonly systemd?: boolean;
  readonly launchd?: boolean;
}

/** `service`: how a workspace is served from login on. */
export function serviceCommand(program: Command): void {
  program
    .command("service")
    .description("print what has systemd or launchd serve a folder from login on; installs nothing")
    .argument("[folder]", "the workspace", ".")
    .addOption(new Option("--systemd", "for systemd, as Linux has it").conflicts("launchd"))
    .addOption(new Option("--launchd", "for launchd, as macOS has it"))
    .action((folder: string, _options, command: Command) =>
      printUnit(folder, command.optsWithGlobals<ServiceOptions>()),
    );
}

/** The unit goes to standard output, and how to install it beside it, so that it may be redirected. */
function printUnit(folder: string, { systemd, launchd = !systemd && onMac(), json }: ServiceOptions): void {
  const root = workspaceFolder(folder);
  const command = [process.execPath, realpathSync(process.argv[1]!), "run", root];
  const unfit = command.find((word) => /\p{Cc}/u.test(word));
  if (unfit !== undefined)
    throw new CommandError(
      EXIT.refused,
      `${JSON.stringify(unfit)} holds a control character, which has no place in such a file`,
      "rename the folder",
    );
  const { text, ...unit } = launchd ? launchdAgent(root, command) : systemdUnit(root, command);
  if (json) printJson({ for: launchd ? "launchd" : "systemd", ...unit, text });
  else {
    remark(`put this into ${unit.file}, then:\n  ${unit.install.join("\n  ")}`);
    printText(text);
  }
}

function onMac(): boolean {
  return process.platform === "darwin";
}
