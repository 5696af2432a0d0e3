import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { workspaceFolder } from "../connection/background.ts";
import type { Common } from "../connection/session.ts";
import { paint, print, printJson } from "../terminal/output.ts";
import { typed } from "../terminal/typed.ts";

/** Adds `init`, which writes a configuration and a file of patterns to begin with. */
export function initCommand(program: Command): void {
  program
    .command("init")
    .description("write a commented daemon.config.ts and .splicedignore, where there are none")
    .argument("[folder]", "the folder", ".")
    .action((folder: string, _options, command: Command) => init(folder, command.optsWithGlobals<Common>()));
}

/** The names of a configuration that the folder may have already. */
const CONFIGS = ["daemon.config.ts", "daemon.config.mts", "daemon.config.js", "daemon.config.mjs"];

function init(folder: string, { json }: Common): void {
  const root = workspaceFolder(folder);
  const config = CONFIGS.find((name) => existsSync(join(root, name))) ?? "daemon.config.ts";
  const files = [
    { file: join(root, config), created: writtenNew(join(root, config), CONFIG) },
    { file: join(root, ".splicedignore"), created: writtenNew(join(root, ".splicedignore"), IGNORE) },
  ];
  if (json) {
    printJson(files);
    return;
  }
  for (const { file, created } of files)
    print(created ? `${paint("green", "created")} ${file}` : `${file} is there already; it was not changed`);
  print(typed("A running daemon reads its configuration again after: spliced restart"));
}

/** Writes a new file; returns false where there is one. */
function writtenNew(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: "wx" });
    return true;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    // A file that a full disk cut off would be a configuration.
    if (syscall === "write") rmSync(file, { force: true });
    throw error;
  }
}

const CONFIG = `import { defineConfig } from "spliced";

// Name only the settings that differ from the defaults. Remove the slashes before a line to use it.
export default defineConfig({
  // The port to listen on. Without it, the daemon uses 7754 or any free port.
  // port: 8000,

  // Files and folders that are no documents, beside the ones in .gitignore and .splicedignore.
  // ignore: ["**/node_modules", "**/build"],

  // The most that any agent may do, whatever its token; the first rule that matches decides.
  // agents: { rules: [{ glob: "src/**", level: "propose" }] },

  // The number of days in which the history shows a change and can undo it; 0 means forever.
  // keepHistoryDays: 90,

  // The largest file that the daemon opens, in bytes.
  // limits: { maxFileBytes: 33_554_432 },
});
`;

const IGNORE = `# Files and folders that spliced leaves alone, in the form of .gitignore.
# .gitignore counts, too; a line with ! takes back what it leaves out. Examples:
#   /build
#   *.log
#   !important.log
`;
