import type { Argument, Command, Option } from "commander";

/** A place in a command line: after no command, after `run`, after `token add`; and what may come there. */
export interface Place {
  /** The commands so far, a space between them; "" at first. */
  readonly at: string;
  readonly commands: readonly Word[];
  readonly options: readonly Flag[];
  /** What its arguments may be, where that is a fixed choice. */
  readonly choices: readonly string[];
}

export interface Word {
  readonly name: string;
  readonly description: string;
}

export interface Flag {
  readonly short: string | undefined;
  readonly long: string;
  readonly description: string;
  /** Whether a value follows, and what it may be, where that is a fixed choice. */
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** Every place of a program's command lines, the first one first. */
export function completionsAt(program: Command): Place[] {
  return placesIn(program, "", []);
}

function placesIn(command: Command, at: string, inherited: readonly Flag[]): Place[] {
  const help = command.createHelp();
  const own = help.visibleOptions(command).map(flagOf);
  const options = [...own, ...inherited.filter(({ long }) => own.every((other) => other.long !== long))];
  const commands = help.visibleCommands(command);
  const place: Place = {
    at,
    commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
    options,
    choices: command.registeredArguments.flatMap(({ argChoices }: Argument) => argChoices ?? []),
  };
  // What the program itself takes may also stand behind a command.
  const global = at === "" ? own.filter(({ long }) => long !== "--version") : inherited;
  const below = commands.flatMap((each) => placesIn(each, `${at} ${each.name()}`.trim(), global));
  return [place, ...below];
}

function flagOf({ short, long, description, required, optional, argChoices = [] }: Option): Flag {
  return { short, long: long!, description, takesValue: required || optional, choices: argChoices };
}
