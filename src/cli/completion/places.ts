import type { Argument, Command, Option } from "commander";
import { namesOf } from "../terminal/names-of.ts";
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
  return placesIn(program, { at: "", known: "" }, []);
}

/** The commands so far: as the person typed them, and by their first names. */
interface Path {
  readonly at: string;
  readonly known: string;
}

function placesIn(command: Command, { at, known }: Path, inherited: readonly Flag[]): Place[] {
  const help = command.createHelp();
  const own = help.visibleOptions(command).map((option) => flagOf(known, option));
  const options = [...own, ...inherited.filter(({ long }) => own.every((other) => other.long !== long))];
  const commands = help.visibleCommands(command);
  const place: Place = {
    at,
    commands: commands.flatMap((each) =>
      namesOf(each).map((name) => ({ name, description: each.description() })),
    ),
    options,
    choices: command.registeredArguments.flatMap(({ argChoices }: Argument) => argChoices ?? []),
    list: listAt(known),
  };
  // A command also accepts the options of the program.
  const global = at === "" ? own.filter(({ long }) => long !== "--version") : inherited;
  const below = commands.flatMap((each) =>
    namesOf(each).flatMap((name) => {
      const path = { at: `${at} ${name}`.trim(), known: `${known} ${each.name()}`.trim() };
      return placesIn(each, path, global);
    }),
  );
  return [place, ...below];
}

function flagOf(at: string, { short, long, description, required, optional, argChoices = [] }: Option): Flag {
  const takesValue = required || optional;
  return { short, long: long!, description, takesValue, choices: argChoices, list: listAt(`${at} ${long}`) };
}
