import { join } from "node:path";
import { addToken } from "../../src/daemon/tokens/token-file.ts";
import { parseRule } from "../../src/daemon/tokens/token-rules.ts";

/**
 * Creates a token for a served folder and returns it. It calls what `spliced token add` calls, without a process;
 * tests of the command itself run the command.
 */
export function tokenFor(root: string, name: string, ...rules: readonly string[]): Promise<string> {
  const parsed = rules.map((text) => {
    const rule = parseRule(text);
    if (typeof rule === "string") throw new Error(rule);
    return rule;
  });
  return addToken(join(root, ".spliced/tokens.json"), name, parsed);
}
