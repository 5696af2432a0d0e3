import { type Overlap, rebase } from "../text/delta.ts";
import { diff } from "../text/diff.ts";
import { normalize, type Splice } from "../text/splice.ts";
import { Text } from "../text/text.ts";
import type { ReplicaVersion } from "./finding.ts";
import type { Peer } from "./peers.ts";
import { type Lacking, Replica, type Saved, seedUpdate } from "./replica.ts";

/** An outside save, taken in. */
interface TakenIn extends Applied {
  /** Where the save (`ours`) and changes that the file did not hold yet (`theirs`) replaced the same characters. */
  readonly overlaps: readonly Overlap[];
}

/** What one change did to memory, and the bytes that carry it to another replica. */
export interface Applied {
  /** In the positions of `before`. */
  readonly splices: readonly Splice[];
  readonly before: Text;
  readonly after: Text;
  readonly updates: Updates;
}

/** Loro updates by the replica they were made on; the order of import is disk, then memory. */
interface Updates {
  readonly disk?: Uint8Array;
  readonly memory?: Uint8Array;
}

/** A change as the journal kept it. */
interface Replayed {
  readonly seq: number;
  readonly updates: Updates;
}

/** Landed changes are imported when there are this many. */
const CATCH_UP = 64;
/** Bytes of an update that takes longer to import than a whole replica takes to copy. */
const LONG = 256 << 10;

interface Pending {
  readonly update: Uint8Array;
  /** Memory when this was the newest pending change. */
  readonly after: Text;
}

/**
 * The two replicas of one document and the link between them.
 *
 *     agents ── edit ──► memory ──(pending until the file holds it)──► disk ◄── takeIn ── the file
 *                           ◄───────────── at once, by the link ───────┘
 *
 * - `memory` is what everybody sees, `disk` exactly what the file is known to hold (I1).
 * - An import is never a local update, so nothing echoes (I4).
 */
export class Pair {
  #memory: Replica;
  #disk: Replica;
  #unlink: (() => void)[] = [];
  #pending: Pending[] = [];
  /** Landed changes that the disk replica has yet to import; it does before anything else is done to it. */
  #landed: Uint8Array[] = [];
  #memoryText: Text;
  #diskText: Text;
  #lastMemory: Uint8Array | undefined;
  #lastDisk: Uint8Array | undefined;

  private constructor(memory: Replica, disk: Replica, memoryText: Text, diskText: Text) {
    this.#memory = memory;
    this.#disk = disk;
    this.#memoryText = memoryText;
    this.#diskText = diskText;
    this.#link();
  }

  /** A document seen for the first time: `peer` wrote the text, both replicas hold it. `seed` is its update, made before. */
  static create(peer: Peer, text: Text, seed = seedUpdate(peer, text.toString())): Pair {
    return new Pair(Replica.load([seed]), Replica.load([seed]), text, text);
  }

  /** A document as it was stored; `landed` is the last change that the file is known to hold. */
  static restore(saved: Saved, journal: readonly Replayed[], landed: number): Pair {
    const onDisk = journal.flatMap(({ seq, updates }) =>
      seq <= landed ? inOrder(updates) : updates.disk ? [updates.disk] : [],
    );
    const ahead = journal.filter((entry) => entry.seq > landed && entry.updates.memory !== undefined);
    const disk = Replica.load([saved.bytes, ...onDisk]);
    const memory = Replica.load([saved.bytes, ...onDisk]);
    const diskText = Text.of(disk.toString());
    const pair = new Pair(memory, disk, diskText, diskText);
    for (const { updates } of ahead) pair.#replay(updates.memory!);
    return pair;
  }

  get memory(): Text {
    return this.#memoryText;
  }

  get disk(): Text {
    return this.#diskText;
  }

  /** Memory's changes that the file does not hold yet. */
  get pending(): number {
    return this.#pending.length;
  }

  /** An agent's edit; `splices` are in memory's positions. */
  edit(peer: Peer, splices: readonly Splice[]): Applied {
    const before = this.#memoryText;
    const after = before.splice(splices);
    this.#memory.splice(peer, before, splices);
    this.#memoryText = after;
    this.#check();
    const update = this.#queue();
    return { splices, before, after, updates: { memory: update } };
  }

  /** An edit made on somebody else's replica, found sound there; memory holds what it builds on. */
  adopt(update: Uint8Array): Applied {
    const before = this.#memoryText;
    const splices = normalize(this.#memory.adopt(update).map((splice) => inChars(splice, before)));
    const after = before.splice(splices);
    this.#memoryText = after;
    this.#check();
    this.#pending.push({ update, after });
    return { splices, before, after, updates: { memory: update } };
  }

  /** What memory holds beyond a version, and the version it is at. */
  shared(version: ReplicaVersion): { readonly lacking: Lacking; readonly version: Uint8Array } {
    return { lacking: this.#memory.lacking(version), version: this.#memory.version };
  }

  /** True when memory holds operations of a peer. */
  knows(peer: Peer): boolean {
    return this.#memory.knows(peer);
  }

  /**
   * The file was saved from outside and now holds `text`. The difference to the disk replica goes in on that
   * replica, so the link carries it to memory as a change beside the pending ones. What both sides did
   * alike, or both kept of what they rewrote, counts once (I7): where carrying the save over what is pending leaves
   * less, memory drops the second copy. `peers` are the disk author's, one a replica.
   */
  takeIn(peers: { readonly disk: Peer; readonly memory: Peer }, text: Text): TakenIn {
    const before = this.#memoryText;
    const known = this.#diskText.toString();
    const saved = diff(known, text.toString());
    const pending = this.#pending.length === 0 ? [] : diff(known, before.toString());
    this.#catchUp();
    this.#disk.splice(peers.disk, this.#diskText, saved);
    this.#diskText = text;
    const disk = this.#lastDisk;
    this.#lastDisk = undefined;
    if (disk !== undefined && this.#isCopied(disk)) {
      this.#memory.close();
      this.#memory = this.#disk.copy();
      this.#link();
    }
    if (this.#pending.length === 0) {
      this.#memoryText = text;
      this.#check();
      return { splices: saved, before, after: text, updates: disk ? { disk } : {}, overlaps: [] };
    }
    const merged = rebase(saved, pending);
    const wanted = before.splice(merged.splices);
    this.#memoryText = Text.of(this.#memory.toString());
    // Neither way loses anything, so the longer text has something twice.
    const twice = wanted.chars < this.#memoryText.chars;
    const single = twice ? diff(this.#memoryText.toString(), wanted.toString()) : [];
    const correction = twice ? this.edit(peers.memory, single).updates.memory : undefined;
    const after = this.#memoryText;
    // What lands next holds this save, too.
    this.#pending.push({ ...this.#pending.pop()!, after });
    const splices = diff(before.toString(), after.toString());
    return {
      splices,
      before,
      after,
      updates: {
        ...(disk && { disk }),
        ...(correction && { memory: correction }),
      },
      overlaps: merged.overlaps,
    };
  }

  /** The file now holds memory as it was when `count` changes were pending (I1). */
  landed(count: number): void {
    if (count < 0 || count > this.#pending.length) throw new RangeError(`${count} changes are not pending`);
    if (count === 0) return;
    const done = this.#pending.slice(0, count);
    this.#pending = this.#pending.slice(count);
    this.#diskText = this.#pending.length === 0 ? this.#memoryText : done.at(-1)!.after;
    this.#landed.push(...done.map((p) => p.update));
    if (this.#landed.length >= CATCH_UP) this.#catchUp();
  }

  /** Memory with its whole history, or shallow, without; only while the file holds all of it. */
  save(options: { readonly shallow: boolean }): Saved {
    if (this.#pending.length > 0) throw new Error("cannot compact while changes are pending");
    return this.#memory.save(options);
  }

  close(): void {
    for (const unlink of this.#unlink) unlink();
    this.#memory.close();
    this.#disk.close();
  }

  /**
   * Imports what has landed: many at once, because nobody waits for it. Where that is all that memory holds, one
   * export of it is imported four times faster than the updates one by one, and a copy makes up for a long one.
   */
  #catchUp(): void {
    if (this.#landed.length === 0) return;
    if (this.#landed.some((update) => this.#isCopied(update))) {
      this.#disk.close();
      this.#disk = this.#memory.copy();
      this.#link();
    } else this.#disk.import(this.#pending.length === 0 ? [this.#memory.since(this.#disk)] : this.#landed);
    this.#landed = [];
    if (this.#disk.utf16Length !== this.#diskText.utf16)
      throw new Error("disk replica diverged from the file");
  }

  #replay(update: Uint8Array): void {
    this.#memory.import([update]);
    this.#memoryText = Text.of(this.#memory.toString());
    this.#pending.push({ update, after: this.#memoryText });
  }

  #queue(): Uint8Array {
    const update = this.#lastMemory;
    if (update === undefined) throw new Error("a commit produced no update");
    this.#lastMemory = undefined;
    this.#pending.push({ update, after: this.#memoryText });
    return update;
  }

  /** Listens to both replicas; a commit is heard before it returns. */
  #link(): void {
    for (const unlink of this.#unlink) unlink();
    this.#unlink = [
      this.#memory.onLocalUpdate((update) => {
        this.#lastMemory = update;
      }),
      this.#disk.onLocalUpdate((update) => {
        this.#lastDisk = update;
        if (!this.#isCopied(update)) this.#memory.import([update]);
      }),
    ];
  }

  /** True when the other replica is copied rather than told: of what is long, where both hold the same. */
  #isCopied(update: Uint8Array): boolean {
    return update.length > LONG && this.#pending.length === 0;
  }

  /** The rope and Loro must agree; where they do not, going on would corrupt the document. */
  #check(): void {
    if (this.#memory.utf16Length !== this.#memoryText.utf16)
      throw new Error(
        `memory replica diverged: ${this.#memory.utf16Length} units, rope ${this.#memoryText.utf16}`,
      );
  }
}

function inChars({ from, to, insert }: Splice, text: Text): Splice {
  return { from: text.convert(from, "utf-16", "utf-32")!, to: text.convert(to, "utf-16", "utf-32")!, insert };
}

/** As they are to be imported. */
export function inOrder({ disk, memory }: Updates): Uint8Array[] {
  return [disk, memory].filter((update) => update !== undefined);
}
