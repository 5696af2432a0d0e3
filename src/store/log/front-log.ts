import { join } from "node:path";
import type { Reached } from "../../mirror/step.ts";
import { type LogDisk, systemDisk } from "./disk.ts";
import { recordOf } from "./record.ts";
import { nameOf, type Replayed, removeSegments } from "./replay.ts";
import { SEGMENT_BYTES, Segment } from "./segment.ts";

/** The number of segments: one is written while the database takes in the other. */
const SEGMENTS = 2;
/** The largest group that the front log takes, in bytes; writing more of it twice would cost more than a second flush. */
const LARGEST = 256 << 10;
/** The front log has at most this part of the free space. */
const SHARE = 1 / 64;

/**
 * Owns the front log: segments that take each group of writes with a single flush, before the database has them. A
 * segment is used again once the database durably has everything in it.
 */
export class FrontLog {
  readonly #folder: string;
  readonly #database: number;
  readonly #reached: Reached;
  readonly #disk: LogDisk;
  /** The segments of an earlier process, kept until the database has everything in them. */
  #earlier: readonly string[];
  #nextNumber: number;
  #segments: Segment[] = [];
  #active: Segment | undefined;
  /** The last group that the database durably has. */
  #taken = 0;

  constructor(
    folder: string,
    database: number,
    replayed: Replayed,
    reached: Reached,
    disk: LogDisk = systemDisk,
  ) {
    this.#disk = disk;
    this.#folder = folder;
    this.#database = database;
    this.#reached = reached;
    this.#earlier = replayed.names;
    this.#nextNumber = replayed.nextNumber;
  }

  get isMade(): boolean {
    return this.#segments.length > 0;
  }

  /** Returns false for a group that is too large, by the bytes of its records alone. */
  takes(bytes: number): boolean {
    return this.isMade && bytes <= LARGEST;
  }

  /** True when the present segment is the last one with room. */
  get isFilling(): boolean {
    return !this.#segments.some((segment) => segment !== this.#active && segment.last <= this.#taken);
  }

  /**
   * Writes a group and flushes it: true when it is durable, false when it is too large or no segment has room. Rejects
   * with the system's error.
   */
  async append(seq: number, payload: Buffer): Promise<boolean> {
    if (payload.length > LARGEST) return false;
    const record = recordOf({ database: this.#database, seq, payload });
    const segment = this.#segmentFor(record.length);
    if (segment === undefined) return false;
    await segment.append(seq, record);
    this.#reached("logged");
    return true;
  }

  /** Notes that the database durably has all groups up to `seq`, and all of an earlier process. */
  taken(seq: number): void {
    this.#taken = seq;
    removeSegments(this.#folder, this.#earlier);
    this.#earlier = [];
  }

  /** Makes the segments. False when too little space is free, or the system refuses; then it leaves none. */
  async make(): Promise<boolean> {
    const made: Segment[] = [];
    try {
      if (this.#disk.free(this.#folder) * SHARE < SEGMENTS * SEGMENT_BYTES) return false;
      while (made.length < SEGMENTS)
        made.push(await Segment.make(join(this.#folder, nameOf(this.#nextNumber++)), this.#disk));
    } catch (error) {
      for (const segment of made) segment.remove();
      if (error instanceof Error && "code" in error) return false;
      throw error;
    }
    this.#reached("log made");
    this.#segments = made;
    this.#active = made[0];
    return true;
  }

  /** Removes the segments. The database must durably have everything in them. */
  remove(): void {
    for (const segment of this.#segments.splice(0)) segment.remove();
    this.#active = undefined;
  }

  #segmentFor(bytes: number): Segment | undefined {
    if (this.#active === undefined || this.#active.room >= bytes) return this.#active;
    const free = this.#segments.find(({ last }) => last <= this.#taken);
    if (free === undefined) return undefined;
    free.reuse();
    this.#active = free;
    return free;
  }
}
