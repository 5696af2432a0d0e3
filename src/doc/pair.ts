import { diff } from "../text/diff/diff.ts";
import type { Splice } from "../text/splice.ts";
import { Text } from "../text/text.ts";
import type { ReplicaVersion } from "./finding.ts";
import { Landed } from "./landed.ts";
import { LateReplica } from "./late-replica.ts";
import { inChars } from "./loro-delta.ts";
import { mergeSave } from "./merge-save.ts";
import type { Peer } from "./peers.ts";
import { Pending } from "./pending.ts";
import { type Lacking, Replica, type Saved, type SaveOptions, seedUpdate } from "./replica.ts";
import { type Applied, inOrder, isOfMemory, type JournaledChange, type TakenIn } from "./updates.ts";

/** The number of landed changes that the loaded disk replica imports together. */
const CATCH_UP = 64;
/** The size in bytes from which importing updates takes longer than copying a whole replica. */
const LONG = 256 << 10;

/**
 * The two replicas of one document and the link between them.
 *
 *     agents ── edit ──► memory ──(pending until the file has it)──► disk ◄── takeIn ── the file
 *                           ◄──────────── at once, by the link ──────┘
 *
 * - `memory` is the text that every client sees; `disk` is exactly the known content of the file (I1).
 * - An import is never a local update, so no change echoes (I4).
 */
export class Pair {
  #memory: Replica;
  readonly #disk: LateReplica;
  #unlisten = () => {};
  readonly #pending = new Pending();
  /** Landed changes that the disk replica has not imported yet. It imports them before any other operation on it. */
  readonly #landed = new Landed();
  #memoryText: Text;
  #diskText: Text;
  #lastMemory: Uint8Array | undefined;
  #lastDisk: Uint8Array | undefined;
  /** The peer of the joined edits that `seal` has not committed yet. */
  #joining: Peer | undefined;
  /** The reason why the edits that are joined now cannot be committed. */
  #defect: unknown;

  /** `parts` are the updates of both replicas, and `text` is their text. */
  private constructor(memory: Replica, parts: readonly Uint8Array[], text: Text) {
    this.#memory = memory;
    this.#disk = new LateReplica(parts, (update) => {
      this.#lastDisk = update;
      if (!this.#isCopied(update)) this.#memory.import([update]);
    });
    this.#memoryText = text;
    this.#diskText = text;
    this.#listen();
  }

  /**
   * Creates the pair of a new document: `peer` wrote the text, and both replicas contain it. `seed` is its update, if
   * it exists.
   */
  static create(peer: Peer, text: Text, seed = seedUpdate(peer, text.toString())): Pair {
    return new Pair(Replica.load([seed]), [seed], text);
  }

  /** Restores a document from the store; `landed` is the last change that the file is known to contain. */
  static restore(saved: Saved, journal: readonly JournaledChange[], landed: number): Pair {
    const onDisk = journal.flatMap(({ seq, updates }) =>
      seq <= landed ? inOrder(updates) : updates.disk ? [updates.disk] : [],
    );
    const ahead = journal.filter(({ seq, updates }) => seq > landed && isOfMemory(updates));
    const parts = [saved.bytes, ...onDisk];
    const memory = Replica.load(parts);
    const pair = new Pair(memory, parts, Text.of(memory.toString()));
    for (const { updates } of ahead) pair.#replay(updates.memory);
    return pair;
  }

  get memory(): Text {
    return this.#memoryText;
  }

  get disk(): Text {
    return this.#diskText;
  }

  /** The number of memory's changes that the file does not contain yet. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Makes an agent's edit; `splices` are in memory's positions, and make `after` of its text. */
  edit(peer: Peer, splices: readonly Splice[], after = this.#memoryText.splice(splices)): Applied {
    const before = this.#memoryText;
    this.join(peer, splices, after);
    return { splices, before, after, updates: { memory: this.seal()! } };
  }

  /** Returns true when an edit of a peer may join the edits that `seal` has not committed yet. */
  joins(peer: Peer): boolean {
    return this.#joining === undefined || this.#joining === peer;
  }

  /**
   * Makes an agent's edit that `seal` commits, together with all edits that joined it. The caller does no other
   * operation on the replicas before `seal`. @throws on a defect, after which `seal` throws, too
   */
  join(peer: Peer, splices: readonly Splice[], after: Text): void {
    if (!this.joins(peer)) throw new Error("edits of two peers cannot be one commit");
    this.#joining = peer;
    try {
      this.#memory.splice(peer, this.#memoryText, splices);
      this.#memoryText = after;
      this.#check();
    } catch (error) {
      this.#defect = error;
      throw error;
    }
    this.#pending.add(undefined, after);
  }

  /** Commits the joined edits. Returns their update, which belongs to the newest; undefined when there are none. */
  seal(): Uint8Array | undefined {
    if (this.#defect !== undefined) throw this.#defect;
    if (this.#joining === undefined) return undefined;
    this.#memory.commit();
    this.#joining = undefined;
    const update = this.#lastMemory;
    if (update === undefined) throw new Error("a commit produced no update");
    this.#lastMemory = undefined;
    this.#pending.complete(update);
    return update;
  }

  /**
   * Imports the sound updates of one edit from another replica, in their order; undefined if memory has them all. @throws
   * when operations that they build on are missing
   */
  receive(updates: readonly Uint8Array[]): Applied | undefined {
    this.#checkSealed();
    const received = this.#memory.receive(updates);
    if (received === undefined) return undefined;
    const [update, before] = [received.update, this.#memoryText];
    const splices = inChars(received.splices, before);
    const after = before.splice(splices);
    this.#memoryText = after;
    this.#check();
    this.#pending.add(update, after);
    return { splices, before, after, updates: { memory: update } };
  }

  /** Returns the operations of memory that a version lacks, and memory's own version. */
  shared(version: ReplicaVersion): { readonly lacking: Lacking; readonly version: Uint8Array } {
    this.#checkSealed();
    return { lacking: this.#memory.lacking(version), version: this.#memory.version };
  }

  /** Returns true when memory contains operations of a peer. */
  knows(peer: Peer): boolean {
    this.#checkSealed();
    return this.#memory.knows(peer);
  }

  /**
   * Imports an outside save, after which the file contains `text`. The difference to the disk replica is applied to
   * that replica. The link carries it to memory as a change concurrent with the pending ones. An edit that both sides
   * made identically, or text that both rewrote and left, must be there once (I7). No word is made of two. When merging
   * the splices gives a shorter text, or Loro made a word of two, memory takes over the text of the splices. `peers`
   * are the disk author's, one for each replica. `found` is that difference, if it is known.
   */
  takeIn(peers: { disk: Peer; memory: Peer }, text: Text, found?: readonly Splice[]): TakenIn {
    this.#checkSealed();
    const before = this.#memoryText;
    const known = this.#diskText;
    const saved = found ?? diff(known.toString(), text.toString());
    if (this.#pending.size === 0 && !this.#disk.isLoaded) return this.#takeInEarly(peers.disk, saved, text);
    const pending = this.#pending.size === 0 ? [] : diff(known.toString(), before.toString());
    this.#catchUp();
    const replica = this.#disk.loaded;
    replica.splice(peers.disk, this.#diskText, saved);
    replica.commit();
    this.#diskText = text;
    const disk = this.#lastDisk;
    this.#lastDisk = undefined;
    if (disk !== undefined && this.#isCopied(disk)) {
      this.#memory.close();
      this.#memory = replica.copy();
      this.#listen();
    }
    if (this.#pending.size === 0) {
      this.#memoryText = text;
      this.#check();
      return { splices: saved, before, after: text, updates: disk ? { disk } : {}, overlaps: [] };
    }
    this.#memoryText = Text.of(this.#memory.toString());
    const edits = { known: known.toString(), saved, pending, before, text };
    const { overlaps, corrections } = mergeSave(edits, this.#memoryText);
    const correction = corrections.length > 0 && this.edit(peers.memory, corrections).updates.memory;
    const after = this.#memoryText;
    // The next text to land contains this save, too.
    this.#pending.amend(after);
    const updates = { ...(disk && { disk }), ...(correction && { memory: correction }) };
    return { splices: diff(before.toString(), after.toString()), before, after, updates, overlaps };
  }

  /**
   * Applies a save to memory, and leaves its update to the disk replica as one that landed. While no change is pending
   * and the disk replica is not loaded, this is the work of one replica instead of two.
   */
  #takeInEarly(peer: Peer, splices: readonly Splice[], text: Text): TakenIn {
    const before = this.#memoryText;
    this.#memory.splice(peer, before, splices);
    this.#memory.commit();
    const disk = this.#lastMemory;
    this.#lastMemory = undefined;
    this.#memoryText = text;
    this.#check();
    this.#land(disk ? [disk] : [], text);
    return { splices, before, after: text, updates: disk ? { disk } : {}, overlaps: [] };
  }

  /** Records that the file contains memory as of the first `count` pending changes (I1). */
  landed(count: number): void {
    if (count === 0) return;
    const { updates, after } = this.#pending.land(count);
    this.#land(updates, this.#pending.size === 0 ? this.#memoryText : after);
  }

  #land(updates: readonly Uint8Array[], text: Text): void {
    this.#diskText = text;
    this.#landed.add(updates);
    if (this.#isRemade || (this.#disk.isLoaded && this.#landed.size >= CATCH_UP)) this.#catchUp();
  }

  /** Returns memory with its whole history, or without it when `shallow`. Valid only when no change is pending. */
  save(options: SaveOptions): Saved {
    if (this.#pending.size > 0) throw new Error("cannot compact while changes are pending");
    return this.#memory.save(options);
  }

  close(): void {
    this.#unlisten();
    this.#memory.close();
    this.#disk.close();
  }

  /**
   * Imports the landed changes into the disk replica, late, because no caller waits for that. When memory has no other
   * changes, one export of it imports four times faster than single updates, and of long ones the replica is made anew.
   */
  #catchUp(): void {
    if (this.#landed.size === 0) return;
    const isRemade = this.#isRemade;
    const landed = this.#landed.take();
    if (isRemade) this.#disk.remake([this.#memory.save({ shallow: false }).bytes]);
    else this.#disk.loaded.import(this.#pending.size > 0 ? landed : [this.#memory.since(this.#disk.loaded)]);
    const { utf16Length } = isRemade ? this.#memory : this.#disk.loaded;
    if (utf16Length !== this.#diskText.utf16) throw new Error("the disk replica diverged from the file");
  }

  /** True when memory has nothing but what landed, which is long. While nobody needs the replica, it may be longer. */
  get #isRemade(): boolean {
    const most = this.#disk.isLoaded ? LONG : Math.max(LONG, this.#diskText.bytes);
    return this.#pending.size === 0 && this.#landed.bytes > most;
  }

  #replay(update: Uint8Array | undefined): void {
    if (update !== undefined) {
      this.#memory.import([update]);
      this.#memoryText = Text.of(this.#memory.toString());
    }
    this.#pending.add(update, this.#memoryText);
  }

  /** Listens to memory; the listener runs before a commit returns. */
  #listen(): void {
    this.#unlisten();
    this.#unlisten = this.#memory.onLocalUpdate((update) => {
      this.#lastMemory = update;
    });
  }

  /**
   * Returns true when the other replica is replaced by a copy instead of importing `update`: it is long and both texts
   * are equal.
   */
  #isCopied(update: Uint8Array): boolean {
    return update.length > LONG && this.#pending.size === 0;
  }

  /** Loro would commit the joined edits by itself, and their update would belong to no change. */
  #checkSealed(): void {
    if (this.#joining !== undefined) throw new Error("joined edits are not committed yet");
  }

  /** Checks that the text and Loro agree. If they do not, further edits would corrupt the document. */
  #check(): void {
    const [units, { utf16 }] = [this.#memory.utf16Length, this.#memoryText];
    if (units !== utf16)
      throw new Error(`the memory replica diverged: it has ${units} units, the text ${utf16}`);
  }
}
