import { DisconnectedError } from "./errors.ts";
import type { Link } from "./link.ts";
import { newOpId, repeatOf } from "./repeats.ts";

interface Pending {
  readonly method: string;
  readonly params: object;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  /** True once the request went out over a connection, so the daemon may have applied it. */
  sent: boolean;
}

/** The close code for a message that is too large; sending it again would close the next connection, too. */
const TOO_BIG = 1009;

/** The unanswered requests of one client, over all its connections. */
export class Requests {
  readonly #pending = new Set<Pending>();

  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /**
   * Sends a request over a link, or over the next one when there is none. A method that takes an `opId` gets
   * one here.
   */
  send(method: string, given: object, link: Link | undefined): Promise<unknown> {
    const needsOpId = repeatOf(method) === "opId" && !("opId" in given);
    const params = needsOpId ? { ...given, opId: newOpId() } : given;
    return new Promise((resolve, reject) => {
      const pending = { method, params, resolve, reject, sent: false };
      this.#pending.add(pending);
      if (link !== undefined) this.#sendOver(link, pending);
    });
  }

  /** Sends all pending requests over a new link. */
  sendAll(link: Link): void {
    for (const pending of this.#pending) this.#sendOver(link, pending);
  }

  /**
   * Reports the end of a link: rejects the requests sent over it that must not be sent again; the others wait
   * for the next link.
   */
  lost(code: number, how: string): void {
    for (const pending of this.#pending) {
      if (!pending.sent || (code !== TOO_BIG && repeatOf(pending.method) !== "once")) continue;
      this.#pending.delete(pending);
      pending.reject(new DisconnectedError(`${how}; ${pending.method} may or may not have been applied`));
    }
  }

  /** Rejects all pending requests: no link will follow. */
  rejectAll(error: Error): void {
    for (const pending of this.#pending) pending.reject(error);
    this.#pending.clear();
  }

  #sendOver(link: Link, pending: Pending): void {
    pending.sent = true;
    const settle = (answer: () => void) => {
      if (this.#pending.delete(pending)) answer();
    };
    link.call(pending.method, pending.params).then(
      (result) => settle(() => pending.resolve(result)),
      (error: Error) => {
        // `lost` has already decided about the requests of a connection that ended.
        if (!(error instanceof DisconnectedError)) settle(() => pending.reject(error));
      },
    );
  }
}
