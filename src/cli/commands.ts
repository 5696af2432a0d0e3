import type { Command } from "commander";

interface CommandModule {
  /** The names of the commands that the module adds. */
  readonly names: readonly string[];
  readonly load: () => Promise<(program: Command) => void>;
}

/** The modules of all commands, in the order of the help. */
export const MODULES: readonly CommandModule[] = [
  {
    names: ["run", "start", "restart", "stop", "resume"],
    load: async () => (await import("./daemon.ts")).daemonCommands,
  },
  { names: ["status", "doctor"], load: async () => (await import("./status.ts")).statusCommands },
  { names: ["log"], load: async () => (await import("./log.ts")).logCommand },
  { names: ["init"], load: async () => (await import("./init.ts")).initCommand },
  { names: ["adopt"], load: async () => (await import("./adopt.ts")).adoptCommand },
  { names: ["trust"], load: async () => (await import("./trust.ts")).trustCommand },
  { names: ["service"], load: async () => (await import("./service.ts")).serviceCommand },
  { names: ["open"], load: async () => (await import("./page.ts")).pageCommand },
  { names: ["ls", "cat", "diff"], load: async () => (await import("./documents.ts")).readingCommands },
  { names: ["search"], load: async () => (await import("./search.ts")).searchCommand },
  { names: ["watch"], load: async () => (await import("./watch.ts")).watchCommand },
  {
    names: ["replace", "patch", "append", "write"],
    load: async () => (await import("./edits.ts")).editingCommands,
  },
  { names: ["set"], load: async () => (await import("./fields.ts")).fieldCommand },
  { names: ["new", "mv", "rm"], load: async () => (await import("./files.ts")).fileCommands },
  { names: ["batch", "preview"], load: async () => (await import("./batches.ts")).batchCommands },
  {
    names: ["proposals", "approve", "reject", "propose"],
    load: async () => (await import("./proposals.ts")).proposalCommands,
  },
  { names: ["lane"], load: async () => (await import("./lanes.ts")).laneCommands },
  { names: ["threads"], load: async () => (await import("./threads.ts")).threadsCommand },
  { names: ["chat"], load: async () => (await import("./chat.ts")).chatCommand },
  { names: ["agent"], load: async () => (await import("./agent.ts")).agentCommand },
  { names: ["metrics", "call"], load: async () => (await import("./explore.ts")).exploringCommands },
  {
    names: ["history", "undo", "redo", "blame", "restore", "checkpoint"],
    load: async () => (await import("./history.ts")).historyCommands,
  },
  { names: ["prune"], load: async () => (await import("./prune.ts")).pruneCommand },
  {
    names: ["share", "join", "machines", "leave"],
    load: async () => (await import("./machines.ts")).machineCommands,
  },
  { names: ["mcp"], load: async () => (await import("./mcp.ts")).mcpCommand },
  { names: ["hook"], load: async () => (await import("./hook.ts")).hookCommand },
  { names: ["token"], load: async () => (await import("./tokens.ts")).tokenCommands },
  { names: ["__list"], load: async () => (await import("./completion/lists.ts")).listCommand },
  { names: ["completion"], load: async () => (await import("./completion.ts")).completionCommand },
];

/** The first words that need no command, and that which needs all, because its script names them. */
const VERSION = ["--version", "-V"];
const COMPLETION = "completion";

/** Adds the commands that a command line needs: those beside the command that it begins with, or else all. */
export async function addCommands(program: Command, [first = ""]: readonly string[]): Promise<void> {
  if (VERSION.includes(first)) return;
  const named = MODULES.filter(({ names }) => names.includes(first));
  for (const { load } of named.length === 0 || first === COMPLETION ? MODULES : named) {
    const add = await load();
    add(program);
  }
}
