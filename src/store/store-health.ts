import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError, type StoreTrouble } from "./store.ts";

/** Space left free in any case, in bytes: a commit also writes the pages that lead to what it adds. */
const HEADROOM = 64 << 10;
/** What a write takes beside its own bytes. */
const OVERHEAD = 8 << 10;
/** How long after trouble began it is tried whether writes work again, and how long at most between tries. */
const FIRST_TRY_MS = 250;
const LAST_TRY_MS = 5_000;

/**
 * Whether a database may be written to: looked at before each write, learned from how it went. Where writes are
 * refused for a reason that can pass, `probe` is called now and then, so that it is noticed when it has.
 */
export class StoreHealth {
  readonly #file: string;
  readonly #probe: () => Promise<void>;
  #trouble: StoreTrouble | undefined;
  #trying: NodeJS.Timeout | undefined;
  /** Bytes that may still be written in this turn of the event loop; undefined before the first look. */
  #room: number | undefined;
  #closed = false;

  constructor(file: string, probe: () => Promise<void>) {
    this.#file = file;
    this.#probe = probe;
  }

  get trouble(): StoreTrouble | undefined {
    return this.#trouble;
  }

  /** @throws StoreError when a write of so many bytes must not be tried */
  admit(bytes: number): void {
    // LMDB would throw where nobody can catch it, and so end the process.
    if (this.#closed) throw new StoreError("failed", "the store is closed, for the daemon is stopping");
    if (this.#trouble?.kind === "failed") throw new StoreError("failed", this.#trouble.message);
    this.#room ??= this.#look();
    this.#room -= bytes + OVERHEAD;
    if (this.#room < HEADROOM) throw this.refused("full", "no space left on the disk");
  }

  /** A write worked. @throws StoreError when one before it failed, so that what it stands on may be lost */
  worked(): void {
    if (this.#trouble?.kind === "failed") throw new StoreError("failed", this.#trouble.message);
    this.#trouble = undefined;
    this.#stopTrying();
  }

  /** Notes why writes are refused, and answers the error that says so. */
  refused(kind: StoreTrouble["kind"], message: string): StoreError {
    if (this.#trouble?.kind !== kind && this.#trouble?.kind !== "failed") {
      this.#trouble = { kind, message, since: Date.now() };
      this.#stopTrying();
      if (kind !== "failed") this.#tryIn(FIRST_TRY_MS);
    }
    return new StoreError(kind === "full" ? "full" : "failed", message);
  }

  /** Nothing is admitted any more. */
  close(): void {
    this.#closed = true;
    this.#stopTrying();
  }

  /** Looks once a turn: what is asked for in one turn is committed together. */
  #look(): number {
    setImmediate(() => {
      this.#room = undefined;
    });
    if (!existsSync(this.#file))
      throw this.refused("gone", "the state folder is gone; put it back, or start the daemon again");
    const { blocks, bsize, bfree, bavail } = statfsSync(dirname(this.#file));
    const free = (process.geteuid?.() === 0 ? bfree : bavail) * bsize;
    return blocks === 0 ? Number.POSITIVE_INFINITY : free; // some file systems do not tell
  }

  #tryIn(ms: number): void {
    this.#trying = setTimeout(() => {
      const again = () => {
        if (this.#trouble !== undefined && this.#trouble.kind !== "failed")
          this.#tryIn(Math.min(2 * ms, LAST_TRY_MS));
      };
      this.#probe().catch(again);
    }, ms);
    this.#trying.unref();
  }

  #stopTrying(): void {
    clearTimeout(this.#trying);
  }
}
