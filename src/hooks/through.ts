import type { HookLine, HookReply } from "./daemon.ts";
import type { HookEvent } from "./input.ts";
import { type Replacement, replaced, writingOf } from "./writing.ts";

/**
 * The permission modes in which an agent edits without asking the person. In any other mode, a hook must not edit
 * either.
 */
const EDITS_WITHOUT_ASKING: ReadonlySet<string> = new Set(["acceptEdits", "bypassPermissions"]);
/** Refusals after which the agent has to change its edit. After any other, its own tool runs. */
const ITS_OWN_FAULT: ReadonlySet<string> = new Set([
  "NO_MATCH",
  "AMBIGUOUS_MATCH",
  "PATCH_REJECTED",
  "CONFLICT",
]);

/**
 * Makes the edit of an agent's tool through the daemon, from the version that the agent read. Returns a sentence for
 * the agent with the result or the refusal; the tool must then not run. Returns undefined if the tool should run by
 * itself.
 */
export async function through(
  line: HookLine,
  { tool, call, session, input = {}, use, mode }: HookEvent,
  pathOf: (named: string) => string | undefined,
): Promise<string | undefined> {
  if (mode === undefined || !EDITS_WITHOUT_ASKING.has(mode) || use?.does !== "edit") return undefined;
  const path = use.paths.length === 1 ? pathOf(use.paths[0]!) : undefined;
  const { text, replacements } = writingOf(tool, input);
  if (path === undefined || (text === undefined && replacements === undefined)) return undefined;
  const who = { agent: "claude", ...(session !== undefined && { session }) };
  const [last] = await line.send({ method: "claim.last", params: { ...who, path } });
  const read = last?.result?.["read"] as { readonly version: string | null } | null | undefined;
  // Without a read, the agent's own tool asks for a read first. A whole text needs the version that was read.
  if (read === null || read === undefined || (read.version === null && text !== undefined)) return undefined;
  const common = { path, ...(call !== undefined && { opId: `hook:${call}`.slice(0, 100) }) };
  const done = await edited(line, { common, version: read.version, text, replacements });
  if (done === undefined) return undefined;
  const { result, error } = done;
  if (result !== undefined) return made(path, result);
  return ITS_OWN_FAULT.has(error?.data?.code ?? "") ? refused(path, error) : undefined;
}

interface Wish {
  readonly common: { readonly path: string; readonly opId?: string };
  /** The version that the agent read; null for bytes that a save replaced before the daemon saw them. */
  readonly version: string | null;
  readonly text: string | undefined;
  readonly replacements: readonly Replacement[] | undefined;
}

async function edited(line: HookLine, wish: Wish): Promise<HookReply | undefined> {
  const { common, version, text, replacements = [] } = wish;
  if (text !== undefined) return one(line, "edit.write", { ...common, version, text });
  const [only, ...more] = replacements;
  if (only === undefined) return undefined;
  if (more.length > 0) return severalAtOnce(line, wish);
  const params = {
    ...common,
    old: only.old,
    new: only.new,
    occurrence: only.all ? "all" : "unique",
  };
  if (version === null) return one(line, "edit.replace", params);
  const first = await one(line, "edit.replace", { ...params, version });
  // The agent may know text of the newest version, such as its own earlier edit.
  return first?.error?.data?.code === "NO_MATCH" ? one(line, "edit.replace", params) : first;
}

/** Makes several replacements as one edit of the newest text. */
async function severalAtOnce(
  line: HookLine,
  { common, replacements = [] }: Wish,
): Promise<HookReply | undefined> {
  const { path } = common;
  const read = (await one(line, "doc.read", { path }))?.result;
  const newest = read?.["text"];
  if (typeof newest !== "string") return undefined;
  const text = replaced(newest, replacements);
  if (typeof text !== "string") return { error: { ...text, data: { code: "NO_MATCH" } } };
  return one(line, "edit.write", { ...common, version: read!["version"], text });
}

async function one(line: HookLine, method: string, params: object): Promise<HookReply | undefined> {
  return (await line.send({ method, params }))[0];
}

function made(path: string, result: Readonly<Record<string, unknown>>): string {
  const merged =
    result["merged"] === true ? " It was merged with edits that others made since you read it." : "";
  const conflicts = Array.isArray(result["conflicts"]) ? result["conflicts"].length : 0;
  const clash =
    conflicts === 0 ? "" : ` Others changed the same text in ${conflicts} places; both texts stay there.`;
  if (result["changeId"] === null && typeof result["proposal"] !== "string")
    return `spliced changed nothing: ${path} already has this text. This is no error.`;
  if (typeof result["proposal"] === "string")
    return `spliced made your edit of ${path} a proposal, which a person reviews. Do not repeat it.`;
  return (
    `This is no error: spliced has made your edit of ${path}, and the file has it (${String(result["summary"])}).` +
    `${merged}${clash} Do not repeat the edit. Go on.`
  );
}

function refused(path: string, error: HookReply["error"]): string {
  const advice = error?.data?.suggestion === undefined ? "" : ` ${error.data.suggestion}`;
  return `spliced did not make your edit of ${path}: ${error?.message ?? "it was refused"}.${advice} Read the file again.`;
}
