import type { Diff, PermissionOption, RequestPermissionResponse, ToolKind } from "@agentclientprotocol/sdk";
import { RefusedError } from "../../client/errors.ts";
import { levelOf, mayWrite } from "../levels.ts";
import type { Turn } from "../turn.ts";
import { documentAt, isMissing } from "./files.ts";

/** The subject of a tool call, as far as the agent has reported it. */
export interface Asked {
  readonly title: string;
  readonly kind: ToolKind | undefined;
  readonly diffs: readonly Diff[];
  /** The files of the call, as the agent names them. */
  readonly named: readonly string[];
  readonly options: readonly PermissionOption[];
}

interface Permitting {
  readonly turn: Turn;
  readonly root: string;
  /** True if the agent's token is not the owner's. */
  readonly restricted: boolean;
}

/** Tools that change nothing in the folder. */
const HARMLESS: ReadonlySet<ToolKind | undefined> = new Set(["read", "search", "think", "fetch"]);

/** The kinds that agents give the tools of MCP servers, whose titles have the server's name, as `mcp__spliced__edit`. */
const UNNAMED: ReadonlySet<ToolKind | undefined> = new Set(["other", undefined]);
const OURS = /(?<![a-z])spliced(?![a-z])/i;

/** The answer to a question for permission, and a sentence for the agent and the thread if it is no. */
export interface Decision {
  readonly response: RequestPermissionResponse;
  readonly why: string | undefined;
}

/** Decides at once whether a tool may run: by the token's rights, and by whether its diff still fits. */
export async function decide(asked: Asked, permitting: Permitting): Promise<Decision> {
  const why = await reasonAgainst(asked, permitting);
  return { response: { outcome: chosen(asked.options, why === undefined) }, why };
}

/** Returns the option for yes or no; never one that outlives the answer. */
function chosen(options: readonly PermissionOption[], yes: boolean): RequestPermissionResponse["outcome"] {
  const option = options.find(({ kind }) => kind === (yes ? "allow_once" : "reject_once"));
  return option === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: option.optionId };
}

async function reasonAgainst(asked: Asked, permitting: Permitting): Promise<string | undefined> {
  const { title, kind, diffs, named } = asked;
  const { root, restricted, turn } = permitting;
  const outside = [...named, ...diffs.map(({ path }) => path)].find(
    (one) => documentAt(root, one) === undefined,
  );
  if (outside !== undefined && !HARMLESS.has(kind))
    return `${outside} is outside the folder of the documents.`;
  if (HARMLESS.has(kind) || (UNNAMED.has(kind) && OURS.test(title))) return undefined;
  if (diffs.length === 0) {
    if (!restricted) return undefined;
    const paths = named.map((one) => documentAt(root, one)!);
    const levels = await Promise.all(paths.map((path) => levelOf(turn.client, path)));
    // The check of an edit without a diff happens at its save.
    if ((kind === "edit" || kind === "delete") && levels.length > 0 && levels.every(mayWrite))
      return undefined;
    if (kind === "delete" && paths.length > 0) return deletion(paths, turn);
    return "Your token allows only edits whose text you show, and tools that read. Use the tools of spliced.";
  }
  const reasons = await Promise.all(diffs.map((diff) => checked(diff, permitting)));
  return reasons.find((reason) => reason !== undefined);
}

/** Returns the reason why the agent must not write a diff: it is a proposal now, or does not fit the document. */
async function checked(diff: Diff, { turn, root, restricted }: Permitting): Promise<string | undefined> {
  const path = documentAt(root, diff.path)!;
  const { oldText, newText } = diff;
  try {
    const { text, version } = await turn.client.doc.read({ path, unseen: true });
    if (oldText && !text.includes(oldText))
      return `${path} changed meanwhile, so that your edit does not fit it. Read it again.`;
    if (!restricted || mayWrite(await levelOf(turn.client, path))) return undefined;
    const isWhole = !oldText || oldText === text;
    const { id } = await turn.client.proposal.create({
      path,
      ...(isWhole
        ? { operation: "full_replace", proposed_value: newText }
        : { operation: "replace", old_content: oldText, proposed_value: newText }),
      version,
      ...turn.answers,
    });
    turn.made++;
    return becameProposal("edit", path, id);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (!isMissing(error)) return `${path}: ${error.message}.`;
    return restricted ? creation(path, newText, turn) : undefined;
  }
}

/** Creates a file as an agent asks, so that the daemon decides whether it may; the agent's own write is then no change. */
async function creation(path: string, text: string, turn: Turn): Promise<string | undefined> {
  try {
    const created = await turn.client.doc.create({ path, text, ...turn.answers });
    turn.made++;
    return "proposal" in created ? becameProposal("new file", path, created.proposal) : undefined;
  } catch (error) {
    if (error instanceof RefusedError) return `${path}: ${error.message}.`;
    throw error;
  }
}

/** Proposes a deletion; returns a sentence about the result. */
async function deletion(paths: readonly string[], turn: Turn): Promise<string> {
  const files = paths.map((path) => ({ path, operation: "delete" as const }));
  try {
    const { id } = await turn.client.proposal.create({ files, ...turn.answers });
    turn.made++;
    return becameProposal("deletion", paths.join(", "), id);
  } catch (error) {
    if (error instanceof RefusedError) return `${paths.join(", ")}: ${error.message}.`;
    throw error;
  }
}

/** Returns the sentences for an agent that an operation beyond its rights is a proposal now. */
export function becameProposal(what: "edit" | "new file" | "deletion", path: string, id: string): string {
  return `You may only propose changes of ${path}. Your ${what} became proposal ${id}, which a person decides on.`;
}
