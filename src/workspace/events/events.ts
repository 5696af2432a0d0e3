import type { Blocked } from "../../mirror/mirrored-document.ts";
import type { AnsweredMessage } from "../../store/store.ts";
import type { Overlap } from "../../text/delta.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Rejection } from "../outcome/refusal.ts";
import type { Version } from "../versions/version.ts";
import type { ChangeSummary, LackedSummary } from "./change-summary.ts";

/** The state of a preview that needs a confirmation. */
export type PreviewStatus = "waiting" | "applied";

/**
 * The state of a proposal.
 *
 *     pending ─┬─ approved as a whole, or part by part ──► approved
 *              ├─ rejected ──────────────────────────────► rejected
 *              ├─ already done, or its text is gone ─────► superseded
 *              └─ too old ───────────────────────────────► expired
 */
export type ProposalStatus = "pending" | "approved" | "rejected" | "superseded" | "expired";

/** An event of a document's file, and the change that records it, if the history has it as a change of its own. */
interface OfFile {
  readonly path: string;
  readonly docId: string;
  readonly author: string;
  readonly changeId?: string;
}

/** The events of a workspace. The changes of one document come in the order of its versions, once durable. */
export type WorkspaceEvent =
  | (ChangeSummary & {
      readonly type: "changed";
      /** The version before the change. */
      readonly previous: Version;
      readonly sha256: string | null;
      /** The splices in the positions of `before`. */
      readonly splices: readonly Splice[];
      /** The text before the change. */
      readonly before: Text;
    })
  | (OfFile & { readonly type: "created" })
  | (OfFile & {
      readonly type: "deleted";
      /** The number of edits that the file did not hold yet; the document still has them. */
      readonly unsaved: number;
    })
  | (OfFile & { readonly type: "renamed"; readonly to: string })
  | {
      readonly type: "conflict";
      readonly path: string;
      /** The version that contains both sides. */
      readonly version: Version;
      /** The author of the changes called `ours`. */
      readonly author: string;
      readonly conflicts: readonly Overlap[];
      /** The text that both sides edited; the conflicts are in its positions. */
      readonly base: Text;
    }
  | (LackedSummary & {
      /** The daemon rescued edits that a stale save lacked; undoing the change removes them again (I6). */
      readonly type: "rescued";
      readonly path: string;
      readonly version: Version;
      readonly changeId: string;
      /** The conflicts in the positions of `text`, the text of the base. */
      readonly conflicts: readonly Overlap[];
      readonly text: Text;
    })
  | (LackedSummary & {
      /** A save removed others' edits, perhaps by mistake. Undoing the change restores them. */
      readonly type: "superseded";
      readonly path: string;
      readonly version: Version;
      readonly author: string;
      readonly changeId: string;
    })
  | {
      /** A proposal was created or reviewed, or became outdated; `path` is the path of its document. */
      readonly type: "proposal";
      readonly path: string;
      /** The paths of all of its documents; only connections that may read all of them get the event. */
      readonly paths: readonly string[];
      readonly id: string;
      readonly status: ProposalStatus;
      readonly author: string;
      readonly agentId: string;
      /** The message of a thread that it answers. */
      readonly answers?: AnsweredMessage;
      /** The reviewer; null without a review. */
      readonly reviewer: string | null;
      /** The reason for a rejection, if the reviewer gave one. */
      readonly reason: string | null;
      /** The id of the change that its last approval made. */
      readonly appliedChange: string | null;
    }
  | {
      /** An edit waits for confirmation, or was confirmed and applied. Each of its documents has such an event. */
      readonly type: "preview";
      readonly path: string;
      readonly patchId: string;
      readonly status: PreviewStatus;
      readonly author: string;
      readonly agentId: string;
      /** Null while the preview waits. */
      readonly confirmer: string | null;
    }
  | {
      readonly type: "blocked";
      readonly path: string;
      readonly problem: Blocked;
    }
  | { readonly type: "recovered"; readonly path: string }
  | {
      /** The daemon refused an agent's edit because the document is not as the agent expected; nothing changed. */
      readonly type: "rejected";
      readonly path: string;
      readonly author: string;
      readonly agent: string;
      /** The method of the request. */
      readonly method: string;
      readonly code: Rejection;
      /** The reason in one word; for a patch, why its hunk does not fit. */
      readonly reason: string;
      readonly message: string;
      readonly suggestion?: string;
    };

export type WorkspaceListener = (event: WorkspaceEvent) => void;
