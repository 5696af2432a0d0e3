import type { NotificationParams, Result } from "../protocol/schemas.ts";
import type { Caller } from "./caller.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** A change that came after what was shown. */
type News = Pick<NotificationParams<"doc.changed">, "version" | "author" | "changeId">;

/** What a session was shown of a document: the base of its edits. */
export interface Sight {
  readonly path: string;
  /** The version shown last. */
  readonly version: string;
  /** The version shown first. */
  readonly first: string;
  /** Changes told of since, in the order of versions; those up to `version` may be among them. */
  readonly news: readonly News[];
  /** Some changes were not told of. */
  readonly missed: boolean;
}

/** Documents remembered a session, and changes remembered of each. */
const MOST_SIGHTS = 200;
const MOST_NEWS = 500;

/** What a session was shown, by path, the longest unused first. */
export class Sights {
  readonly #caller: Caller;
  readonly #subscriptions: Subscriptions;
  readonly #sights = new Map<string, Sight>();

  constructor(caller: Caller, subscriptions: Subscriptions) {
    this.#caller = caller;
    this.#subscriptions = subscriptions;
    caller.on("doc.changed", ({ path, version, author, changeId }) => {
      const sight = this.#sights.get(path);
      if (sight === undefined) return;
      const news = [...sight.news, { version, author, changeId }].slice(-MOST_NEWS);
      const missed = sight.missed || sight.news.length >= MOST_NEWS;
      this.#sights.set(path, { ...sight, news, missed });
    });
    caller.on("doc.renamed", ({ path, to }) => {
      const sight = this.#sights.get(path);
      if (sight === undefined) return;
      this.#sights.delete(path);
      this.#sights.set(to, { ...sight, path: to });
    });
    caller.on("doc.deleted", ({ path }) => this.forget(path));
    caller.on("resync", ({ paths }) => {
      for (const path of paths) {
        const sight = this.#sights.get(path);
        if (sight !== undefined) this.#sights.set(path, { ...sight, missed: true });
      }
    });
  }

  /** The document as it is now and as it was shown last; one that was not shown counts as shown now. */
  async look(path: string): Promise<{ sight: Sight; now: Result<"doc.open"> }> {
    const found = await this.#caller.request("doc.open", { path });
    const known = this.#sights.get(found.path);
    if (known !== undefined) return { sight: known, now: found };
    await this.#subscriptions.hold(found.path);
    const now = await this.#caller.request("doc.open", { path: found.path });
    return { sight: this.shown(now.path, now.version), now };
  }

  get(path: string): Sight | undefined {
    return this.#sights.get(path);
  }

  all(): readonly Sight[] {
    return [...this.#sights.values()];
  }

  /** The session has seen this version; `after` names the change of its own that made it. */
  shown(path: string, version: string, after?: string): Sight {
    const before = this.#sights.get(path);
    const own = before?.news.findIndex(({ changeId }) => changeId === after) ?? -1;
    const sight: Sight = {
      path,
      version,
      first: before?.first ?? version,
      news: before === undefined ? [] : newsAfter(before.news.slice(own + 1), version),
      missed: false,
    };
    this.#sights.delete(path);
    this.#sights.set(path, sight);
    if (this.#sights.size > MOST_SIGHTS) this.forget(this.#sights.keys().next().value!);
    return sight;
  }

  forget(path: string): void {
    if (this.#sights.delete(path)) this.#subscriptions.release(path);
  }
}

/** What came after a version; the version's own news may be yet to come, then that is all of it. */
export function newsAfter(news: readonly News[], version: string): readonly News[] {
  return news.slice(news.findIndex((one) => one.version === version) + 1);
}

/** Those who made changes, each once. */
export function authorsOf(news: readonly News[]): string[] {
  return [...new Set(news.map(({ author }) => author))];
}
