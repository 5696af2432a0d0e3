import { FREE_ANSWER_BYTES, MOST_ANSWER_BYTES } from "../../work/bounds.ts";

/** The owner of answers: the rights of a token, one object each. */
type TrafficOwner = object;

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

interface Account {
  underWay: number;
  readonly waiting: Waiting[];
}

/**
 * The bytes of answers that are being made or that clients have not received yet, by token (I15). A client
 * that asks for much and reads nothing delays its own token only.
 */
export class Traffic {
  readonly #accounts = new Map<TrafficOwner, Account>();

  /** Returns the place of one answer. */
  answer(owner: TrafficOwner): AnswerPlace {
    return new AnswerPlace(
      (bytes) => this.#waitForRoom(owner, bytes),
      (bytes) => this.#change(owner, bytes),
    );
  }

  /** Resolves once there is room for `bytes`; at once when the token has no other answer under way. */
  #waitForRoom(owner: TrafficOwner, bytes: number): Promise<void> {
    const account = this.#accounts.get(owner) ?? { underWay: 0, waiting: [] };
    this.#accounts.set(owner, account);
    return new Promise((admit) => {
      account.waiting.push({ bytes, admit });
      this.#proceed(owner, account);
    });
  }

  #change(owner: TrafficOwner, bytes: number): void {
    const account = this.#accounts.get(owner);
    if (account === undefined) throw new RangeError("this token has no answer under way");
    account.underWay += bytes;
    this.#proceed(owner, account);
  }

  #proceed(owner: TrafficOwner, account: Account): void {
    for (let next = account.waiting[0]; next !== undefined; next = account.waiting[0]) {
      if (account.underWay > 0 && account.underWay + next.bytes > MOST_ANSWER_BYTES) return;
      account.waiting.shift();
      account.underWay += next.bytes;
      next.admit();
    }
    if (account.underWay === 0) this.#accounts.delete(owner);
  }
}

/** The bytes of one answer, from before it is made until the client has received it. */
export class AnswerPlace {
  readonly #waitForRoom: (bytes: number) => Promise<void>;
  readonly #change: (bytes: number) => void;
  #bytes = 0;

  constructor(admitted: (bytes: number) => Promise<void>, change: (bytes: number) => void) {
    this.#waitForRoom = admitted;
    this.#change = change;
  }

  /**
   * Waits for room, once: a handler calls it before it makes a large text. Bytes beyond the first request are
   * counted without a wait, so two answers never wait for each other.
   */
  async reserve(bytes: number): Promise<void> {
    const more = bytes - this.#bytes;
    if (more <= 0 || bytes <= FREE_ANSWER_BYTES) return;
    const first = this.#bytes === 0;
    this.#bytes = bytes;
    if (first) await this.#waitForRoom(bytes);
    else this.#change(more);
  }

  release(): void {
    if (this.#bytes > 0) this.#change(-this.#bytes);
    this.#bytes = 0;
  }
}
