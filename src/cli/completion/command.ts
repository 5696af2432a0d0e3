import { Argument, type Command } from "commander";
import { printText } from "../terminal/output.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { completionsAt, type Place } from "./places.ts";
import { zshCompletion } from "./zsh.ts";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
type Shell = keyof typeof SCRIPTS;

/** Adds `completion`. Call it last, because its script knows the commands that the program has by then. */
export function completionCommand(program: Command): void {
  program
    .command("completion")
    .description("print a script with which your shell completes commands, options and files")
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(SCRIPTS)))
    .addHelpText("after", HELP)
    .action((shell: Shell) => {
      const script: (name: string, places: readonly Place[]) => string = SCRIPTS[shell];
      printText(script(program.name(), completionsAt(program)));
    });
}

const HELP = `
Add the line for your shell to its start file:
  ~/.bashrc                     source <(spliced completion bash)
  ~/.zshrc, after compinit      source <(spliced completion zsh)
  ~/.config/fish/config.fish    spliced completion fish | source`;
