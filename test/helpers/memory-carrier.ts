import {
  type Carried,
  type Carrier,
  CarrierError,
  type CarrierListener,
  type LogMessage,
  type Place,
} from "../../src/link/carrier/carrier.ts";
import type { FakeClock } from "./fake-clock.ts";
import type { Seeded } from "./seeded.ts";

/** How a broker and the ways to it behave; probabilities in 0..1, times in milliseconds. */
export interface Faults {
  /** A message or a word is not delivered; a request is lost, or its answer is. */
  drop: number;
  /** A message is delivered twice. */
  double: number;
  /** A message is delivered after the next one. */
  reorder: number;
  /** The longest delay of deliveries or of an answer, drawn anew each time. */
  delay: number;
}

/** Which way of a carrier is cut: what comes in, what goes out, or both. */
export type Cut = "in" | "out" | "both";

const NONE: Faults = { drop: 0, double: 0, reorder: 0, delay: 0 };
/** The least time that anything takes on its way. */
const WAY_MS = 1;
/** The time until a silent connection counts as lost, and until a request gets no answer any more. */
const SILENCE_MS = 10_000;
const RECONNECT_MS = 100;
/** How long the broker remembers the numbers of messages, so that it stores a repeated one once. */
const REMEMBERED_MS = 120_000;
const MAX_BYTES = 1_048_064;

interface Stored {
  readonly machine: string;
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly after: number;
  readonly mark: string;
}

interface Memory {
  readonly name: string;
  /** By place. */
  log: Stored[];
  readonly objects: Map<string, Uint8Array>;
  /** The place of the newest message ever stored. */
  last: number;
}

/** What a broker had when it was backed up. */
export type Backup = Memory;

/**
 * A broker in memory for any number of carriers, on a clock that a test moves. A seed draws its faults, so that a run
 * repeats.
 */
export class MemoryBroker {
  readonly clock: FakeClock;
  readonly random: Seeded;
  /** The faults from now on. */
  faults: Faults = NONE;
  maxBytes = MAX_BYTES;
  #memory: Memory;
  #memories = 0;
  #marks = 0;
  #state: "serving" | "hung" | "stopped" = "serving";
  readonly #carriers = new Set<MemoryCarrier>();
  /** When each message was stored, by its id, the oldest first. */
  #remembered = new Map<string, number>();
  /** What came while the broker hung. */
  #waiting: (() => void)[] = [];

  constructor(clock: FakeClock, random: Seeded) {
    this.clock = clock;
    this.random = random;
    this.#memory = this.#empty();
  }

  /** Returns a new carrier to this broker. */
  carrier(): MemoryCarrier {
    return new MemoryCarrier(this);
  }

  get memory(): Memory {
    return this.#memory;
  }

  get serves(): boolean {
    return this.#state === "serving";
  }

  join(carrier: MemoryCarrier): void {
    this.#carriers.add(carrier);
  }

  leave(carrier: MemoryCarrier): void {
    this.#carriers.delete(carrier);
  }

  /** Ends the broker; its memory stays. */
  stop(): void {
    this.#state = "stopped";
    this.#waiting = [];
    for (const carrier of this.#carriers) carrier.interrupted("the broker stopped");
  }

  /** Starts a stopped broker again. */
  start(): void {
    this.#state = "serving";
    for (const carrier of this.#carriers) carrier.reconnect();
  }

  /** The broker keeps its connections and answers nothing, until it wakes. */
  hang(): void {
    this.#state = "hung";
    for (const carrier of this.#carriers) carrier.silent();
  }

  /** A hung broker goes on with what came meanwhile. */
  wake(): void {
    this.#state = "serving";
    for (const work of this.#waiting.splice(0)) work();
    for (const carrier of this.#carriers) carrier.reconnect();
  }

  /** Loses the newest messages, which it acknowledged, as after a loss of power. */
  loseSuffix(n: number): void {
    this.#memory.log.splice(Math.max(0, this.#memory.log.length - n));
    this.#memory.last = this.#memory.log.at(-1)?.after ?? 0;
    this.#restarted();
  }

  /** Removes everything that the broker stored. */
  wipe(): void {
    this.#memory = this.#empty();
    this.#restarted();
  }

  /** Removes all messages, but stays the same memory, as when somebody purges a stream. */
  purge(): void {
    this.#memory.log = [];
  }

  backup(): Backup {
    const { name, log, objects, last } = this.#memory;
    return { name, log: [...log], objects: new Map(objects), last };
  }

  /** Goes on with what the broker had when it was backed up. */
  restore({ name, log, objects, last }: Backup): void {
    this.#memory = { name, log: [...log], objects: new Map(objects), last };
    this.#restarted();
  }

  store(machine: string, number: number, bytes: Uint8Array): void {
    const id = `${machine}-${number}`;
    if (this.#remembers(id, machine, number)) return;
    this.#remembered.delete(id);
    this.#remembered.set(id, this.clock.elapsed());
    this.#memory.last++;
    this.#marks++;
    const { last: after, log } = this.#memory;
    log.push({ machine, number, bytes: bytes.slice(), after, mark: String(this.#marks) });
    for (const carrier of this.#carriers) carrier.look();
  }

  word(from: MemoryCarrier, machine: string, bytes: Uint8Array): void {
    for (const carrier of this.#carriers) if (carrier !== from) carrier.hear(machine, bytes.slice());
  }

  drop(machine: string, upTo: number): void {
    this.#memory.log = this.#memory.log.filter(
      (stored) => stored.machine !== machine || stored.number > upTo,
    );
  }

  /** Calls `work` when a request arrives: now, or when a hung broker wakes. A stopped broker never does it. */
  serve(work: () => void): void {
    if (this.#state === "serving") work();
    else if (this.#state === "hung") this.#waiting.push(work);
  }

  /** Draws how long something is on its way. */
  way(): number {
    return WAY_MS + (this.faults.delay > 0 ? this.random.int(this.faults.delay + 1) : 0);
  }

  draws(probability: number): boolean {
    return probability > 0 && this.random.chance(probability);
  }

  #remembers(id: string, machine: string, number: number): boolean {
    for (const [oldest, time] of this.#remembered) {
      if (this.clock.elapsed() - time < REMEMBERED_MS) break;
      this.#remembered.delete(oldest);
    }
    return (
      this.#remembered.has(id) &&
      this.#memory.log.some((stored) => stored.machine === machine && stored.number === number)
    );
  }

  #empty(): Memory {
    this.#memories++;
    return { name: `memory ${this.#memories}`, log: [], objects: new Map(), last: 0 };
  }

  /** The broker has another memory; its carriers connect again. */
  #restarted(): void {
    this.#remembered.clear();
    if (this.#state === "stopped") return;
    for (const carrier of this.#carriers) {
      carrier.interrupted("the broker started again");
      carrier.reconnect();
    }
  }
}

/** A carrier to a broker in memory. */
export class MemoryCarrier implements Carrier {
  readonly #broker: MemoryBroker;
  #listener: CarrierListener | undefined;
  #place: Place | undefined;
  /** Where the present connection reads: the place after which it goes on. */
  #cursor = 0;
  #connected = false;
  #cut: Cut | undefined;
  #told: string | undefined;
  /** Cancels the timers that end with the connection. */
  readonly #timers = new Set<() => void>();
  /** Fails the requests that have no answer yet. */
  readonly #requests = new Set<(reason: string) => void>();
  #looking = false;
  /** A message that another one overtakes. */
  #held: Carried | undefined;

  constructor(broker: MemoryBroker) {
    this.#broker = broker;
  }

  get maxBytes(): number {
    return this.#broker.maxBytes;
  }

  start(listener: CarrierListener, from: Place | undefined): void {
    this.#listener = listener;
    this.#place = from;
    this.#broker.join(this);
    this.reconnect();
  }

  /** Cuts a way of this carrier, or all are whole again. */
  cut(which: Cut | undefined): void {
    this.#cut = which;
    if (which !== undefined) this.silent();
    else this.reconnect();
  }

  publish(machine: string, number: number, bytes: Uint8Array): Promise<void> {
    return this.#request(() => this.#broker.store(machine, number, bytes), bytes);
  }

  newest(machine: string): Promise<LogMessage | undefined> {
    return this.#request(() => this.#broker.memory.log.findLast((stored) => stored.machine === machine));
  }

  drop(machine: string, upTo: number): Promise<void> {
    return this.#request(() => this.#broker.drop(machine, upTo));
  }

  say(machine: string, bytes: Uint8Array): Promise<void> {
    return this.#request(() => this.#broker.word(this, machine, bytes), bytes);
  }

  put(name: string, bytes: Uint8Array): Promise<void> {
    const stored = bytes.slice();
    return this.#request(() => void this.#broker.memory.objects.set(name, stored));
  }

  get(name: string): Promise<Uint8Array | undefined> {
    return this.#request(() => this.#broker.memory.objects.get(name)?.slice());
  }

  names(): Promise<readonly string[]> {
    return this.#request(() => [...this.#broker.memory.objects.keys()]);
  }

  remove(name: string): Promise<void> {
    return this.#request(() => void this.#broker.memory.objects.delete(name));
  }

  async close(): Promise<void> {
    this.#broker.leave(this);
    this.#listener = undefined;
    this.#disconnect();
  }

  /** The broker calls this when its connections end. */
  interrupted(reason: string): void {
    const was = this.#connected;
    this.#disconnect();
    this.#tellAway(reason, was);
  }

  /** Nothing comes through one way: after some time the carrier notices. */
  silent(): void {
    if (this.#connected) this.#later(SILENCE_MS, () => this.#check());
  }

  /** Connects after a while, if nothing prevents it and the carrier noticed that it is not connected. */
  reconnect(): void {
    if (this.#connected) this.look();
    else this.#later(RECONNECT_MS, () => this.#connect());
  }

  /** Delivers what is new, after its way. */
  look(): void {
    if (this.#looking || !this.#connected) return;
    this.#looking = true;
    this.#later(this.#broker.way(), () => {
      this.#looking = false;
      this.#deliver();
    });
  }

  hear(machine: string, bytes: Uint8Array): void {
    if (!this.#connected || this.#deaf || this.#broker.draws(this.#broker.faults.drop)) return;
    this.#later(this.#broker.way(), () => this.#listener?.word(machine, bytes));
  }

  get #deaf(): boolean {
    return this.#cut === "in" || this.#cut === "both" || !this.#broker.serves;
  }

  get #mute(): boolean {
    return this.#cut === "out" || this.#cut === "both";
  }

  #check(): void {
    if (this.#cut !== undefined || !this.#broker.serves) this.interrupted("the broker does not answer");
  }

  #connect(): void {
    if (this.#connected || this.#listener === undefined) return;
    if (this.#cut === undefined && this.#broker.serves) this.#connected = true;
    else this.#tellAway("the broker does not answer", false);
    if (!this.#connected) return;
    const { name, log } = this.#broker.memory;
    const place = this.#place;
    const known =
      place?.memory === name && log.some(({ after, mark }) => after === place.after && mark === place.mark);
    if (!known) this.#place = undefined;
    this.#cursor = this.#place?.after ?? 0;
    this.#told = undefined;
    this.#listener.connected();
    this.look();
  }

  #disconnect(): void {
    this.#connected = false;
    this.#looking = false;
    this.#held = undefined;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    for (const fail of this.#requests) fail("the connection ended");
  }

  #tellAway(reason: string, was: boolean): void {
    if (!was && this.#told === reason) return;
    this.#told = reason;
    this.#listener?.away(reason);
  }

  /** Delivers all messages after the cursor, with the faults of the broker. */
  #deliver(): void {
    const { faults, memory } = this.#broker;
    if (this.#deaf) return;
    const { log, name } = memory;
    for (let at = firstAfter(log, this.#cursor); at < log.length && this.#connected; at++) {
      const { machine, number, bytes, after, mark } = log[at]!;
      this.#cursor = after;
      if (this.#broker.draws(faults.drop)) continue;
      const carried = { machine, number, bytes, place: { memory: name, after, mark } };
      if (this.#held === undefined && this.#broker.draws(faults.reorder)) {
        this.#held = carried;
        this.#later(faults.delay + SILENCE_MS, () => this.#release());
        continue;
      }
      this.#tell(carried);
      if (this.#broker.draws(faults.double)) this.#tell(carried);
      this.#release();
    }
  }

  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#tell(held);
  }

  #tell(carried: Carried): void {
    if (this.#place === undefined || this.#place.after < carried.place.after) this.#place = carried.place;
    this.#listener?.message(carried);
  }

  /** Calls `work` later, unless the connection ends before. */
  #later(ms: number, work: () => void): void {
    const cancel = this.#broker.clock.after(ms, () => {
      this.#timers.delete(cancel);
      work();
    });
    this.#timers.add(cancel);
  }

  /** Does something at the broker. A request that a fault loses may still have been done. */
  #request<T>(work: () => T, bytes?: Uint8Array): Promise<T> {
    if (!this.#connected)
      return Promise.reject(new CarrierError("away", this.#told ?? "the carrier is not connected"));
    if (bytes !== undefined && bytes.length > this.maxBytes)
      return Promise.reject(new CarrierError("refused", `the broker takes ${this.maxBytes} bytes at most`));
    const broker = this.#broker;
    return new Promise((resolve, reject) => {
      const fail = (reason: string) => {
        cancel();
        this.#requests.delete(fail);
        reject(new CarrierError("away", reason));
      };
      const cancel = broker.clock.after(SILENCE_MS, () => fail("no answer came"));
      this.#requests.add(fail);
      const answer = (result: T) => {
        cancel();
        this.#requests.delete(fail);
        resolve(result);
      };
      if (this.#mute || broker.draws(broker.faults.drop)) return;
      broker.clock.after(broker.way(), () =>
        broker.serve(() => {
          const result = work();
          if (this.#deaf || broker.draws(broker.faults.drop)) return;
          broker.clock.after(broker.way(), () => answer(result));
        }),
      );
    });
  }
}

/** Returns the index of the first message behind a place. */
function firstAfter(log: readonly Stored[], place: number): number {
  let from = 0;
  let to = log.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (log[middle]!.after > place) to = middle;
    else from = middle + 1;
  }
  return from;
}
