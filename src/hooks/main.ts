import { givenToken } from "../client/given-token.ts";
import { HOOK_CLIENTS, type HookClient } from "./input.ts";
import { runHook } from "./run.ts";

/** The longest input that a hook reads, in characters; a longer tool call goes on without a claim. */
const MOST_INPUT = 16 << 20;
/** Milliseconds that a hook waits for its input. */
const INPUT_MS = 1_000;

/**
 * Runs one call of a hook: reads the agent's standard input, and prints the answer. It always ends with exit code 0,
 * because an agent treats any other code as a refusal of its tool call.
 */
export async function hook(client: string, { through }: { readonly through: boolean }): Promise<void> {
  // A full disk may take no word of the hook. The hook ends with the same exit code all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  if (!isHookClient(client)) {
    process.stderr.write(`spliced hook: the agent is one of ${HOOK_CLIENTS.join(", ")}, not ${client}\n`);
    return;
  }
  const input = await standardInput();
  if (input !== undefined) {
    const answer = await runHook({ client, through, input, cwd: process.cwd(), token: givenToken() });
    if (answer !== "") process.stdout.write(`${answer}\n`);
  }
  process.stdin.destroy();
}

function isHookClient(client: string): client is HookClient {
  return (HOOK_CLIENTS as readonly string[]).includes(client);
}

/** Returns the whole input; undefined if it is too long or does not end. */
async function standardInput(): Promise<string | undefined> {
  if (process.stdin.isTTY) return undefined;
  const late = setTimeout(() => process.stdin.destroy(), INPUT_MS);
  try {
    let text = "";
    process.stdin.setEncoding("utf8");
    for await (const part of process.stdin) {
      text += part;
      if (text.length > MOST_INPUT) return undefined;
    }
    return text;
  } catch {
    return undefined;
  } finally {
    clearTimeout(late);
  }
}
