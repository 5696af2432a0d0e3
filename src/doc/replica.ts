import { LoroDoc, type LoroText } from "loro-crdt";
import type { Splice } from "../text/splice.ts";
import type { Text } from "../text/text.ts";
import type { Peer } from "./peers.ts";

/** A saved document: Loro's bytes in the form that loads fastest for it. */
export interface Saved {
  readonly form: "update" | "snapshot";
  readonly bytes: Uint8Array;
}

/** UTF-16 units a seeding insert may have. */
const SEED = 8192;
/**
 * Up to this many changes beside those of the seeding, the update form loads faster (the snapshot form
 * decodes its whole text at the first import, 2 s at 10 MB); past it the snapshot does (it need not replay
 * the history, 3 s for 100,000 edits).
 */
const REPLAY_LIMIT = 2000;

/** One LoroDoc that holds one text. Throws on misuse; nothing from outside reaches it unchecked. */
export class Replica {
  readonly #doc = new LoroDoc();
  readonly #text: LoroText = this.#doc.getText("content");

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
    this.#insert(0, text);
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
      this.#insert(start, insert);
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
    const form = this.#doc.changeCount() <= REPLAY_LIMIT + this.utf16Length / SEED ? "update" : "snapshot";
    return { form, bytes: this.#doc.export({ mode: form }) };
  }

  /** Inserts in pieces, last piece first, so that none is joined to the next into one long run. */
  #insert(at: number, text: string): void {
    for (let end = text.length; end > 0; ) {
      let start = Math.max(0, end - SEED);
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

function utf16(text: Text, position: number): number {
  const index = text.convert(position, "utf-32", "utf-16");
  if (index === undefined) throw new RangeError(`position ${position} is outside 0..${text.chars}`);
  return index;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
