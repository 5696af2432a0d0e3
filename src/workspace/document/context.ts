import type { Peer } from "../../doc/peers.ts";
import type { Image } from "../../mirror/files.ts";
import type { Fate, FirstMissed } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Turns } from "../../mirror/turns.ts";
import type { DocumentRecord, Seq, StoreError } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Claims } from "../claims/claims.ts";
import type { WorkspaceListener } from "../events/events.ts";
import type { UpdateFeed } from "../events/update-feed.ts";
import type { Rollbacks } from "../journal/rollback.ts";
import type { Limits, Ports } from "../ports.ts";
import type { EditorNotes } from "../saves/editor-notes.ts";
import type { Linked } from "./linked.ts";

/** The parts of a workspace that all its documents share. */
export interface Context {
  readonly ports: Ports;
  readonly limits: Limits;
  readonly emit: WorkspaceListener;
  /** The order in which the daemon reads files that changed or appeared. */
  readonly turns: Turns;
  readonly rollbacks: Rollbacks;
  /** As `LeftBehindFiles.noted`. */
  readonly noted: (docId: string) => Promise<StoreError | undefined> | undefined;
  /** Decides whose the saves of files are. */
  readonly claims: Claims;
  /** Finds the versions of files that editors have loaded. */
  readonly editors: EditorNotes;
  /** Returns true for a file that was made after the daemon covered its folder. */
  readonly isNew: (path: DocPath) => boolean;
  /** Returns the path where a file that no document has was before: `image` is the file now. */
  readonly movedFrom: (image: Image) => DocPath | undefined;
  /** Returns when the file of a document was first missed, if the document was not in memory then. */
  readonly missed: (path: DocPath) => FirstMissed | undefined;
  /** Decides the fate of a document's missing file. */
  readonly fateOf: (docId: string) => Promise<Fate>;
  /** Returns the path where the missing file of a document is now, if it is there: `images` are what it may be. */
  readonly movedTo: (record: DocumentRecord, images: readonly Image[]) => Promise<DocPath | undefined>;
  /** Returns the first of a document's changes that its history preserves, for `keepMs` milliseconds at least. */
  readonly keepFrom: (docId: string, keepMs: number) => Seq;
  readonly newId: (prefix: string) => string;
  /** Returns the time of the next change; see `changeTimes`. */
  readonly changeTime: () => number;
  readonly updates: UpdateFeed;
  /** Returns the link to other machines; undefined for a workspace of this machine alone. */
  readonly linked: () => Linked | undefined;
  /** Returns the peer that writes for an actor on one kind of replica, new in every process (I8). */
  readonly peerOf: (actor: Actor, replica: "memory" | "disk") => Peer;
}
