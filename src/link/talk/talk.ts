import type { Clock } from "../../mirror/clock.ts";
import { storeFailure } from "../../store/store.ts";
import { joined, meet, type Vector } from "../base/vector.ts";
import type { Carrier } from "../carrier/carrier.ts";
import { whereReachable } from "../carrier/reach.ts";
import { isPassing, maySnapshot } from "../catch-up/newcomer.ts";
import type { SnapshotKeeper } from "../catch-up/snapshot-keeper.ts";
import type { Copied } from "../members/identity.ts";
import { isLocked, type Sealer } from "../members/sealer.ts";
import type { Inbox } from "../receiving/inbox.ts";
import type { Outbox } from "../sending/outbox.ts";
import type { LinkState } from "../state/link-state.ts";
import type { PassingWords } from "./passing-words.ts";
import { decoded, encodeWord, type Word, wordOf } from "./word.ts";

/** The time between two words of a machine; milliseconds. */
const WORD_MS = 2_000;
/** The number of missing words after which a machine is away. */
const AWAY_WORDS = 5;

interface TalkParts {
  readonly clock: Clock;
  readonly state: LinkState;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly carrier: Carrier;
  readonly sealer: Sealer;
  readonly snapshots: SnapshotKeeper;
  readonly passing: PassingWords;
  /** The name of this process. Two processes of one machine at once mean a copied folder. */
  readonly process: string;
  readonly isConnected: () => boolean;
  /** Learns the owner's newest record. @throws CarrierError */
  readonly meetAll: () => Promise<void>;
  /** Called when another folder uses this machine's identity, or used it. */
  readonly copied: (why: Copied) => void;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
}

/**
 * The words between machines: which messages each has and lacks, and which machines are present. No machine stores
 * words; each next word repeats a lost one.
 */
export class Talk {
  readonly #parts: TalkParts;
  /** The last word of each machine: the time for people, and that by the clock which nobody sets; milliseconds. */
  readonly #lastSeen = new Map<string, { readonly at: number; readonly elapsed: number }>();
  /** The machines that could not apply a change, according to their last words. */
  readonly #lacking = new Set<string>();
  /** The machines that lack something of the documents of others, according to their last words. */
  readonly #partial = new Set<string>();
  /** The other process of this machine whose word came last. */
  #other: string | undefined;
  /** The messages that other machines have dropped and this one lacks. */
  #lagging: Vector = {};
  /** True once a word came with a key that this machine does not know. */
  #isLocked = false;
  /** True while another machine asks for messages that this one has dropped. A snapshot has to contain them. */
  #isAsked = false;

  constructor(parts: TalkParts) {
    this.#parts = parts;
  }

  /**
   * Returns the time of a machine's last word, in milliseconds since the epoch; undefined without a word since the
   * start.
   */
  lastSeen(machine: string): number | undefined {
    return this.#lastSeen.get(machine)?.at;
  }

  /** Returns true for a machine that sent a word lately. */
  isHere(machine: string): boolean {
    const { clock, sealer, isConnected } = this.#parts;
    if (machine === sealer.machine) return isConnected();
    const seen = this.#lastSeen.get(machine);
    return seen !== undefined && clock.elapsed() - seen.elapsed < WORD_MS * AWAY_WORDS;
  }

  /** Notes that a machine is present. */
  heard(machine: string): void {
    const { clock } = this.#parts;
    this.#lastSeen.set(machine, { at: clock.now(), elapsed: clock.elapsed() });
  }

  /** Sends words until the signal aborts, and drops the messages that every machine has. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#run(signal), this.#parts.passing.run(signal)]);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, isConnected, outbox, report } = this.#parts;
    while (!signal.aborted) {
      await clock.sleep(WORD_MS, signal);
      if (signal.aborted) return;
      // The next word repeats what a defect kept from this one; the talk goes on (I14).
      const defect = (error: unknown) => report("link.defect", { reason: String(error) });
      if (isConnected()) await whereReachable(() => this.#tend()).catch(defect);
      const failure = await storeFailure(outbox.drop(this.#dispensable()));
      if (failure !== undefined) report("link.unsaved", { reason: failure.message });
    }
  }

  /** Sends the messages that this machine has and lacks, as a word. @throws CarrierError */
  async say(): Promise<void> {
    const { carrier, sealer, state, inbox, outbox, process } = this.#parts;
    const { next } = state.standing;
    const word: Word = {
      process,
      ...(this.#other !== undefined && { heard: this.#other }),
      held: { ...state.held },
      newest: next - 1,
      needs: { ...inbox.needs },
      ...(state.lacking !== undefined && { lacks: true }),
      ...(state.isPartial && { isPartial: true }),
      first: outbox.first,
    };
    await carrier.say(sealer.machine, sealer.seal(0, encodeWord(word)));
  }

  /** Receives a word of a known machine. */
  take(machine: string, bytes: Uint8Array): void {
    const { sealer, state, inbox, outbox, passing, snapshots, process } = this.#parts;
    const payload = sealer.open(machine, 0, bytes);
    if ("refused" in payload && isLocked(payload)) this.#isLocked = true;
    const value = "refused" in payload ? undefined : decoded(payload);
    if (value === undefined || passing.take(machine, value)) return;
    const word = wordOf(value);
    if (word === undefined) return;
    if (machine === sealer.machine) {
      if (word.process !== process) this.#meet(word);
      return;
    }
    if (outbox.own.isOlderThan(word.held[sealer.machine] ?? 0)) return;
    this.heard(machine);
    note(this.#lacking, machine, word.lacks);
    note(this.#partial, machine, word.isPartial);
    state.tells(machine, word.held);
    inbox.heard(machine, word.newest);
    const from = word.needs[sealer.machine];
    if (from !== undefined) {
      outbox.publisher.again(machine, from);
      if (from < outbox.first && snapshots.covered < outbox.first - 1) this.#isAsked = true;
    }
    this.#hearRemoved(word);
    // The other machine has dropped messages that this one lacks. A snapshot has their content (M6).
    if ((state.standing.received[machine] ?? 0) + 1 < word.first)
      this.#lagging = { ...this.#lagging, [machine]: word.first - 1 };
  }

  /**
   * Compares the messages of removed machines: some machines had them before they knew of the removal, and their later
   * messages build on them. The others get the content with a snapshot.
   */
  #hearRemoved({ held, needs }: Word): void {
    const { sealer, state, inbox, snapshots } = this.#parts;
    const { received } = state.standing;
    for (const [machine, number] of Object.entries(held))
      if (sealer.isRemoved(machine)) inbox.heard(machine, number);
    for (const [machine, from] of Object.entries(needs))
      if (sealer.isRemoved(machine) && from <= (received[machine] ?? 0))
        this.#isAsked ||= !snapshots.contains({ [machine]: from });
  }

  /**
   * Receives a word of another process of this machine. It may be the late word of an earlier process. A process that has
   * heard this one runs beside it, in a copied folder.
   */
  #meet({ process, heard }: Word): void {
    const isNew = this.#other !== process;
    this.#other = process;
    // The answer tells the other process that this one runs, before this one may end its link.
    if (isNew) void whereReachable(() => this.say());
    if (heard === this.#parts.process) this.#parts.copied("computer");
  }

  /** @throws CarrierError */
  async #tend(): Promise<void> {
    const { snapshots, inbox, carrier, sealer, state, report } = this.#parts;
    await snapshots.admit();
    await this.say();
    if (this.#isLocked || inbox.isLocked) await this.#unlock();
    const lacking = state.lacking;
    const lagging = Object.entries(this.#lagging).map(([machine, number]) => ({ [machine]: number }));
    const wanted = [...lagging, this.#ofRemoved].filter((messages) => Object.keys(messages).length > 0);
    if (lacking !== undefined) wanted.push(lacking);
    if (wanted.length > 0) {
      this.#lagging = {};
      try {
        for (const messages of wanted) await snapshots.takeLacking(messages);
        inbox.resume();
      } catch (error) {
        // The next word of the other machine asks for it again; a defect does not end the talk (I14).
        report(isPassing(error) ? "link.waiting" : "link.defect", { reason: String(error) });
      }
    }
    const isDue = snapshots.isDue({ lacks: this.#lacking.size > 0 });
    const mayStore = maySnapshot(sealer, sealer.machine);
    if (((isDue && this.#isFirstHere) || this.#isAsked) && mayStore) {
      const failure = await storeFailure(snapshots.store());
      if (failure !== undefined) return report("link.unsaved", { reason: failure.message });
      this.#isAsked = false;
      await carrier.drop(sealer.machine, Math.min(this.#heldByAll(), snapshots.covered));
    }
  }

  /** The messages of removed machines that others have and this machine lacks. */
  get #ofRemoved(): Vector {
    const needs = Object.entries(this.#parts.inbox.needs);
    return Object.fromEntries(needs.filter(([machine]) => this.#parts.sealer.isRemoved(machine)));
  }

  /** Learns the key of a new epoch, which began with the removal of a machine. @throws CarrierError */
  async #unlock(): Promise<void> {
    this.#isLocked = false;
    await this.#parts.meetAll();
    this.#parts.inbox.unlock();
  }

  /**
   * True for the present machine that stores the next snapshot: one that could apply all changes before others, then one
   * that may change everything, and of these one that no rule keeps documents from. For who lacks something, the first one
   * that lacks nothing stores one, too; without such a machine, each one does.
   */
  get #isFirstHere(): boolean {
    const { sealer, state } = this.#parts;
    const isSelf = (machine: string) => machine === sealer.machine;
    const isPartial = (machine: string) => (isSelf(machine) ? state.isPartial : this.#partial.has(machine));
    const lacks = (machine: string) =>
      isSelf(machine) ? state.lacking !== undefined : this.#lacking.has(machine);
    const rank = (machine: string) =>
      4 * Number(lacks(machine)) + 2 * Number(!sealer.mayWriteAll(machine)) + Number(isPartial(machine));
    const here = sealer.members
      .filter((machine) => this.isHere(machine) && maySnapshot(sealer, machine))
      .toSorted()
      .toSorted((a, b) => rank(a) - rank(b));
    const whole = here.find((machine) => !isPartial(machine)) ?? sealer.machine;
    return here[0] === sealer.machine || (this.#lacking.size > 0 && whole === sealer.machine);
  }

  /** Returns the newest own message that the outbox need not store, because every machine has it. */
  #dispensable(): number {
    return this.#heldByAll();
  }

  /** Returns the newest own message that every other machine has reported as received. */
  #heldByAll(): number {
    const { sealer, state } = this.#parts;
    const { theirs } = state.standing;
    const others = sealer.members.filter((machine) => machine !== sealer.machine);
    if (others.length === 0) return 0;
    const held = meet(others.map((machine) => joined({ [sealer.machine]: 0 }, theirs[machine] ?? {})));
    return held[sealer.machine] ?? 0;
  }
}

/** Adds a machine to a set, or removes it. */
function note(machines: Set<string>, machine: string, isIn = false): void {
  if (isIn) machines.add(machine);
  else machines.delete(machine);
}
