import { Argument, type Command } from "commander";
import { bashCompletion } from "./completion/bash.ts";
import { fishCompletion } from "./completion/fish.ts";
import { completionsAt, type Place } from "./completion/places.ts";
import { zshCompletion } from "./completion/zsh.ts";
import { printText } from "./output.ts";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
type Shell = keyof typeof SCRIPTS;

/** `completion`: given last, since it tells of all commands there are by then. */
export function completionCommand(program: Command): void {
  program
    .command("completion")
    .description("print a script that has your shell complete commands, options and files")
    .addArgument(new Argument("<shell>", "which one").choices(Object.keys(SCRIPTS)))
    .addHelpText("after", HELP)
    .action((shell: Shell) => {
      const script: (name: string, places: readonly Place[]) => string = SCRIPTS[shell];
      printText(script(program.name(), completionsAt(program)));
    });
}

const HELP = `
Put the line of your shell into its start file:
  ~/.bashrc                     source <(spliced completion bash)
  ~/.zshrc, after compinit      source <(spliced completion zsh)
  ~/.config/fish/config.fish    spliced completion fish | source`;
