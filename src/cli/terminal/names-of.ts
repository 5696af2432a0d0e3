import type { Command } from "commander";

/** Returns the names by which a command is called, of which help names the first. */
export function namesOf(command: Command): string[] {
  return [command.name(), ...command.aliases()];
}
