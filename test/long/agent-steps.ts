import type { AgentName } from "./agent-homes.ts";
import type { Step } from "./model-dialects.ts";

const PATCH = "*** Begin Patch\n*** Update File: notes.md\n@@\n-one\n+ONE\n two\n*** End Patch\n";

/** The agents whose own tools the tests know. */
export type WritingAgent = Exclude<AgentName, "copilot" | "kilo">;

const STEPS: Readonly<Record<WritingAgent, (file: string) => readonly Step[]>> = {
  claude: (file_path) => [
    { tool: "Read", args: { file_path } },
    { tool: "Edit", args: { file_path, old_string: "one", new_string: "ONE" } },
  ],
  codex: (file) => [
    { tool: "exec_command", args: { cmd: `cat ${file}` } },
    { tool: "exec_command", args: { cmd: `apply_patch <<'EOF'\n${PATCH}EOF` } },
  ],
  gemini: (file_path) => [
    { tool: "read_file", args: { file_path } },
    {
      tool: "replace",
      args: { file_path, instruction: "Shout.", old_string: "one", new_string: "ONE" },
    },
  ],
  opencode: (filePath) => [
    { tool: "read", args: { filePath } },
    { tool: "edit", args: { filePath, oldString: "one", newString: "ONE" } },
  ],
  qwen: (file_path) => [
    { tool: "read_file", args: { file_path } },
    { tool: "edit", args: { file_path, old_string: "one", new_string: "ONE" } },
  ],
};

/** Returns the calls with which an agent reads notes.md, and writes its word "one" in capitals, by tools of its own. */
export function shoutingSteps(agent: WritingAgent, file: string): readonly Step[] {
  return STEPS[agent](file);
}
