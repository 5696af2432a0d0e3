import type { ChangeRecord } from "../../store/store.ts";
import type { Ports } from "../ports.ts";
import { notifyEach } from "./notify-each.ts";

/** An accepted change and the Loro updates that bring it to other replicas. */
export interface FeedUpdate {
  readonly change: ChangeRecord;
  /** The updates in the order in which a replica imports them. */
  readonly updates: readonly Uint8Array[];
  /** Resolves once the change is durable; rejects if the store refused it, and with it every later change. */
  readonly durable: Promise<void>;
}

type UpdateListener = (update: FeedUpdate) => void;

/** Publishes the changes of each document to its followers, in their order. A followed document stays in memory. */
export class UpdateFeed {
  readonly #ofAll = new Set<(docId: string, update: FeedUpdate) => void>();
  readonly #byDocument = new Map<string, Set<UpdateListener>>();
  readonly #report: Ports["report"];

  constructor(report: Ports["report"]) {
    this.#report = report;
  }

  /** Calls `follower` synchronously with each accepted change until the returned function is called. */
  follow(docId: string, follower: UpdateListener): () => void {
    const followers = this.#byDocument.get(docId) ?? new Set();
    this.#byDocument.set(docId, followers.add(follower));
    return () => {
      followers.delete(follower);
      if (followers.size === 0 && this.#byDocument.get(docId) === followers) this.#byDocument.delete(docId);
    };
  }

  /**
   * Calls `follower` synchronously with each accepted change of every document, the one that began it too. Documents may
   * leave memory as ever.
   */
  followAll(follower: (docId: string, update: FeedUpdate) => void): () => void {
    this.#ofAll.add(follower);
    return () => this.#ofAll.delete(follower);
  }

  /** True if a document has followers. */
  has(docId: string): boolean {
    return this.#byDocument.has(docId);
  }

  /** Calls the followers of a document with an update. */
  publish(docId: string, update: FeedUpdate): void {
    const followers = this.#byDocument.get(docId) ?? [];
    const news = { news: "change", report: this.#report };
    notifyEach(followers, (follower) => follower(update), news);
    notifyEach(this.#ofAll, (follower) => follower(docId, update), news);
  }
}
