import type { Argument, Command, Option } from "commander";
import { type ListKind, listAt } from "./lists.ts";

/** A place in a command line, such as after `spliced` or after `spliced token add`, and the words that may follow. */
export interface Place {
  /** The commands so far, with a space between them; "" when there is none yet. */
  readonly at: string;
  readonly commands: readonly Subcommand[];
  readonly options: readonly Flag[];
  /** The values that the arguments may have; empty when any value will do. */
  readonly choices: readonly string[];
  /** The list of a daemon with the names for the arguments; undefined for files. */
  readonly list: ListKind | undefined;
}

interface Subcommand {
  readonly name: string;
  readonly description: string;
}

interface Flag {
  readonly short: string | undefined;
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** The values that the option may have; empty when any value will do. */
  readonly choices: readonly string[];
  /** The list of a daemon with the values; undefined for files. */
  readonly list: ListKind | undefined;
}

/** Returns every place in a program's command lines. The place after no command comes first. */
export function completionsAt(program: Command): Place[] {
  return placesIn(program, "", []);
}

function placesIn(command: Command, at: string, inherited: readonly Flag[]): Place[] {
  const help = command.createHelp();
  const own = help.visibleOptions(command).map((option) => flagOf(at, option));
  const options = [...own, ...inherited.filter(({ long }) => own.every((other) => other.long !== long))];
  const commands = help.visibleCommands(command);
  const place: Place = {
    at,
    commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
    options,
    choices: command.registeredArguments.flatMap(({ argChoices }: Argument) => argChoices ?? []),
    list: listAt(at),
  };
  // A command also accepts the options of the program.
  const global = at === "" ? own.filter(({ long }) => long !== "--version") : inherited;
  const below = commands.flatMap((each) => placesIn(each, `${at} ${each.name()}`.trim(), global));
  return [place, ...below];
}

function flagOf(at: string, { short, long, description, required, optional, argChoices = [] }: Option): Flag {
  const takesValue = required || optional;
  return { short, long: long!, description, takesValue, choices: argChoices, list: listAt(`${at} ${long}`) };
}
