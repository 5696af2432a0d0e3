import type { HookClient, HookEvent } from "./input.ts";

/** The answer of a hook: sentences for the agent, and perhaps the reason why its tool must not run. */
export interface HookAnswer {
  readonly news?: readonly string[];
  readonly deny?: string;
}

/** The events whose answers may have sentences for the agent, by the agent's own documentation. */
const HEARS: ReadonlySet<string> = new Set([
  "PostToolUse",
  "UserPromptSubmit",
  "AfterTool",
  "BeforeAgent",
  "tool.execute.after",
]);

/** Returns true if an answer to this event reaches the agent. */
export function hears({ name }: HookEvent): boolean {
  return HEARS.has(name);
}

/** Returns the text that a hook prints to standard output; "" for no output. */
export function printed(client: HookClient, { name }: HookEvent, { news = [], deny }: HookAnswer): string {
  const context = news.join("\n");
  if (deny === undefined && context === "") return "";
  if (client === "opencode") return JSON.stringify({ ...(deny !== undefined && { deny }), context });
  if (deny === undefined)
    return JSON.stringify({ hookSpecificOutput: { hookEventName: name, additionalContext: context } });
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: name,
      permissionDecision: "deny",
      permissionDecisionReason: deny,
    },
  });
}
