import { realpathSync } from "node:fs";
import { type Command, Option } from "commander";
import { DAEMON_ARGS, refuseSystemFolder, workspaceFolder } from "../connection/background.ts";
import type { Common } from "../connection/session.ts";
import { CommandError, EXIT, printJson, printText, remark } from "../terminal/output.ts";
import { launchdAgent, systemdUnit } from "./service-units.ts";

interface ServiceOptions extends Common {
  readonly systemd?: boolean;
  readonly launchd?: boolean;
}

/** Adds `service`, which prints a file with which the system serves a folder from login on. */
export function serviceCommand(program: Command): void {
  program
    .command("service")
    .description("print a systemd or launchd file that starts spliced at login; it installs nothing")
    .argument("[folder]", "the folder to serve", ".")
    .addOption(new Option("--systemd", "print a file for systemd (Linux)").conflicts("launchd"))
    .addOption(new Option("--launchd", "print a file for launchd (macOS)"))
    .action((folder: string, _options, command: Command) =>
      printUnit(folder, command.optsWithGlobals<ServiceOptions>()),
    );
}

/** Prints the file to standard output, and how to install it to standard error. */
function printUnit(folder: string, { systemd, launchd = !systemd && onMac(), json }: ServiceOptions): void {
  const root = workspaceFolder(folder);
  refuseSystemFolder(root, "service");
  const command = [process.execPath, ...DAEMON_ARGS, realpathSync(process.argv[1]!), "run", root];
  const unfit = command.find((word) => /\p{Cc}/u.test(word));
  if (unfit !== undefined)
    throw new CommandError(
      EXIT.refused,
      `a service file cannot name ${JSON.stringify(unfit)}, because the path has a control character`,
      "rename the folder, then try again",
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
