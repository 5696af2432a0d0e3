import type { Image, StagedId } from "../../mirror/files.ts";
import { type Shelved, shelfOf } from "../../store/shelf.ts";
import type { Seq, Store } from "../../store/store.ts";
import type { Splice } from "../../text/splice.ts";
import { type LaneFileRecord, openSwap } from "./record.ts";

/**
 * A write that a swap in a lane displaced as its daemon died. The note stays as long as the displaced file, whatever
 * else the record of the lane's file says by then: the next daemon may die, too, before it has taken the write in.
 */
export interface DisplacedWrite {
  readonly lane: string;
  readonly docId: string;
  /** The version that displaced the write. */
  readonly by: StagedId;
  /** The file that the swap was to replace. */
  readonly expected: Image;
  /** The text of that file, as `LaneFileRecord` has it. */
  readonly seq: Seq;
  readonly own?: readonly Splice[] | undefined;
}

const displacedWriteShelf = shelfOf<DisplacedWrite>("laneDisplaced");

/** Returns the displaced writes of a lane that are noted. */
export function displacedWrites(store: Store, lane: string): readonly DisplacedWrite[] {
  return [...store.shelf(displacedWriteShelf)].filter((write) => write.lane === lane);
}

/** Returns the write that the last swap of a file may have displaced; undefined if the swap is known to be done. */
export function displacedIn(record: LaneFileRecord): DisplacedWrite | undefined {
  const { lane, docId, seq, own, image } = record;
  const staged = openSwap(record);
  if (staged === undefined || docId === undefined || seq === undefined || image === undefined)
    return undefined;
  return { lane, docId, by: staged.id, expected: image, seq, own };
}

/** Returns the stored form of a displaced write. */
export function shelvedWrite(record: DisplacedWrite): Shelved {
  return { shelf: displacedWriteShelf, id: record.by, record };
}

/** Returns the removal of the note of a displaced write. */
export function unshelvedWrite({ by }: DisplacedWrite): Shelved {
  return { shelf: displacedWriteShelf, id: by, record: null };
}
