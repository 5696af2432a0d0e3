import type {
  AnsweredMessage,
  ChangeRecord,
  DocumentRecord,
  FileEvent,
  Lacked,
  PatchMark,
} from "../../store/store.ts";
import { countsOf } from "../../text/splice.ts";
import { type Version, versionOf } from "../versions/version.ts";

/** A change without its text, as events and the history report it. */
export interface ChangeSummary {
  readonly changeId: string;
  readonly path: string;
  readonly docId: string;
  readonly version: Version;
  readonly author: string;
  readonly agent: string;
  /** The name of the machine where the change was made; absent for this machine. */
  readonly machine?: string;
  readonly origin: ChangeRecord["origin"];
  /** ISO 8601. */
  readonly time: string;
  readonly message?: string;
  /** The session of the agent, as the agent names it. */
  readonly session?: string;
  /** The message of a thread that the change answers. */
  readonly answers?: AnsweredMessage;
  /** For a save that the daemon credits to an agent. */
  readonly certainty?: ChangeRecord["certainty"];
  /** The identities of the agents, when several may have saved the file. */
  readonly candidates?: string[];
  /** An edit, or an event of the document's file. */
  readonly kind: "edit" | FileEvent["kind"];
  /** The paths before and after a rename. */
  readonly from?: string;
  readonly to?: string;
  /** Code points inserted and removed. */
  readonly added: number;
  readonly removed: number;
  readonly undoes?: string;
  readonly batchId?: string;
  readonly patch?: PatchMark;
  readonly lacked?: LackedSummary;
}

/** The edits that a stale save lacked, as events and the history report them. */
export interface LackedSummary {
  readonly base: Version;
  readonly authors: string[];
  readonly evidence?: "claim" | "editor" | "unread" | "text";
}

/** Returns the summary of a change of a document. */
export function changeSummary(
  { id, path }: Pick<DocumentRecord, "id" | "path">,
  change: ChangeRecord,
): ChangeSummary {
  const { author, agent, origin, time, message, splices, file, undoes, batch, lacked, patch } = change;
  const { session, answers, certainty, candidates, machine } = change;
  return {
    changeId: change.id,
    path,
    docId: id,
    version: versionOf(change),
    author,
    agent,
    ...(machine !== undefined && { machine }),
    origin,
    time: new Date(time).toISOString(),
    ...(message !== undefined && { message }),
    ...(session !== undefined && { session }),
    ...(answers !== undefined && { answers }),
    ...(certainty !== undefined && { certainty }),
    ...(candidates !== undefined && { candidates: [...candidates] }),
    kind: file?.kind ?? "edit",
    ...(file?.kind === "rename" && { from: file.from, to: file.to }),
    ...countsOf(splices),
    ...(undoes !== undefined && { undoes }),
    ...(batch !== undefined && { batchId: batch.id }),
    ...(patch !== undefined && { patch: { ...patch } }),
    ...(lacked !== undefined && { lacked: lackedSummary(lacked) }),
  };
}

export function lackedSummary({ base, authors, evidence }: Lacked): LackedSummary {
  const named = evidence === "texts" ? "text" : evidence;
  return { base, authors: [...authors], ...(named !== undefined && { evidence: named }) };
}
