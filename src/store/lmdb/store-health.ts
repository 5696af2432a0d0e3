import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError, type StoreTrouble } from "../store.ts";

/** Disk space that no write may use, in bytes: a commit also writes the pages that lead to a new record. */
const HEADROOM = 64 << 10;
/** The part of a disk, and the most bytes of it, that writes leave free which can do without. */
const SPARED_SHARE = 0.05;
const MOST_SPARED = 256 << 20;
/** The space that a write takes beside its own bytes; bytes. */
const OVERHEAD = 8 << 10;
/** The time from the start of trouble to the first probe, and the longest time between two; milliseconds. */
const FIRST_TRY_MS = 250;
const LAST_TRY_MS = 5_000;

/**
 * Owns the answer to whether the database accepts writes: it checks before each write, and learns from each result.
 * While writes are refused for a reason that can pass, it calls `probe` from time to time to find out when it has.
 */
export class StoreHealth {
  readonly #file: string;
  readonly #probe: () => Promise<void>;
  readonly #owed: () => number;
  #trouble: StoreTrouble | undefined;
  #nextProbe: NodeJS.Timeout | undefined;
  /** Bytes that this turn of the event loop may still write; undefined before its first write. */
  #room: number | undefined;
  /** Bytes that `sparing` writes leave free. */
  #spared = 0;
  #closed = false;

  /** `owed` returns the bytes that the database must still take in. */
  constructor(file: string, probe: () => Promise<void>, owed = () => 0) {
    this.#file = file;
    this.#probe = probe;
    this.#owed = owed;
  }

  get trouble(): StoreTrouble | undefined {
    return this.#trouble;
  }

  /**
   * Admits a write of `bytes` bytes; a `sparing` one leaves the last of the disk to others. @throws StoreError when the
   * write must not be tried
   */
  admit(bytes: number, { sparing = false }: { readonly sparing?: boolean } = {}): void {
    // After its close LMDB throws where no code can catch it, which ends the process.
    if (this.#closed) throw new StoreError("failed", "the store is closed, because the daemon is stopping");
    this.checkTrust();
    this.#room ??= this.#freeSpace() - this.#owed();
    if (sparing && this.#room - bytes - OVERHEAD < HEADROOM + this.#spared)
      throw new StoreError("full", "the last space on the disk is left for edits");
    this.#room -= bytes + OVERHEAD;
    if (this.#room < HEADROOM) throw this.refused("full", "no space left on the disk");
  }

  /** True when the disk has no room for any write. */
  get hasNoRoom(): boolean {
    return this.#freeSpace() < HEADROOM;
  }

  /** @throws StoreError when a flush failed, because no later one is trusted */
  checkTrust(): void {
    if (this.#trouble?.kind === "failed") throw new StoreError("failed", this.#trouble.message);
  }

  /** Notes that a write worked. @throws StoreError when an earlier one failed, because its records may be lost */
  worked(): void {
    this.checkTrust();
    this.#trouble = undefined;
    this.#stopProbing();
  }

  /** Notes why writes are refused, and returns the error for it. */
  refused(kind: StoreTrouble["kind"], message: string): StoreError {
    if (this.#trouble?.kind !== kind && this.#trouble?.kind !== "failed") {
      this.#trouble = { kind, message, since: Date.now() };
      this.#stopProbing();
      if (kind !== "failed") this.#probeIn(FIRST_TRY_MS);
    }
    return new StoreError(kind === "full" ? "full" : "failed", message);
  }

  /** Notes that a stored record is damaged, so that every later write is refused. */
  damaged(): StoreError {
    return this.refused("failed", DAMAGE);
  }

  /** Refuses every later write. */
  close(): void {
    this.#closed = true;
    this.#stopProbing();
  }

  /** Returns the free space; asked once a turn, because LMDB commits all writes of one turn together. */
  #freeSpace(): number {
    setImmediate(() => {
      this.#room = undefined;
    });
    if (!existsSync(this.#file))
      throw this.refused("gone", "the state folder is gone; put it back, or start the daemon again");
    const { blocks, bsize, bfree, bavail } = statfsSync(dirname(this.#file));
    this.#spared = Math.min(SPARED_SHARE * blocks * bsize, MOST_SPARED);
    const free = (process.geteuid?.() === 0 ? bfree : bavail) * bsize;
    return blocks === 0 ? Number.POSITIVE_INFINITY : free; // such a file system does not report its size
  }

  #probeIn(ms: number): void {
    this.#nextProbe = setTimeout(() => {
      const again = () => {
        if (this.#trouble !== undefined && this.#trouble.kind !== "failed")
          this.#probeIn(Math.min(2 * ms, LAST_TRY_MS));
      };
      this.#probe().catch(again);
    }, ms);
    this.#nextProbe.unref();
  }

  #stopProbing(): void {
    clearTimeout(this.#nextProbe);
  }
}

const DAMAGE =
  "the store is damaged; the next start sets it aside and makes a new one from the files of the workspace";
