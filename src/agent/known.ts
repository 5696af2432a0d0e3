/** An agent that speaks the Agent Client Protocol over its standard streams. */
export interface KnownAgent {
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** The npm package that has the program. */
  readonly package: string;
}

/** The agents that `spliced agent <name>` starts. */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  { name: "claude", command: ["claude-agent-acp"], package: "@agentclientprotocol/claude-agent-acp" },
  { name: "codex", command: ["codex-acp"], package: "@agentclientprotocol/codex-acp" },
  { name: "gemini", command: ["gemini", "--acp"], package: "@google/gemini-cli" },
  { name: "opencode", command: ["opencode", "acp"], package: "opencode-ai" },
  { name: "qwen", command: ["qwen", "--acp"], package: "@qwen-code/qwen-code" },
];
