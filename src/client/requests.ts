import { DisconnectedError } from "./errors.ts";
import type { Link } from "./link.ts";
import { newOpId, repeatOf } from "./repeats.ts";

interface Pending {
  readonly method: string;
  readonly params: object;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  /** It went out over a connection, so that it may have been done. */
  sent: boolean;
}

/** The close code of a message that is too large: sent again it would be again. */
const TOO_BIG = 1009;

/** The requests of one client that are not answered, over however many connections it takes. */
export class Requests {
  readonly #pending = new Set<Pending>();

  get areWaiting(): boolean {
    return this.#pending.size > 0;
  }

  /** Asks over a link, or over the next one where there is none. What may bear an `opId` has one from here on. */
  ask(method: string, given: object, link: Link | undefined): Promise<unknown> {
    const named = repeatOf(method) === "opId" && !("opId" in given);
    const params = named ? { ...given, opId: newOpId() } : given;
    return new Promise((resolve, reject) => {
      const pending = { method, params, resolve, reject, sent: false };
      this.#pending.add(pending);
      if (link !== undefined) this.#send(link, pending);
    });
  }

  /** Sends all that wait over a new link. */
  sendAll(link: Link): void {
    for (const pending of this.#pending) this.#send(link, pending);
  }

  /** Their link ended: those that went out over it and may not be sent again reject, the others wait for the next. */
  lost(code: number, how: string): void {
    for (const pending of this.#pending) {
      if (!pending.sent || (code !== TOO_BIG && repeatOf(pending.method) !== "once")) continue;
      this.#pending.delete(pending);
      pending.reject(new DisconnectedError(`${how}; whether ${pending.method} was done is not known`));
    }
  }

  /** No link will carry them any more. */
  rejectAll(error: Error): void {
    for (const pending of this.#pending) pending.reject(error);
    this.#pending.clear();
  }

  #send(link: Link, pending: Pending): void {
    pending.sent = true;
    const settle = (answer: () => void) => {
      if (this.#pending.delete(pending)) answer();
    };
    link.call(pending.method, pending.params).then(
      (result) => settle(() => pending.resolve(result)),
      (error: Error) => {
        // Of those that were lost with their connection it was decided when that ended.
        if (!(error instanceof DisconnectedError)) settle(() => pending.reject(error));
      },
    );
  }
}
