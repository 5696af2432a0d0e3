import type { ImportStatus, LoroDoc, LoroText } from "loro-crdt";
import type { Splice } from "../text/splice.ts";
import type { Text } from "../text/text.ts";
import type { ReplicaVersion } from "./finding.ts";
import { splicesOf } from "./loro-delta.ts";
import { loro } from "./package.ts";
import type { Peer } from "./peers.ts";

/** A saved document: Loro's bytes in the form that loads faster. */
export interface Saved {
  readonly form: "update" | "snapshot";
  readonly bytes: Uint8Array;
}

/**
 * The most UTF-16 units of one insert. The time to import an insert of another peer grows with its square (0.3 s per
 * megabyte at 8192, 2 s at 65,536).
 */
const PIECE = 8192;
/**
 * Up to this many changes after the seed, the update form loads faster. The snapshot form decodes its whole text at the
 * first import: 2 s at 10 MB. Beyond it the snapshot form is faster: it does not replay the history, 3 s for 100,000
 * edits.
 */
const REPLAY_LIMIT = 2000;

/** Returns true for a document that was saved in the form that replays its edits, though they are many. */
export function loadsSlowly({ form }: Pick<Saved, "form">, edits: number): boolean {
  return form === "update" && edits > REPLAY_LIMIT;
}

/** The size in bytes up to which an update is short. Byte 21 of its header tells its mode: 3 is a snapshot, 4 an update. */
const SHORT_UPDATE = 1024;
const MODE_AT = 21;
const MODE_UPDATE = 4;

/** The name of a document's only container, and its id. */
export const CONTENT = "content";
export const CONTAINER = `cid:root-${CONTENT}:Text`;

export interface SaveOptions {
  readonly shallow: boolean;
  readonly edits?: number;
}

/** The operations that a version of a document lacks. */
export type Lacking =
  | { readonly is: "updates"; readonly bytes: Uint8Array | undefined }
  /** The version is of another document, or of this one before it was recreated. A merge would contain both texts. */
  | { readonly is: "unrelated" }
  /** The version is older than the stored history. */
  | { readonly is: "folded" };

/** Returns an update by `peer` that gives an empty replica a text. */
export function seedUpdate(peer: Peer, text: string): Uint8Array {
  const replica = new Replica();
  try {
    replica.seed(peer, text);
    return replica.save({ shallow: false }).bytes;
  } finally {
    replica.close();
  }
}

/** One LoroDoc with one text. It throws on misuse; bytes from outside never reach it unexamined. */
export class Replica {
  readonly #doc: LoroDoc = new (loro().LoroDoc)();
  readonly #text: LoroText = this.#doc.getText(CONTENT);
  /** The peer of the splices that are not committed yet. */
  #writer: Peer | undefined;
  /** Ends the subscription to Loro's events; undefined while there is none. */
  #unhear: (() => void) | undefined;
  /** The splices that the events of the import under way tell of; undefined while nobody needs them. */
  #heard: Splice[] | undefined;

  /** Loads a snapshot and the updates after it, each of which builds on those before it. */
  static load(saved: readonly Uint8Array[]): Replica {
    const replica = new Replica();
    replica.import(saved);
    return replica;
  }

  /**
   * Seeds a text in small inserts, last piece first. Loro joins pieces inserted in order into one long run. In such a
   * run, every later edit takes time in proportion to the whole document.
   */
  seed(peer: Peer, text: string): void {
    this.#doc.setPeerId(peer);
    this.#insert(0, text);
    this.#doc.commit();
  }

  /**
   * Applies splices in positions of `base`, which must be this replica's text. Until `commit`, all have one peer. Each
   * inserts before it deletes, first splice first: 10,000 splices of a text that nobody had changed took 75 ms of
   * processor time so, and 230 ms the other way around.
   */
  splice(peer: Peer, base: Text, splices: readonly Splice[]): void {
    this.#stopHearing();
    if (this.#writer !== peer) this.#doc.setPeerId(peer);
    this.#writer = peer;
    let shift = 0;
    for (const { from, to, insert } of splices) {
      const start = utf16(base, from) + shift;
      const size = to === from ? 0 : utf16(base, to) + shift - start;
      this.#insert(start, insert);
      if (size > 0) this.#text.delete(start + insert.length, size);
      shift += insert.length - size;
    }
  }

  /** Commits all splices since the last commit, as one local update. */
  commit(): void {
    this.#writer = undefined;
    this.#doc.commit();
  }

  /**
   * Imports commits of other replicas, each of which builds on those before it, one by one. Two at once took 2 ms where
   * three peers wrote, and 0.1 ms one by one. The time for inserts that follow each other would grow with the square of
   * their bytes: 1,000 lines of 1 kB took 24 s at once. @throws when operations that they build on are missing
   */
  import(updates: readonly Uint8Array[]): void {
    for (const update of updates) checkWhole(this.#doc.import(update));
  }

  /** Imports updates; returns their splices in UTF-16 units of the text before. */
  #adopt(updates: readonly Uint8Array[]): Splice[] {
    const heard: Splice[] = [];
    this.#heard = heard;
    // Until the next splice: a subscription for each import would take a fifth of the time of the import.
    this.#unhear ??= this.#doc.subscribe(({ events }) => {
      for (const { diff } of events) if (diff.type === "text") this.#heard?.push(...splicesOf(diff.diff));
    });
    // All at once, so that one event tells of them, in units of the text before.
    try {
      if (updates.length > 1) checkWhole(this.#doc.importBatch([...updates]));
      else this.import(updates);
    } finally {
      this.#heard = undefined;
    }
    return heard;
  }

  #stopHearing(): void {
    this.#unhear?.();
    this.#unhear = undefined;
  }

  /**
   * Imports sound updates that the replica may have in part. Returns the rest as one update, with its splices in UTF-16
   * units of the text before; undefined if the replica has all. A short update is returned as it came, because it takes
   * longer to leave out what was there.
   */
  receive(
    updates: readonly Uint8Array[],
  ): { readonly update: Uint8Array; readonly splices: Splice[] } | undefined {
    const [only] = updates;
    const isWhole = updates.length === 1 && isShortUpdate(only!);
    const known = this.#doc.opCount();
    const before = isWhole ? undefined : this.#doc.version();
    try {
      const splices = this.#adopt(updates);
      if (this.#doc.opCount() === known) return undefined;
      // A copy, because the update may be a view of a whole message.
      const update = before ? this.#doc.export({ mode: "update", from: before }) : new Uint8Array(only!);
      return { update, splices };
    } finally {
      before?.free();
    }
  }

  /**
   * Returns another replica with the same content. Loro loads a new replica ten times faster than it imports a long
   * update.
   */
  copy(): Replica {
    return Replica.load([this.save({ shallow: false }).bytes]);
  }

  /** The number of operations of each peer, as Loro encodes it. */
  get version(): Uint8Array {
    const version = this.#doc.version();
    try {
      return version.encode();
    } finally {
      version.free();
    }
  }

  /** Returns true when the replica contains operations of a peer. */
  knows(peer: Peer): boolean {
    const version = this.#doc.version();
    try {
      return (version.get(peer) ?? 0) > 0;
    } finally {
      version.free();
    }
  }

  /** Returns the operations that a replica at `version` lacks; an empty version is that of an empty document. */
  lacking(version: ReplicaVersion): Lacking {
    if (version.size === 0) return { is: "updates", bytes: this.save({ shallow: false }).bytes };
    const own = this.#doc.version();
    const root = this.#doc.shallowSinceVV();
    const theirs = new (loro().VersionVector)(new Map(version));
    try {
      const peers = [...own.toJSON().keys()];
      if (peers.length > 0 && !peers.some((peer) => version.has(peer))) return { is: "unrelated" };
      if ((theirs.compare(root) ?? -1) < 0) return { is: "folded" };
      const bytes =
        (theirs.compare(own) ?? -1) < 0 ? this.#doc.export({ mode: "update", from: theirs }) : undefined;
      return { is: "updates", bytes };
    } finally {
      for (const vector of [own, root, theirs]) vector.free();
    }
  }

  /** Returns one update of all operations that the other replica lacks. */
  since(other: Replica): Uint8Array {
    const version = other.#doc.version();
    try {
      return this.#doc.export({ mode: "update", from: version });
    } finally {
      version.free();
    }
  }

  /** Calls the listener with the bytes of every local commit, before the commit returns; never for imports (I4). */
  onLocalUpdate(listener: (update: Uint8Array) => void): () => void {
    return this.#doc.subscribeLocalUpdates(listener);
  }

  get utf16Length(): number {
    return this.#text.length;
  }

  toString(): string {
    return this.#text.toString();
  }

  /**
   * Returns the whole content; with `shallow`, without its history. `edits` is their number, where the caller knows it:
   * Loro's changes are fewer, because it joins those of one peer.
   */
  save({ shallow, edits = this.#doc.changeCount() }: SaveOptions): Saved {
    if (shallow) {
      const frontiers = this.#doc.frontiers();
      return { form: "snapshot", bytes: this.#doc.export({ mode: "shallow-snapshot", frontiers }) };
    }
    // Updates do not contain the start of a shallow replica.
    const replayed = edits <= REPLAY_LIMIT + this.utf16Length / PIECE;
    const form = replayed && !this.#doc.isShallow() ? "update" : "snapshot";
    return { form, bytes: this.#doc.export({ mode: form }) };
  }

  /** Inserts in pieces, last piece first, so that Loro does not join them into one long run. */
  #insert(at: number, text: string): void {
    for (let end = text.length; end > 0; ) {
      let start = Math.max(0, end - PIECE);
      if (start > 0 && isLow(text.charCodeAt(start))) start++;
      this.#text.insert(at, text.slice(start, end));
      end = start;
    }
  }

  /** Frees the WebAssembly memory. A text handle keeps its document alive, so the text is freed first (I15). */
  close(): void {
    this.#stopHearing();
    this.#text.free();
    this.#doc.free();
  }
}

/** Returns true for a short update that is no snapshot, as the header of Loro's encoding tells. */
function isShortUpdate(bytes: Uint8Array): boolean {
  return bytes.length < SHORT_UPDATE && bytes[MODE_AT] === MODE_UPDATE;
}

/** @throws when operations are missing on which imported ones build */
function checkWhole({ pending }: ImportStatus): void {
  if (pending !== null && pending.size > 0) throw new Error("updates build on others that are missing");
}

function utf16(text: Text, position: number): number {
  const index = text.convert(position, "utf-32", "utf-16");
  if (index === undefined) throw new RangeError(`position ${position} is outside 0..${text.chars}`);
  return index;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
