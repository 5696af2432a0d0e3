import type { Argument, Command } from "commander";
import { CommandError, EXIT } from "./output.ts";

/** The arguments and values that are texts, which may be empty. */
const TEXTS = "begin command line message new old params reason text value why".split(" ");
/** The arguments whose commands refuse an empty one with more words. */
const REFUSED_ELSEWHERE = ["change", "id", "path", "to"];

/** Refuses a command with an empty name, time or file. @throws CommandError */
export function refuseEmptyValues(command: Command): void {
  for (const [i, argument] of command.registeredArguments.entries())
    if (![...TEXTS, ...REFUSED_ELSEWHERE].includes(argument.name()) && isEmpty(command.processedArgs[i]))
      throw new CommandError(EXIT.usage, `argument '${shown(argument)}' is empty`);
  for (let at: Command | null = command; at !== null; at = at.parent)
    for (const option of at.options) {
      const [, value = "text"] = /<(.+)>/.exec(option.flags) ?? [];
      if (isEmpty(at.getOptionValue(option.attributeName())) && !TEXTS.includes(value))
        throw new CommandError(EXIT.usage, `option '${option.flags}' has an empty value`);
    }
}

function shown(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isEmpty);
  return typeof value === "string" && value.trim() === "";
}
