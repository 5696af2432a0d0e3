import { matcher } from "../paths/glob.ts";
import type { NotificationParams, Result } from "../protocol/schemas.ts";
import type { Host } from "./host.ts";
import type { Target } from "./subscriptions.ts";

type Told = Result<"history.list">["changes"][number];

/** A change of a document: as it happened, or as the history tells of one that was missed. */
export type Change =
  | (NotificationParams<"doc.changed"> & { readonly missed: false })
  | (Told & { readonly missed: true });

/** Most that the history tells at once. */
const PAGE = 1000;
/** Changes remembered as told before the history is asked from where on that is needed. */
const MOST_SEEN = 2000;

/** Yields the changes of what is subscribed to, once each; see Client.changes. */
export function changes(host: Host, target: Target): AsyncIterableIterator<Change> {
  return new Feed(host, target);
}

/**
 * Everything up to `floor` in the history, and all in `seen`, was told or is none of this feed's. After a gap what
 * the history has beyond that was missed.
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
  /** What happens while the history is asked is told after what that tells. */
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
      host.onMissed(() => this.#work(() => this.#makeUp("told"))),
      host.onClosed((error) => this.#finish({ ...(error && { error }) })),
    ];
    this.#working = Promise.resolve();
    // Asked before anything that the caller asks next, so that what comes of that is told.
    const newest = host.request("history.list", { limit: 1 });
    newest.catch(() => undefined); // it tells where it begins, unless it ended before
    this.#work(() => this.#begin(newest));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Rejects once with what ended the client, or kept it from subscribing. */
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

  /** Does one thing after the other; what fails ends it. */
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
    await this.#makeUp("told");
  }

  /** What is subscribed to, under the name that it has by now. */
  get #now(): Target {
    return this.#path === undefined ? this.#target : { path: this.#path };
  }

  #told(changed: NotificationParams<"doc.changed">): void {
    if (!this.#matches(changed.path)) return;
    if (this.#held !== undefined) return void this.#held.push(changed);
    if (this.#seen.has(changed.changeId)) return;
    this.#seen.add(changed.changeId);
    this.#yield({ ...changed, missed: false });
    if (this.#seen.size % MOST_SEEN === 0) this.#work(() => this.#makeUp("awaited"));
  }

  #letGo(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const changed of held) this.#told(changed);
  }

  /** Takes what is new in the history as told, or, where no notification is missing, moves the floor up to what is. */
  async #makeUp(unseen: "told" | "awaited"): Promise<void> {
    const beyond = await this.#beyondFloor();
    const missed = beyond.filter((change) => this.#isMine(change) && !this.#seen.has(change.changeId));
    if (unseen === "awaited" && missed.length > 0) return;
    this.#seen.clear();
    for (const { changeId } of beyond) this.#seen.add(changeId);
    for (const change of missed) {
      if (this.#docId !== undefined) this.#path = change.path;
      this.#yield({ ...change, missed: true });
    }
    this.#floor = beyond.at(-1) ?? this.#floor;
  }

  /** Oldest first. */
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

  /** Also where the floor itself is not told any more. */
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
    void this.#host.release(this.#now, this).catch(() => undefined); // with the connection it ends, too
    this.#wake();
  }
}
