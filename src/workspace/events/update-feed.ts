import type { ChangeRecord } from "../../store/store.ts";
import type { Ports } from "../ports.ts";
import { notifyEach } from "./notify-each.ts";

/** A change on its way into the store, as the bytes that carry it to other replicas. */
export interface FeedUpdate {
  readonly change: ChangeRecord;
  /** In the order of import. */
  readonly updates: readonly Uint8Array[];
  /** Rejects when the store refused it, and with it every later change. */
  readonly durable: Promise<void>;
}

export type UpdateListener = (carried: FeedUpdate) => void;

/** Who carries on the changes of which document, in their order; a document that is followed stays in memory. */
export class UpdateFeed {
  readonly #byDocument = new Map<string, Set<UpdateListener>>();
  readonly #report: Ports["report"];

  constructor(report: Ports["report"]) {
    this.#report = report;
  }

  /** Calls back as each change is made, before anything else gets a turn, until the answer is called. */
  follow(docId: string, follower: UpdateListener): () => void {
    const followers = this.#byDocument.get(docId) ?? new Set();
    this.#byDocument.set(docId, followers.add(follower));
    return () => {
      followers.delete(follower);
      if (followers.size === 0 && this.#byDocument.get(docId) === followers) this.#byDocument.delete(docId);
    };
  }

  has(docId: string): boolean {
    return this.#byDocument.has(docId);
  }

  publish(docId: string, carried: FeedUpdate): void {
    const followers = this.#byDocument.get(docId) ?? [];
    notifyEach(followers, (follower) => follower(carried), { news: "change", report: this.#report });
  }
}
