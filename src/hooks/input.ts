import { createHash } from "node:crypto";
import { isJsonObject } from "../json-object.ts";

/** The agents whose hooks are known. */
export const HOOK_CLIENTS = ["claude", "codex", "gemini", "opencode"] as const;
export type HookClient = (typeof HOOK_CLIENTS)[number];

/** The effect of a tool call on files. */
export type ToolUse =
  /** The call edits these files, named as the agent names them. */
  | { readonly does: "edit"; readonly paths: readonly string[] }
  | { readonly does: "read"; readonly paths: readonly string[] }
  /** The call may write any file. */
  | { readonly does: "shell" };

/** The input of a hook, in one form for all agents. */
export interface HookEvent {
  readonly is: "before" | "after" | "turn";
  /** The name of the event, which the answer repeats. */
  readonly name: string;
  readonly session: string | undefined;
  readonly cwd: string | undefined;
  /** The person's prompt, for a turn that begins. */
  readonly prompt?: string | undefined;
  readonly tool?: string;
  /** The id of the tool call, the same before and after. */
  readonly call?: string;
  readonly use?: ToolUse;
  readonly input?: Readonly<Record<string, unknown>>;
  /** The agent's permission mode, if its hooks name one. */
  readonly mode?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const EVENTS: Readonly<Record<string, HookEvent["is"]>> = {
  PreToolUse: "before",
  BeforeTool: "before",
  "tool.execute.before": "before",
  PostToolUse: "after",
  PostToolUseFailure: "after",
  AfterTool: "after",
  "tool.execute.after": "after",
  UserPromptSubmit: "turn",
  BeforeAgent: "turn",
  "chat.message": "turn",
  Stop: "turn",
  AfterAgent: "turn",
  SessionEnd: "turn",
  "session.idle": "turn",
};

type Kind = ToolUse["does"];

/** The tools of each agent that touch files; an agent's other tools need no claim. */
const TOOLS: Readonly<Record<HookClient, Readonly<Record<string, Kind>>>> = {
  claude: {
    Edit: "edit",
    MultiEdit: "edit",
    Write: "edit",
    NotebookEdit: "edit",
    Read: "read",
    Bash: "shell",
  },
  codex: {
    apply_patch: "edit",
    Edit: "edit",
    Write: "edit",
    Read: "read",
    Bash: "shell",
    shell: "shell",
    shell_command: "shell",
    exec_command: "shell",
  },
  gemini: { write_file: "edit", replace: "edit", read_file: "read", run_shell_command: "shell" },
  opencode: {
    edit: "edit",
    multiedit: "edit",
    write: "edit",
    patch: "edit",
    apply_patch: "edit",
    read: "read",
    bash: "shell",
  },
};

/** The fields in which tools name their file. */
const PATH_FIELDS = ["file_path", "filePath", "notebook_path", "absolute_path", "path"];
/** The fields in which tools have a patch. */
const PATCH_FIELDS = ["command", "input", "patch", "patchText"];
const PATCHED = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)$/gm;
/** The most files of one call that get a claim of their own. */
const MOST_PATHS = 12;

/** Returns a hook's event; undefined for an event or a tool that needs no claim, and for invalid input. */
export function hookEvent(client: HookClient, value: unknown): HookEvent | undefined {
  if (!isJsonObject(value)) return undefined;
  const name = textOf(value, "hook_event_name");
  const is = name === undefined || !Object.hasOwn(EVENTS, name) ? undefined : EVENTS[name];
  if (name === undefined || is === undefined) return undefined;
  const common = {
    is,
    name,
    session: textOf(value, "session_id", "sessionID")?.slice(0, 100),
    cwd: textOf(value, "cwd", "directory"),
    mode: textOf(value, "permission_mode"),
  };
  if (is === "turn") return { ...common, prompt: textOf(value, "prompt") };
  const tool = textOf(value, "tool_name", "tool");
  const input = value["tool_input"] ?? value["args"];
  if (tool === undefined || !Object.hasOwn(TOOLS[client], tool) || !isJsonObject(input)) return undefined;
  const use = useOf(TOOLS[client][tool]!, input);
  return use && { ...common, tool, use, input, call: callOf(value, tool, input) };
}

function useOf(does: Kind, input: Fields): ToolUse | undefined {
  if (does === "shell") return { does };
  const named = textOf(input, ...PATH_FIELDS);
  const paths = named === undefined ? patchedFiles(input) : [named];
  return paths.length === 0 ? undefined : { does, paths };
}

function patchedFiles(input: Fields): readonly string[] {
  const patch = textOf(input, ...PATCH_FIELDS) ?? "";
  const named = [...patch.matchAll(PATCHED)].map(([, path]) => path!.trim());
  return [...new Set(named)].slice(0, MOST_PATHS);
}

/** Returns the id of a call; without one, its tool and its input name it. */
function callOf(value: Fields, tool: string, input: Fields): string {
  const id = textOf(value, "tool_use_id", "callID", "call_id");
  if (id !== undefined) return id.slice(0, 100);
  return createHash("sha256")
    .update(JSON.stringify([tool, input]))
    .digest("hex")
    .slice(0, 32);
}

/** Returns the first of these fields that has a text. */
function textOf(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}
