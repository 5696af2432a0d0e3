/**
 * The reason why a carrier did not store a message. `away`: it cannot be reached. `refused`: it answered, and will not
 * take it.
 */
export class CarrierError extends Error {
  readonly kind: "away" | "refused";

  constructor(kind: "away" | "refused", message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CarrierError";
    this.kind = kind;
  }
}

/** A message of a machine's log. The machines number the messages of their own logs from 1. */
export interface Carried {
  /** The machine whose log the message is in, as the carrier's address says; the sealed bytes prove it or not. */
  readonly machine: string;
  readonly number: number;
  readonly bytes: Uint8Array;
  /** The place of the message in the carrier; a later reader begins after it. */
  readonly place: Place;
}

/** A message of a log, as far as its machine made it. */
export type LogMessage = Pick<Carried, "number" | "bytes">;

/**
 * A place in the carrier's memory, which only the carrier reads. The carrier reads from the beginning if its memory was
 * wiped, or if this message is no longer at this place.
 */
export interface Place {
  /** Names the memory: a wiped carrier has another one. */
  readonly memory: string;
  /** The place of the message. */
  readonly after: number;
  /** Distinguishes the message from any other that has its place after the restoration of an old backup. */
  readonly mark: string;
}

/** The listener of a carrier's events. The carrier calls it in the order of the events. */
export interface CarrierListener {
  /** A message of a log. One log's messages mostly come in order; any may come twice, late, or not at all. */
  message(carried: Carried): void;
  /** A passing word of another machine, which the carrier does not store. */
  word(machine: string, bytes: Uint8Array): void;
  /** The carrier can be reached from now on. Its memory may be another one than before. Messages follow it. */
  connected(): void;
  /** The carrier cannot be reached; `reason` is for a person. The carrier calls this again only with another reason. */
  away(reason: string): void;
}

/**
 * Carries the sealed messages of a workspace's machines to one another, and stores them for machines that are away. A
 * carrier is never trusted: it may lose, repeat, delay or reorder any message, also an acknowledged one.
 */
export interface Carrier {
  /** Begins to read the logs after a place, or from the beginning; connects again by itself until it is closed. */
  start(listener: CarrierListener, from: Place | undefined): void;
  /** Appends to this machine's log. A repeated number is stored once, where the carrier notices. @throws CarrierError */
  publish(machine: string, number: number, bytes: Uint8Array): Promise<void>;
  /** Returns the message of a log that the carrier stored last and has; undefined for none. @throws CarrierError */
  newest(machine: string): Promise<LogMessage | undefined>;
  /** Drops the messages of a log up to a number, if the log is in the order of its numbers. @throws CarrierError */
  drop(machine: string, upTo: number): Promise<void>;
  /** Sends a passing word to the machines that listen now. @throws CarrierError */
  say(machine: string, bytes: Uint8Array): Promise<void>;
  /** Stores a large object, in place of an earlier one of its name. @throws CarrierError */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Returns a stored object, or undefined. @throws CarrierError */
  get(name: string): Promise<Uint8Array | undefined>;
  /** The names of all stored objects. @throws CarrierError */
  names(): Promise<readonly string[]>;
  /** Removes a stored object, if there is one. @throws CarrierError */
  remove(name: string): Promise<void>;
  /** The most bytes of a message or a word, as the carrier reported at its last connection. */
  readonly maxBytes: number;
  /** Ends the connection; resolves once nothing more is delivered. */
  close(): Promise<void>;
}

/** Returns the name of the object that has the content of a large message. */
export function largeName(machine: string, number: number): string {
  return `large.${machine}.${number}`;
}
