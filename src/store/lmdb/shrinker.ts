import type { Reached } from "../../mirror/step.ts";
import type { CheckedEncoder } from "../format/checked-encoder.ts";
import { beginFreeList, type Environment, openDatabases, TAKEN, withEnvironment } from "./environment.ts";
import type { GroupWriter } from "./group-writer.ts";
import type { Opened } from "./opened.ts";
import {
  copyDense,
  copyIn,
  settleCopy,
  tryRemove,
  tryRename,
  trySealAlone,
  usedOfWasteful,
} from "./shrink.ts";
import type { StoreHealth } from "./store-health.ts";

/** The time without a write after which a store rests; milliseconds. */
export const REST_MS = 10_000;
/** The time until the next copy when one was not used, in times of rest. */
const AGAIN = 60;

interface Parts {
  readonly opened: Opened;
  readonly encoder: CheckedEncoder;
  readonly writer: Pick<GroupWriter, "lastChange" | "between">;
  readonly health: Pick<StoreHealth, "trouble" | "admit" | "refused">;
  readonly reached: Reached;
  readonly restMs: number;
}

/**
 * Shrinks the database of an open store once the store rests. No write waits for the dense copy: one that lacks a write
 * is dropped. A write waits only while the copy takes the place of the database.
 */
export class Shrinker {
  readonly #parts: Parts;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<unknown> | undefined;
  /** The time of the last change after which nothing was to be gained. */
  #looked = Number.NaN;
  #notBefore = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#tryLook(), parts.restMs).unref();
  }

  /** Waits for the copy that is being made. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** A system that refuses the look, such as a disk that is gone, is asked again at the next one. */
  #tryLook(): void {
    try {
      this.#look();
    } catch {
      // The store's health tells of a disk that refuses writes.
    }
  }

  #look(): void {
    const { opened, writer, health, restMs } = this.#parts;
    const { lastChange } = writer;
    const now = performance.now();
    if (this.#running !== undefined || lastChange === this.#looked || now < this.#notBefore) return;
    if (now - lastChange < restMs || opened.isRead || health.trouble !== undefined) return;
    const used = usedOfWasteful(opened);
    if (used === undefined) {
      this.#looked = lastChange;
      return;
    }
    this.#notBefore = now + AGAIN * restMs;
    // Where the disk refuses the copy, the database stays, or the store's health tells of it.
    const shrinking = this.#shrink(used).catch(() => undefined);
    this.#running = shrinking.finally(() => {
      this.#running = undefined;
    });
  }

  /**
   * @throws StoreError when the disk has no room for the copy, or refused what makes it durable in its place; or the
   * system's error
   */
  async #shrink(used: number): Promise<void> {
    const { opened, writer, health, reached } = this.#parts;
    health.admit(used, { sparing: true });
    if (await copyDense(opened.env, opened.folder)) {
      reached("copied");
      const unused = await writer.between(() => this.#replace());
      await unused?.env.close();
    }
    tryRemove(opened.folder);
  }

  /** Returns the environment that is not in use any more: that of the former database, or of a copy that is not usable. */
  async #replace(): Promise<Environment | undefined> {
    const { opened, reached } = this.#parts;
    const { folder } = opened;
    const copy = this.#openCopy();
    if (copy === undefined || !this.#isUsable(copy) || !tryRename(folder)) return copy;
    const before = opened.become(copy);
    reached("renamed");
    await this.#settle();
    reached("shrunk");
    this.#notBefore = 0;
    return before;
  }

  /** @throws StoreError where the rename may not outlast a power cut, which would take later writes back */
  async #settle(): Promise<void> {
    const { opened, health } = this.#parts;
    try {
      await settleCopy(opened.folder);
    } catch (error) {
      throw health.refused("failed", `the disk refused a smaller copy of the store: ${String(error)}`);
    }
    trySealAlone(opened.folder);
  }

  /** Returns the copy with its databases; undefined where the system cannot open it. */
  #openCopy(): Environment | undefined {
    const { opened, encoder } = this.#parts;
    try {
      return withEnvironment(copyIn(opened.folder), (env, meta) => {
        beginFreeList(env, meta);
        return { env, databases: env.transactionSync(() => openDatabases(env, meta, encoder)) };
      });
    } catch {
      return undefined;
    }
  }

  /** Each transaction raises the number of the last group that a database has. */
  #isUsable({ databases }: Environment): boolean {
    const { opened, health } = this.#parts;
    const isWhole = databases.meta.get(TAKEN) === opened.databases.meta.get(TAKEN);
    return isWhole && opened.isInPlace && !opened.isRead && health.trouble === undefined;
  }
}
