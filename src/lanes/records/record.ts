import { createHash } from "node:crypto";
import { type Image, type StagedId, sameImage } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import { type Shelved, shelfOf } from "../../store/shelf.ts";
import type { Seq } from "../../store/store.ts";
import type { Splice } from "../../text/splice.ts";

/** A lane as the store has it. */
export interface LaneRecord {
  readonly name: string;
  /** The absolute path of the folder. */
  readonly folder: string;
  /** The id and the name of the token whose rules apply. */
  readonly token: string;
  readonly tokenName: string;
  /** True if writes become proposals even where the token may write. */
  readonly propose: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  /** True once the folder has all files. */
  readonly ready: boolean;
  /** False for a removal that leaves the files whose text the workspace does not have. */
  readonly isForced?: boolean;
  /** The pending proposal of the lane's writes, and the former proposal, which the lane has still to close. */
  readonly proposal?: string | undefined;
  readonly former?: string | undefined;
  /** The commit that the git worktree began at. */
  readonly commit?: string | undefined;
  /** The run of the system in which a daemon last opened the lane (`bootId`). */
  readonly boot?: string | undefined;
}

/**
 * The state of one file in a lane. `live`: the file follows its document. `proposed`: it has text that waits for
 * approval. `refused`: the daemon could not take the text in. `rejected`: a reviewer refused the text.
 */
export type LaneFileStatus = "live" | "proposed" | "refused" | "rejected";

/**
 * The part that a proposal has of a file, as the store has it. Its text is that after the change `seq`, with the splices
 * `own`; the part of a new file has neither.
 */
export interface StoredOffer {
  readonly proposal: string;
  readonly seq?: Seq | undefined;
  readonly own?: readonly Splice[] | undefined;
}

/** A text as `seq` and `own` tell it; it has others' text up to the change `since`. */
interface EarlierText {
  readonly seq: Seq;
  readonly own: readonly Splice[] | undefined;
  readonly since: Seq;
}

/** A version that is to be a file of a lane. */
interface StagedVersion {
  readonly id: StagedId;
  readonly seq: Seq;
  readonly image: Image;
  /** True for a file that comes back after the agent deleted it. */
  readonly isBack?: boolean;
  /** True for a file that comes from the workspace. Until it is known to be there, its record has no image. */
  readonly isNew?: boolean;
}

/** One file of a lane as the daemon last knew it. */
export interface LaneFileRecord {
  readonly lane: string;
  /** The path in the lane. */
  readonly path: DocPath;
  readonly status: LaneFileStatus;
  /** The document's id; absent until the document was needed. */
  readonly docId?: string | undefined;
  /** The newest change that the file has, with `own`. */
  readonly seq?: Seq | undefined;
  /** The splices that the file has beside the text after `seq`; the document has them too. */
  readonly own?: readonly Splice[] | undefined;
  /** The text that the agent wrote last; before the first write, the text that the file began with. */
  readonly written?: EarlierText;
  /** The text that the last staged version replaced, unless the agent has written since. */
  readonly replaced?: EarlierText | undefined;
  /** The hash of the file's bytes; absent where the document's change shows it. */
  readonly sha256?: string | undefined;
  readonly image?: Image | undefined;
  /** True for a file that the agent deleted while the workspace still has it. */
  readonly gone?: boolean | undefined;
  /** True for a new file whose document is being made; `sha256` is then the hash of the text that the document gets. */
  readonly made?: boolean | undefined;
  /** The workspace's file of such a document, as it was made. */
  readonly placed?: Image | undefined;
  /** True for a file that the agent renamed, while its document has another path. */
  readonly renamed?: boolean | undefined;
  /** The reason why the text was refused or rejected. */
  readonly why?: string | undefined;
  /** The proposal that has the text. */
  readonly proposal?: string | undefined;
  /** The parts of the file in proposals that somebody may have approved; the agent may have changed the file since. */
  readonly offers?: readonly StoredOffer[] | undefined;
  /** The last version that was staged; absent once it is known to be in the file's place. */
  readonly staged?: StagedVersion | undefined;
}

/** Returns the staged version that may have taken the file's place without a note of this. */
export function openSwap({ staged, seq = -1, own }: LaneFileRecord): LaneFileRecord["staged"] {
  if (staged === undefined || seq > staged.seq) return undefined;
  return seq === staged.seq && own === undefined ? undefined : staged;
}

/** Returns true for a file that came from the workspace as its daemon died, if no daemon has seen it in the lane since. */
export function isUnseen({ staged, image }: LaneFileRecord): boolean {
  return staged?.isNew === true && image !== undefined && sameImage(image, staged.image);
}

/** The fields of a record whose file has no text that its document lacks. */
export const AGREED = {
  status: "live",
  made: undefined,
  placed: undefined,
  sha256: undefined,
  why: undefined,
  proposal: undefined,
  offers: undefined,
} as const;

/** The most records that are stored in one write. */
export const STORED_AT_ONCE = 1000;

export const laneShelf = shelfOf<LaneRecord>("lanes");
export const laneFileShelf = shelfOf<LaneFileRecord>("laneFiles");

/** Returns the stored form of a lane's record. */
export function shelvedLane(record: LaneRecord): Shelved {
  return { shelf: laneShelf, id: record.name, record };
}

/** Returns the id of a file's record. The store's keys are shorter than paths may be. */
export function fileIdOf(lane: string, path: string): string {
  return createHash("sha256").update(`${lane}\0${path}`).digest("hex").slice(0, 40);
}

/** Returns the stored form of a file's record. */
export function shelvedFile(record: LaneFileRecord): Shelved {
  return { shelf: laneFileShelf, id: fileIdOf(record.lane, record.path), record };
}

/** Returns the removal of a file's record. */
export function unshelvedFile({ lane, path }: Pick<LaneFileRecord, "lane" | "path">): Shelved {
  return { shelf: laneFileShelf, id: fileIdOf(lane, path), record: null };
}
