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
    load: async () => (await import("./service/daemon.ts")).daemonCommands,
  },
  { names: ["status", "doctor"], load: async () => (await import("./status.ts")).statusCommands },
  { names: ["log"], load: async () => (await import("./service/log.ts")).logCommand },
  { names: ["init"], load: async () => (await import("./service/init.ts")).initCommand },
  { names: ["adopt"], load: async () => (await import("./service/adopt.ts")).adoptCommand },
  { names: ["trust"], load: async () => (await import("./service/trust.ts")).trustCommand },
  { names: ["service"], load: async () => (await import("./service/service.ts")).serviceCommand },
  { names: ["open"], load: async () => (await import("./service/page.ts")).pageCommand },
  {
    names: ["ls", "cat", "diff"],
    load: async () => (await import("./documents/documents.ts")).readingCommands,
  },
  { names: ["search"], load: async () => (await import("./documents/search.ts")).searchCommand },
  { names: ["watch"], load: async () => (await import("./documents/watch.ts")).watchCommand },
  {
    names: ["replace", "patch", "append", "write"],
    load: async () => (await import("./documents/edits.ts")).editingCommands,
  },
  { names: ["set"], load: async () => (await import("./documents/fields.ts")).fieldCommand },
  { names: ["new", "mv", "rm"], load: async () => (await import("./documents/files.ts")).fileCommands },
  { names: ["batch", "preview"], load: async () => (await import("./proposals/batches.ts")).batchCommands },
  {
    names: ["proposals", "approve", "reject", "propose"],
    load: async () => (await import("./proposals/proposals.ts")).proposalCommands,
  },
  { names: ["lane"], load: async () => (await import("./sharing/lanes.ts")).laneCommands },
  { names: ["threads"], load: async () => (await import("./agents/threads.ts")).threadsCommand },
  { names: ["chat"], load: async () => (await import("./agents/chat.ts")).chatCommand },
  { names: ["agent"], load: async () => (await import("./agents/agent.ts")).agentCommand },
  {
    names: ["metrics", "call"],
    load: async () => (await import("./documents/explore.ts")).exploringCommands,
  },
  {
    names: ["history", "undo", "redo", "blame", "restore", "checkpoint"],
    load: async () => (await import("./history/history.ts")).historyCommands,
  },
  { names: ["prune"], load: async () => (await import("./history/prune.ts")).pruneCommand },
  {
    names: ["share", "join", "machines", "leave"],
    load: async () => (await import("./sharing/machines.ts")).machineCommands,
  },
  { names: ["mcp"], load: async () => (await import("./agents/mcp.ts")).mcpCommand },
  { names: ["hook"], load: async () => (await import("./agents/hook.ts")).hookCommand },
  { names: ["token"], load: async () => (await import("./sharing/tokens.ts")).tokenCommands },
  { names: ["__list"], load: async () => (await import("./completion/lists.ts")).listCommand },
  { names: ["completion"], load: async () => (await import("./completion/command.ts")).completionCommand },
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
