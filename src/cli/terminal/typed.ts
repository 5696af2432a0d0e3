/** The names of the commands; a test compares them with the commands. */
export const NAMES =
  "run start restart stop resume status doctor log init adopt trust service open ls cat diff search watch replace patch append write set new mv rm batch preview proposals approve reject propose lane threads chat agent metrics call history undo redo blame restore checkpoint prune share join machines leave mcp hook token completion".split(
    " ",
  );

/** A command in a hint: the program's name before a command or an option. A line of a log has a colon after it. */
const COMMAND = new RegExp(`(?<!npx )\\bspliced (?=(${NAMES.join("|")}|--help)\\b(?!:))`, "g");

/**
 * Returns a text of ours for a person, with its commands as the person types them: through npx if this command came
 * through npx, because the program is then perhaps in no folder of PATH. A text of a document must not come here.
 */
export function typed(text: string): string {
  return isThroughNpx(process.env) ? text.replace(COMMAND, "npx spliced ") : text;
}

/** True if npx started this program, and not one from which it comes: npm names the program, since 11 in quotes. */
function isThroughNpx({ npm_command, npm_lifecycle_script = "" }: NodeJS.ProcessEnv): boolean {
  return npm_command === "exec" && /^'?spliced\b/.test(npm_lifecycle_script);
}
