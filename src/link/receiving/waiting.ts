/** More messages than others can lack of a machine: its outbox stores fewer. */
const MOST_AHEAD = 50_000;
/** The most bytes of messages that wait for one that is missing. */
const MOST_BYTES = 32 << 20;

/**
 * The messages of one log that wait for their turn. It takes none that is too far ahead: anybody who can write to the
 * carrier can put messages into the log that wait for ever.
 */
export class Waiting {
  readonly #messages = new Map<number, Uint8Array>();
  #bytes = 0;
  /** No message before this one waits. */
  #first: number;
  /** The newest message that waited. */
  #newest = 0;

  /** `next` is the first message that this machine lacks. */
  constructor(next: number) {
    this.#first = next;
  }

  get size(): number {
    return this.#messages.size;
  }

  get newest(): number {
    return this.#newest;
  }

  get(number: number): Uint8Array | undefined {
    return this.#messages.get(number);
  }

  /** Adds a message; returns false for one that is too far ahead of the next one. */
  add(number: number, bytes: Uint8Array, next: number): boolean {
    const isBlocked = number !== next && !this.#messages.has(next);
    if (number >= next + MOST_AHEAD || (isBlocked && this.#bytes + bytes.length > MOST_BYTES)) return false;
    this.delete(number);
    this.#messages.set(number, bytes);
    this.#bytes += bytes.length;
    this.#newest = Math.max(this.#newest, number);
    return true;
  }

  delete(number: number): void {
    this.#bytes -= this.#messages.get(number)?.length ?? 0;
    this.#messages.delete(number);
  }

  /** Removes the messages before one, which a snapshot has brought. */
  dropBefore(next: number): void {
    for (; this.#first < next && this.size > 0; this.#first++) this.delete(this.#first);
    this.#first = Math.max(this.#first, next);
  }
}
