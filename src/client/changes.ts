import { matcher } from "../paths/glob.ts";
import type { NotificationParams, Result } from "../protocol/schemas/schemas.ts";
import type { Host } from "./host.ts";
import type { Target } from "./subscriptions.ts";

type HistoryChange = Result<"history.list">["changes"][number];

/**
 * A change of a document: one that a notification brought, or a missed one that the history brought later.
 */
export type Change =
  | (NotificationParams<"doc.changed"> & { readonly missed: false })
  | (HistoryChange & { readonly missed: true });

/** Most changes that one request for the history returns. */
const PAGE = 1000;
/** Most change ids that a feed remembers before it moves its floor up. */
const MOST_DELIVERED = 2000;

/** Yields each change of the target once; see Client.changes. */
export function changes(host: Host, target: Target): AsyncIterableIterator<Change> {
  return new ChangeFeed(host, target);
}

/**
 * The changes of one target. Every change of the history up to `floor`, and every change in `#delivered`, was
 * yielded or precedes the feed. After a gap, the remaining changes of the history are the missed ones.
 */
class ChangeFeed implements AsyncIterableIterator<Change> {
  readonly #host: Host;
  readonly #target: Target;
  readonly #queue: Change[] = [];
  readonly #delivered = new Set<string>();
  readonly #stops: readonly (() => void)[];
  #floor: Pick<HistoryChange, "changeId" | "time"> | undefined;
  #docId: string | undefined;
  #path: string | undefined;
  #matches: (path: string) => boolean;
  /** Notifications that arrive while the feed reads the history; they follow the changes of the history. */
  #deferred: NotificationParams<"doc.changed">[] | undefined = [];
  #steps: Promise<void>;
  #wake: () => void = () => {};
  #end: { readonly error?: Error } | undefined;

  constructor(host: Host, target: Target) {
    this.#host = host;
    this.#target = target;
    this.#matches = "pattern" in target ? matcher(target.pattern) : (path) => path === this.#path;
    this.#stops = [
      host.on("doc.changed", (changed) => this.#receive(changed)),
      host.on("doc.renamed", ({ docId, to }) => {
        if (docId === this.#docId) this.#path = to;
      }),
      host.onMissed(() => this.#enqueue(() => this.#catchUp("always"))),
      host.onClosed((error) => this.#finish({ ...(error && { error }) })),
    ];
    this.#steps = Promise.resolve();
    // This request precedes the caller's next one, so the feed yields the changes of that one.
    const newest = host.request("history.list", { limit: 1 });
    newest.catch(() => undefined); // #begin reports the failure, unless the feed has ended
    this.#enqueue(() => this.#begin(newest));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * Returns the next change. Rejects once with the error that ended the client or refused the subscription.
   */
  async next(): Promise<IteratorResult<Change, undefined>> {
    while (this.#queue.length === 0 && this.#end === undefined)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const change = this.#queue.shift();
    if (change !== undefined) return { done: false, value: change };
    const { error } = this.#end!;
    this.#end = {};
    if (error !== undefined) throw error;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Change, undefined>> {
    this.#queue.length = 0;
    this.#finish({});
    await this.#steps;
    return { done: true, value: undefined };
  }

  /** Runs steps one after the other; a step that fails ends the feed. */
  #enqueue(step: () => Promise<void>): void {
    this.#deferred ??= [];
    this.#steps = this.#steps.then(async () => {
      if (this.#end !== undefined) return;
      try {
        await step();
      } catch (error) {
        this.#finish({ error: error as Error });
      }
    });
    const own = this.#steps;
    void own.then(() => own === this.#steps && this.#receiveDeferred());
  }

  async #begin(newestRequest: Promise<Result<"history.list">>): Promise<void> {
    const { changes: newest } = await newestRequest;
    this.#floor = newest[0];
    if ("path" in this.#target) {
      const { docId, path } = await this.#host.request("doc.open", { path: this.#target.path });
      this.#docId = docId;
      this.#path = path;
    }
    await this.#host.hold(this.#presentTarget, this);
    if (this.#end !== undefined)
      return void this.#host.release(this.#presentTarget, this).catch(() => undefined);
    await this.#catchUp("always");
  }

  /** The target under the document's present name. */
  get #presentTarget(): Target {
    return this.#path === undefined ? this.#target : { path: this.#path };
  }

  #receive(changed: NotificationParams<"doc.changed">): void {
    if (!this.#matches(changed.path) || this.#delivered.has(changed.changeId)) return;
    if (this.#deferred !== undefined) return void this.#deferred.push(changed);
    this.#delivered.add(changed.changeId);
    this.#yield({ ...changed, missed: false });
    if (this.#delivered.size % MOST_DELIVERED === 0) this.#enqueue(() => this.#catchUp("ifNoneMissed"));
  }

  #receiveDeferred(): void {
    const deferred = this.#deferred ?? [];
    this.#deferred = undefined;
    for (const changed of deferred) this.#receive(changed);
  }

  /**
   * Yields the missed changes of the history and moves the floor up. With `ifNoneMissed`, a missed change
   * means that its notification is on its way: the floor stays.
   */
  async #catchUp(when: "always" | "ifNoneMissed"): Promise<void> {
    const beyond = await this.#changesBeyondFloor();
    const missed = beyond.filter((change) => this.#isMine(change) && !this.#delivered.has(change.changeId));
    if (when === "ifNoneMissed" && missed.length > 0) return;
    this.#delivered.clear();
    for (const { changeId } of beyond) this.#delivered.add(changeId);
    // A second gap may move the floor beyond these changes before their notifications are looked at.
    this.#deferred = this.#deferred?.filter(({ changeId }) => !this.#delivered.has(changeId));
    for (const change of missed) {
      if (this.#docId !== undefined) this.#path = change.path;
      this.#yield({ ...change, missed: true });
    }
    this.#floor = beyond.at(-1) ?? this.#floor;
  }

  /** Returns the changes of the history beyond the floor, oldest first. */
  async #changesBeyondFloor(): Promise<HistoryChange[]> {
    const found: HistoryChange[] = [];
    for (let more = true; more; ) {
      const before = found.at(-1)?.changeId;
      const page = await this.#host.request("history.list", { limit: PAGE, ...(before && { before }) });
      for (const change of page.changes) {
        if (this.#isWithinFloor(change)) return found.reverse();
        found.push(change);
      }
      more = page.more;
    }
    return found.reverse();
  }

  /** True for the floor and for older changes: the history may no longer list the floor itself. */
  #isWithinFloor({ changeId, time }: HistoryChange): boolean {
    return this.#floor !== undefined && (changeId === this.#floor.changeId || time < this.#floor.time);
  }

  #isMine({ docId, path }: HistoryChange): boolean {
    return this.#docId === undefined ? this.#matches(path) : docId === this.#docId;
  }

  #yield(change: Change): void {
    this.#queue.push(change);
    this.#wake();
  }

  #finish(end: { readonly error?: Error }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const stop of this.#stops) stop();
    void this.#host.release(this.#presentTarget, this).catch(() => undefined); // a connection that ended has ended its subscriptions
    this.#wake();
  }
}
