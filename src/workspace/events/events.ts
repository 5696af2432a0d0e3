import type { Blocked } from "../../mirror/mirrored-document.ts";
import type { Overlap } from "../../text/delta.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Rejection } from "../outcome/refusal.ts";
import type { Version } from "../versions/version.ts";
import type { ChangeSummary } from "./change-summary.ts";

/** What is told of a preview that somebody has to confirm. */
export type PreviewStatus = "waiting" | "applied";

/**
 *     pending ─┬─ approve, until nothing of it is left ──► approved
 *              ├─ reject ────────────────────────────────► rejected
 *              ├─ nothing left to do, or to do it to ────► superseded
 *              └─ too old ───────────────────────────────► expired
 */
export type ProposalStatus = "pending" | "approved" | "rejected" | "superseded" | "expired";

/** What happens in a workspace. Changes of one document come in the order of its versions, once durable. */
export type WorkspaceEvent =
  | (ChangeSummary & {
      readonly type: "changed";
      /** The version before, which the splices apply to. */
      readonly previous: Version;
      readonly sha256: string | null;
      /** In the positions of `before`. */
      readonly splices: readonly Splice[];
      readonly before: Text;
    })
  | {
      readonly type: "created";
      readonly path: string;
      readonly docId: string;
      readonly author: string;
    }
  | {
      readonly type: "deleted";
      readonly path: string;
      readonly docId: string;
      readonly author: string;
      /** How many edits the file did not hold yet; they are kept. */
      readonly unsaved: number;
    }
  | {
      readonly type: "renamed";
      readonly path: string;
      readonly to: string;
      readonly docId: string;
      readonly author: string;
    }
  | {
      readonly type: "conflict";
      readonly path: string;
      /** The change that merged both. */
      readonly version: Version;
      /** Who made the changes called `ours`. */
      readonly author: string;
      readonly conflicts: readonly Overlap[];
      /** The text that both sides had; the conflicts are in its positions. */
      readonly base: Text;
    }
  | {
      /** A save made from an older version was merged; undoing the change takes the merge back (I6). */
      readonly type: "rescued";
      readonly path: string;
      readonly version: Version;
      readonly changeId: string;
      /** What the save was made from. */
      readonly base: Version;
      /** Whose edits it lacked. */
      readonly authors: readonly string[];
      /** In the positions of `text`, the base's. */
      readonly conflicts: readonly Overlap[];
      readonly text: Text;
    }
  | {
      /** A save stands that took out others' edits, perhaps without meaning to; undoing it brings them back. */
      readonly type: "superseded";
      readonly path: string;
      readonly version: Version;
      readonly changeId: string;
      readonly base: Version;
      readonly authors: readonly string[];
    }
  | {
      /** A proposal was made, reviewed, or has become pointless; `path` is its document's. */
      readonly type: "proposal";
      readonly path: string;
      readonly id: string;
      readonly status: ProposalStatus;
      readonly author: string;
      readonly agent_id: string;
      /** Null where nobody reviewed it. */
      readonly reviewer: string | null;
      /** Of a rejection. */
      readonly reason: string | null;
      /** The change that its last approval made. */
      readonly applied_change: string | null;
    }
  | {
      /** An edit that has to be confirmed was shown, or was made; told once for each of its documents. */
      readonly type: "preview";
      readonly path: string;
      readonly patch_id: string;
      readonly status: PreviewStatus;
      readonly author: string;
      readonly agent_id: string;
      /** Null while it waits. */
      readonly confirmer: string | null;
    }
  | {
      readonly type: "blocked";
      readonly path: string;
      readonly problem: Blocked;
    }
  | { readonly type: "recovered"; readonly path: string }
  | {
      /** An agent's edit did not fit the document; nothing changed. */
      readonly type: "rejected";
      readonly path: string;
      readonly author: string;
      readonly agent: string;
      /** The protocol's name of what was asked for. */
      readonly method: string;
      readonly code: Rejection;
      /** In one word; of a patch, why its hunk does not fit. */
      readonly reason: string;
      readonly message: string;
      readonly suggestion?: string;
    };

export type Listener = (event: WorkspaceEvent) => void;
