import { type Delta, LoroDoc, type LoroText, VersionVector } from "loro-crdt";
import type { Splice } from "../text/splice.ts";
import type { Text } from "../text/text.ts";
import type { ReplicaVersion } from "./finding.ts";
import type { Peer } from "./peers.ts";

/** A saved document: Loro's bytes in the form that loads fastest for it. */
export interface Saved {
  readonly form: "update" | "snapshot";
  readonly bytes: Uint8Array;
}

/**
 * UTF-16 units that an insert may have. A replica takes an insert of another peer in with work that grows with the
 * square of this (0.3 s a megabyte at 8192, 2 s at 65,536).
 */
const PIECE = 8192;
/** The same where a replica is seeded: whoever loads it holds nothing yet, and longer ones are encoded twice as fast. */
const SEED = 65_536;
/**
 * Up to this many changes beside those of the seeding, the update form loads faster (the snapshot form
 * decodes its whole text at the first import, 2 s at 10 MB); past it the snapshot does (it need not replay
 * the history, 3 s for 100,000 edits).
 */
const REPLAY_LIMIT = 2000;

/** A text of so many UTF-16 units is seeded in small pieces. */
const SHORT = 1 << 20;

/** The name of the one container that is used, and its id. */
export const CONTENT = "content";
export const CONTAINER = `cid:root-${CONTENT}:Text`;

/** What somebody who has a version of a document lacks of it. */
export type Lacking =
  | { readonly is: "updates"; readonly bytes: Uint8Array | undefined }
  /** Theirs is another document, or this one before it was made anew: put together, both texts would be in it. */
  | { readonly is: "unrelated" }
  /** Theirs is from before the history that is kept. */
  | { readonly is: "folded" };

/** An update that makes an empty replica hold a text, written by `peer`. */
export function seedUpdate(peer: Peer, text: string): Uint8Array {
  const replica = new Replica();
  try {
    replica.seed(peer, text);
    return replica.save({ shallow: false }).bytes;
  } finally {
    replica.close();
  }
}

/** One LoroDoc that holds one text. Throws on misuse; nothing from outside reaches it unchecked. */
export class Replica {
  readonly #doc = new LoroDoc();
  readonly #text: LoroText = this.#doc.getText(CONTENT);

  static load(saved: readonly Uint8Array[]): Replica {
    const replica = new Replica();
    // A shallow snapshot has no effect in a batch with what builds on it.
    replica.import(saved.slice(0, 1));
    replica.import(saved.slice(1));
    return replica;
  }

  /**
   * Seeds a text in small inserts, last piece first: one long run of text would make every later edit cost
   * in proportion to the whole document, and pieces inserted in order are joined into such a run.
   */
  seed(peer: Peer, text: string): void {
    this.#doc.setPeerId(peer);
    this.#insert(0, text, text.length > SHORT ? SEED : PIECE);
    this.#doc.commit();
  }

  /** Applies splices that are in the positions of `base`, which must be this replica's text, as one commit. */
  splice(peer: Peer, base: Text, splices: readonly Splice[]): void {
    this.#doc.setPeerId(peer);
    for (let i = splices.length - 1; i >= 0; i--) {
      const { from, to, insert } = splices[i]!;
      const start = utf16(base, from);
      const size = to === from ? 0 : utf16(base, to) - start;
      if (size > 0) this.#text.delete(start, size);
      this.#insert(start, insert, PIECE);
    }
    this.#doc.commit();
  }

  /** Takes in others' commits. @throws when something that they build on is missing */
  import(updates: readonly Uint8Array[]): void {
    if (updates.length === 0) return;
    const { pending } =
      updates.length === 1 ? this.#doc.import(updates[0]!) : this.#doc.importBatch([...updates]);
    if (pending !== null && pending.size > 0) throw new Error("updates build on others that are missing");
  }

  /**
   * Takes in what was made elsewhere and was found sound; answers what it did to the text, in UTF-16 units of
   * the text before.
   */
  adopt(update: Uint8Array): Splice[] {
    const splices: Splice[] = [];
    const end = this.#doc.subscribe(({ events }) => {
      for (const { diff } of events) if (diff.type === "text") splices.push(...splicesOf(diff.diff));
    });
    try {
      this.import([update]);
    } finally {
      end();
    }
    return splices;
  }

  /** Another replica that holds the same. Loro loads one from nothing ten times faster than it takes in a long update. */
  copy(): Replica {
    return Replica.load([this.save({ shallow: false }).bytes]);
  }

  /** How many operations of each peer it holds, as Loro encodes it. */
  get version(): Uint8Array {
    const version = this.#doc.version();
    try {
      return version.encode();
    } finally {
      version.free();
    }
  }

  /** True when it holds operations of a peer. */
  knows(peer: Peer): boolean {
    const version = this.#doc.version();
    try {
      return (version.get(peer) ?? 0) > 0;
    } finally {
      version.free();
    }
  }

  /** What somebody at `version` lacks; an empty one is that of a document which holds nothing yet. */
  lacking(version: ReplicaVersion): Lacking {
    if (version.size === 0) return { is: "updates", bytes: this.save({ shallow: false }).bytes };
    const own = this.#doc.version();
    const root = this.#doc.shallowSinceVV();
    const theirs = new VersionVector(new Map(version));
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

  /** One update of all that this replica holds and another one does not. */
  since(other: Replica): Uint8Array {
    const version = other.#doc.version();
    try {
      return this.#doc.export({ mode: "update", from: version });
    } finally {
      version.free();
    }
  }

  /** Calls back with the bytes of every local commit, before the commit returns; never for imports (I4). */
  onLocalUpdate(listener: (update: Uint8Array) => void): () => void {
    return this.#doc.subscribeLocalUpdates(listener);
  }

  get utf16Length(): number {
    return this.#text.length;
  }

  toString(): string {
    return this.#text.toString();
  }

  /** All that it holds; `shallow`: without what came before. */
  save({ shallow }: { readonly shallow: boolean }): Saved {
    if (shallow) {
      const frontiers = this.#doc.frontiers();
      return { form: "snapshot", bytes: this.#doc.export({ mode: "shallow-snapshot", frontiers }) };
    }
    // Updates do not carry what a shallow replica began with.
    const replayed = this.#doc.changeCount() <= REPLAY_LIMIT + this.utf16Length / PIECE;
    const form = replayed && !this.#doc.isShallow() ? "update" : "snapshot";
    return { form, bytes: this.#doc.export({ mode: form }) };
  }

  /** Inserts in pieces, last piece first, so that none is joined to the next into one long run. */
  #insert(at: number, text: string, piece: number): void {
    for (let end = text.length; end > 0; ) {
      let start = Math.max(0, end - piece);
      if (start > 0 && isLow(text.charCodeAt(start))) start--;
      this.#text.insert(at, text.slice(start, end));
      end = start;
    }
  }

  /** Frees the WebAssembly memory; a text handle holds its document, so it goes first (I15). */
  close(): void {
    this.#text.free();
    this.#doc.free();
  }
}

function splicesOf(delta: readonly Delta<string>[]): Splice[] {
  const splices: Splice[] = [];
  let at = 0;
  for (const part of delta) {
    if (part.insert !== undefined) splices.push({ from: at, to: at, insert: part.insert });
    else if (part.delete !== undefined) splices.push({ from: at, to: at + part.delete, insert: "" });
    at += part.retain ?? part.delete ?? 0;
  }
  return splices;
}

function utf16(text: Text, position: number): number {
  const index = text.convert(position, "utf-32", "utf-16");
  if (index === undefined) throw new RangeError(`position ${position} is outside 0..${text.chars}`);
  return index;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
