import type { ChangeRecord, Seq, Store } from "../../store/store.ts";
import { compose } from "../../text/delta.ts";
import { invert, type Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { seqOf, type Version, versionOf } from "./version.ts";

interface VersionEntry {
  readonly change: ChangeRecord;
  readonly text: Text;
}

/** Versions kept ready; older ones are rebuilt from the store. Their texts share what did not change. */
const READY = 64;
/** How far back a base is looked for by its hash. */
const HASH_REACH = 1000;

/** A document's earlier texts and what changed since. */
export class VersionHistory {
  readonly #store: Store;
  readonly #id: string;
  /** Oldest first; the last is the head. */
  #ready: VersionEntry[];

  constructor(store: Store, id: string, head: ChangeRecord, text: Text) {
    this.#store = store;
    this.#id = id;
    this.#ready = [{ change: head, text }];
  }

  push(change: ChangeRecord, text: Text): void {
    this.#ready.push({ change, text });
    if (this.#ready.length > 2 * READY) this.#ready = this.#ready.slice(-READY);
  }

  /** The first change that is kept; its text is what all others build on. */
  get oldest(): ChangeRecord {
    return this.#store.oldest(this.#id) ?? this.#ready[0]!.change;
  }

  get head(): VersionEntry {
    return this.#ready.at(-1)!;
  }

  /** The change that a version names, if this document has it. */
  find(version: Version): ChangeRecord | undefined {
    const seq = seqOf(version);
    const change = seq === undefined ? undefined : this.change(seq);
    return change !== undefined && versionOf(change) === version ? change : undefined;
  }

  /** The newest change whose text has this hash, among the recent ones. */
  findHash(sha256: string): ChangeRecord | undefined {
    for (let i = this.#ready.length - 1; i >= 0; i--)
      if (this.#ready[i]!.change.sha256 === sha256) return this.#ready[i]!.change;
    const oldest = this.#ready[0]!.change.seq;
    for (const change of this.#store.changes(this.#id, {
      before: oldest,
      limit: HASH_REACH,
    }))
      if (change.sha256 === sha256) return change;
    return undefined;
  }

  change(seq: Seq): ChangeRecord | undefined {
    const oldest = this.#ready[0]!.change.seq;
    return seq >= oldest ? this.#ready[seq - oldest]?.change : this.#store.change(this.#id, seq);
  }

  /** The text after a change; changes are taken back one by one where it is not kept ready. */
  textAt(seq: Seq): Text | undefined {
    const oldest = this.#ready[0]!;
    if (seq >= oldest.change.seq) return this.#ready[seq - oldest.change.seq]?.text;
    let { text } = oldest;
    for (let at = oldest.change.seq; at > seq; at--) {
      const change = this.change(at);
      if (change === undefined) return undefined;
      text = text.splice(invert(change.splices, change.removed));
    }
    return text;
  }

  /** Everything that happened after a change, as one edit of the text it left; undefined past the history. */
  since(seq: Seq): Splice[] | undefined {
    let all: Splice[] = [];
    for (let at = seq + 1; at <= this.head.change.seq; at++) {
      const change = this.change(at);
      if (change === undefined) return undefined;
      all = compose(all, change.splices);
    }
    return all;
  }
}
