import { matcher } from "../paths/glob.ts";
import type { NotificationParams, Result } from "../protocol/schemas.ts";
import type { Host } from "./host.ts";
import type { Target } from "./subscriptions.ts";

type Told = Result<"history.list">["changes"][number];

/**
 * A change of a document: one that a notification brought, or a missed one that the history brought later.
 */
export type Change =
  | (NotificationParams<"doc.changed"> & { readonly missed: false })
  | (Told & { readonly missed: true });

/** Most changes that one request for the history returns. */
const PAGE = 1000;
/** Most change ids that a feed remembers before it moves its floor up. */
const MOST_DELIVERED = 2000;

/** Yields each change of the target once; see Client.changes. */
export function changes(host: Host, target: Target): AsyncIterableIterator<Change> {
  return new Feed(host, target);
}

/**
 * The changes of one target. Every change of the history up to `floor`, and every change in `#delivered`, was
 * yielded or precedes the feed. After a gap, the remaining changes of the history are the missed ones.
 */
class Feed implements AsyncIterableIterator<Change> {
  readonly #host: Host;
  readonly #target: Target;
  readonly #waiting: Change[] = [];
  readonly #seen = new Set<string>();
  readonly #ends: readonly (() => void)[];
  #floor: Pick<Told, "changeId" | "time"> | undefined;
  #docId: string | undefined;
  #path: string | undefined;
  #matches: (path: string) => boolean;
  /** Notifications that arrive while the feed reads the history; they follow the changes of the history. */
  #held: NotificationParams<"doc.changed">[] | undefined = [];
  #working: Promise<void>;
  #wake: () => void = () => {};
  #end: { readonly error?: Error } | undefined;

  constructor(host: Host, target: Target) {
    this.#host = host;
    this.#target = target;
    this.#matches = "pattern" in target ? matcher(target.pattern) : (path) => path === this.#path;
    this.#ends = [
      host.on("doc.changed", (changed) => this.#told(changed)),
      host.on("doc.renamed", ({ docId, to }) => {
        if (docId === this.#docId) this.#path = to;
      }),
      host.onMissed(() => this.#work(() => this.#makeUp("always"))),
      host.onClosed((error) => this.#finish({ ...(error && { error }) })),
    ];
    this.#working = Promise.resolve();
    // This request precedes the caller's next one, so the feed yields the changes of that one.
    const newest = host.request("history.list", { limit: 1 });
    newest.catch(() => undefined); // #begin reports the failure, unless the feed has ended
    this.#work(() => this.#begin(newest));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * Returns the next change. Rejects once with the error that ended the client or refused the subscription.
   */
  async next(): Promise<IteratorResult<Change, undefined>> {
    while (this.#waiting.length === 0 && this.#end === undefined)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const change = this.#waiting.shift();
    if (change !== undefined) return { done: false, value: change };
    const { error } = this.#end!;
    this.#end = {};
    if (error !== undefined) throw error;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Change, undefined>> {
    this.#waiting.length = 0;
    this.#finish({});
    await this.#working;
    return { done: true, value: undefined };
  }

  /** Runs steps one after the other; a step that fails ends the feed. */
  #work(step: () => Promise<void>): void {
    this.#held ??= [];
    this.#working = this.#working.then(async () => {
      if (this.#end !== undefined) return;
      try {
        await step();
      } catch (error) {
        this.#finish({ error: error as Error });
      }
    });
    const mine = this.#working;
    void mine.then(() => mine === this.#working && this.#letGo());
  }

  async #begin(asked: Promise<Result<"history.list">>): Promise<void> {
    const { changes: newest } = await asked;
    this.#floor = newest[0];
    if ("path" in this.#target) {
      const { docId, path } = await this.#host.request("doc.open", { path: this.#target.path });
      this.#docId = docId;
      this.#path = path;
    }
    await this.#host.hold(this.#now, this);
    if (this.#end !== undefined) return void this.#host.release(this.#now, this).catch(() => undefined);
    await this.#makeUp("always");
  }

  /** The target under the document's present name. */
  get #now(): Target {
    return this.#path === undefined ? this.#target : { path: this.#path };
  }

  #told(changed: NotificationParams<"doc.changed">): void {
    if (!this.#matches(changed.path)) return;
    if (this.#held !== undefined) return void this.#held.push(changed);
    if (this.#seen.has(changed.changeId)) return;
    this.#seen.add(changed.changeId);
    this.#yield({ ...changed, missed: false });
    if (this.#seen.size % MOST_DELIVERED === 0) this.#work(() => this.#makeUp("ifNoneMissed"));
  }

  #letGo(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const changed of held) this.#told(changed);
  }

  /**
   * Yields the missed changes of the history and moves the floor up. With `ifNoneMissed`, a missed change
   * means that its notification is on its way: the floor stays.
   */
  async #makeUp(when: "always" | "ifNoneMissed"): Promise<void> {
    const beyond = await this.#beyondFloor();
    const missed = beyond.filter((change) => this.#isMine(change) && !this.#seen.has(change.changeId));
    if (when === "ifNoneMissed" && missed.length > 0) return;
    this.#seen.clear();
    for (const { changeId } of beyond) this.#seen.add(changeId);
    for (const change of missed) {
      if (this.#docId !== undefined) this.#path = change.path;
      this.#yield({ ...change, missed: true });
    }
    this.#floor = beyond.at(-1) ?? this.#floor;
  }

  /** Returns the changes of the history beyond the floor, oldest first. */
  async #beyondFloor(): Promise<Told[]> {
    const found: Told[] = [];
    for (let more = true; more; ) {
      const before = found.at(-1)?.changeId;
      const page = await this.#host.request("history.list", { limit: PAGE, ...(before && { before }) });
      for (const change of page.changes) {
        if (this.#isBeneath(change)) return found.reverse();
        found.push(change);
      }
      more = page.more;
    }
    return found.reverse();
  }

  /** True for the floor and for older changes: the history may no longer list the floor itself. */
  #isBeneath({ changeId, time }: Told): boolean {
    return this.#floor !== undefined && (changeId === this.#floor.changeId || time < this.#floor.time);
  }

  #isMine({ docId, path }: Told): boolean {
    return this.#docId === undefined ? this.#matches(path) : docId === this.#docId;
  }

  #yield(change: Change): void {
    this.#waiting.push(change);
    this.#wake();
  }

  #finish(end: { readonly error?: Error }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const stop of this.#ends) stop();
    void this.#host.release(this.#now, this).catch(() => undefined); // a connection that ended has ended its subscriptions
    this.#wake();
  }
}
