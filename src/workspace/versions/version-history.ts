import { type ChangeRecord, firstSeqOf, type Seq, type Store } from "../../store/store.ts";
import { composeAll } from "../../text/delta.ts";
import { invert, type Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { seqOf, type Version, versionOf } from "./version.ts";

/** A change and the text after it. */
interface VersionEntry {
  readonly change: ChangeRecord;
  readonly text: Text;
}

/** The versions that stay in memory; their texts share unchanged parts. Older texts are rebuilt from the store. */
const IN_MEMORY = 64;
/** The most stored changes that a search by hash reads. */
const MOST_SEARCHED = 1000;

/** Gives a document's earlier texts and the changes since. */
export class VersionHistory {
  readonly #store: Store;
  readonly #id: string;
  /** The newest versions, oldest first; the last is the head. */
  #recent: VersionEntry[];
  #folded: Seq;

  constructor(store: Store, id: string, head: ChangeRecord, text: Text) {
    this.#store = store;
    this.#id = id;
    this.#recent = [{ change: head, text }];
    this.#folded = (head.seq > 0 ? store.folded(id) : undefined) ?? -1;
  }

  /** The newest change that was folded into an entry of the history; -1 while there is none. */
  get folded(): Seq {
    return this.#folded;
  }

  /** Notes that the store folded the changes up to `seq`. */
  wasFolded(seq: Seq): void {
    this.#folded = seq;
  }

  /** Adds the next change as the head. */
  push(change: ChangeRecord, text: Text): void {
    this.#recent.push({ change, text });
    if (this.#recent.length > 2 * IN_MEMORY) this.#recent = this.#recent.slice(-IN_MEMORY);
  }

  /** The first change in the history. */
  get oldest(): ChangeRecord {
    return this.#store.oldest(this.#id) ?? this.#recent[0]!.change;
  }

  get head(): VersionEntry {
    return this.#recent.at(-1)!;
  }

  /** Returns the change that made a version; undefined if the history does not contain it. */
  find(version: Version): ChangeRecord | undefined {
    const seq = seqOf(version);
    const change = seq === undefined ? undefined : this.change(seq);
    return change !== undefined && versionOf(change) === version ? change : undefined;
  }

  /** Returns the newest change whose text has this hash, among those in memory and `limit` changes before them. */
  findHash(sha256: string, limit = MOST_SEARCHED): ChangeRecord | undefined {
    const recent = this.#recent.findLast(({ change }) => change.sha256 === sha256)?.change;
    if (recent !== undefined) return recent;
    const before = this.#recent[0]!.change.seq;
    for (const change of this.#store.changes(this.#id, { before, limit }))
      if (change.sha256 === sha256) return change;
    return undefined;
  }

  /** Returns the change with a sequence number; undefined if the history does not contain it. */
  change(seq: Seq): ChangeRecord | undefined {
    const oldest = this.#recent[0]!.change.seq;
    return seq >= oldest ? this.#recent[seq - oldest]?.change : this.#store.change(this.#id, seq);
  }

  /** Returns the entry of the history that contains a change. */
  entry(seq: Seq): ChangeRecord | undefined {
    return seq <= this.#folded ? this.#store.entry(this.#id, seq) : this.change(seq);
  }

  /** Returns the text after a change; undefined if the history does not reach back to it. */
  textAt(seq: Seq): Text | undefined {
    const oldest = this.#recent[0]!;
    if (seq >= oldest.change.seq) return this.#recent[seq - oldest.change.seq]?.text;
    // An older text is rebuilt by inverting the changes after it, newest first.
    let { text } = oldest;
    for (let at = oldest.change.seq; at > seq; ) {
      const entry = this.entry(at);
      const step = entry?.seq === at && firstSeqOf(entry) > seq ? entry : this.change(at);
      if (step === undefined) return undefined;
      text = text.splice(invert(step.splices, step.removed));
      at = firstSeqOf(step) - 1;
    }
    return text;
  }

  /**
   * Returns the changes after a change, up to `last`, as one edit of its text; undefined if the history does not reach
   * back to it.
   */
  since(seq: Seq, last = this.head.change.seq): Splice[] | undefined {
    const edits: (readonly Splice[])[] = [];
    for (let at = seq + 1; at <= last; ) {
      const entry = this.entry(at);
      const step = entry && firstSeqOf(entry) === at && entry.seq <= last ? entry : this.change(at);
      if (step === undefined) return undefined;
      edits.push(step.splices);
      at = step.seq + 1;
    }
    return composeAll(edits);
  }
}
