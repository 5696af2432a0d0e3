/** Returns the plugin that makes opencode call `spliced hook`. `command` runs spliced. */
export function pluginText(command: readonly string[]): string {
  return PLUGIN.replace("COMMAND_HERE", () => JSON.stringify([...command, "hook", "opencode"]));
}

const PLUGIN = `// Made by: spliced hook --install opencode. Remove it with: spliced hook --uninstall opencode
import { spawn } from "node:child_process";

const COMMAND = COMMAND_HERE;
const PATIENCE_MS = 2000;

/** Tells spliced what happens and resolves with its answer; never fails. */
function tell(event) {
  return new Promise((resolve) => {
    try {
      const [program, ...words] = COMMAND;
      const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], timeout: PATIENCE_MS });
      let out = "";
      child.stdout.on("data", (part) => { out += part; });
      child.stdin.on("error", () => {});
      child.on("error", () => resolve({}));
      child.on("close", () => {
        try { resolve(out === "" ? {} : JSON.parse(out)); } catch { resolve({}); }
      });
      child.stdin.end(JSON.stringify(event));
    } catch {
      resolve({});
    }
  });
}

export const Spliced = async ({ directory }) => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
    await tell({ hook_event_name: "tool.execute.before", session_id: sessionID, call_id: callID, tool, args, cwd: directory });
  },
  "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
    const { context } = await tell({ hook_event_name: "tool.execute.after", session_id: sessionID, call_id: callID, tool, args: args ?? {}, cwd: directory });
    if (context && typeof output?.output === "string") output.output += "\\n\\n" + context;
  },
  "chat.message": async ({ sessionID }, output) => {
    const prompt = (output?.parts ?? []).map((part) => part.text ?? "").join("\\n");
    await tell({ hook_event_name: "chat.message", session_id: sessionID, prompt, cwd: directory });
  },
  event: async ({ event }) => {
    if (event.type === "session.idle")
      await tell({ hook_event_name: "session.idle", session_id: event.properties?.sessionID, cwd: directory });
  },
});
`;
