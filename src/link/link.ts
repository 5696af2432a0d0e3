import { createHash } from "node:crypto";
import type { Peer } from "../doc/peers.ts";
import type { Decoded } from "../mirror/format.ts";
import { encode } from "../mirror/format.ts";
import type { DocPath } from "../mirror/path.ts";
import { storeFailure } from "../store/store.ts";
import type { Level } from "../workspace/access/rights.ts";
import type { Linked, Origin } from "../workspace/document/linked.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { Applier, NotNow } from "./apply.ts";
import { type Carried, type Carrier, CarrierError } from "./carrier.ts";
import { Inbox } from "./inbox.ts";
import { LinkState } from "./link-state.ts";
import { SnapshotError, SnapshotReader, takeSnapshot } from "./newcomer.ts";
import { largeName, Outbox } from "./outbox.ts";
import { PassingWords } from "./passing-words.ts";
import { Places } from "./places.ts";
import { whereReachable } from "./reach.ts";
import { type Offer, RecordExchange } from "./record-exchange.ts";
import type { Sealer } from "./sealer.ts";
import { encodeHead, headName, makeSnapshot, partName, type SnapshotHead } from "./snapshot.ts";
import { joined, meet, type Vector } from "./vector.ts";
import { decodeWord, encodeWord, type Word } from "./word.ts";

/** How often a machine says what it has and what it lacks; milliseconds. */
const WORD_MS = 2_000;
/** How often, and how long each time, somebody waits for the carrier. */
const REACH_TRIES = 100;
const REACH_PAUSE_MS = 100;
/** The messages after which a new snapshot is stored. */
const SNAPSHOT_EVERY = 2_000;
/** The pause before a machine that joins tries again; milliseconds. */
const RETRY_MS = 1_000;
/** The words after which a machine that said nothing counts as away. */
const AWAY_WORDS = 5;

export interface MachineStatus {
  readonly machine: string;
  readonly name: string;
  readonly isSelf: boolean;
  /** Milliseconds since the epoch when it was last heard; undefined for one that was never heard since the start. */
  readonly lastSeen: number | undefined;
  readonly isConnected: boolean;
  /** The messages of this machine that it has not told to have. */
  readonly behind: number;
  /** The highest level that it has on any path. */
  readonly level: Level;
}

export interface LinkStatus {
  readonly carrier: "connected" | "away" | "stopped";
  /** Why the carrier is away, or why the link stopped, for a person. */
  readonly reason: string | undefined;
  /** Milliseconds since the epoch; when the carrier was last lost or reached. */
  readonly since: number;
  /** Messages of this machine that wait for the carrier. */
  readonly waiting: number;
  /** Messages of other machines that wait for others. */
  readonly incoming: number;
  readonly isFull: boolean;
  readonly machines: readonly MachineStatus[];
  /** Documents that other machines have and this one does not, with the reason. */
  readonly withheld: readonly { readonly path: string; readonly reason: string }[];
}

/** Learns from the carrier who belongs to the workspace. */
interface Meeting {
  isKnown(machine: string): boolean;
  /** @throws CarrierError */
  present(): Promise<void>;
  /** @throws CarrierError */
  meetAll(): Promise<void>;
  /** @throws CarrierError */
  meet(machine: string): Promise<boolean>;
}

interface LinkParts {
  readonly workspace: Workspace;
  readonly carrier: Carrier;
  readonly sealer: Sealer;
  readonly membership: Meeting;
  /** The shared workspace's id. */
  readonly id: string;
}

/**
 * Shares a workspace with other machines: what is done here reaches them, and what they do is done here, through a
 * carrier that may lose or repeat anything. The truth is each machine's journal (M1).
 *
 *     journal ─► outbox ─► carrier ─► inbox ─► documents and files of the others
 */
export class Link implements Linked {
  readonly state: LinkState;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly places: Places;
  readonly applier: Applier;
  readonly records: RecordExchange;
  readonly #parts: LinkParts;
  readonly #process: string;
  readonly #abort = new AbortController();
  readonly #seen = new Map<string, { readonly at: number; readonly newest: number }>();
  #unfollow: (() => void)[] = [];
  #carrier: LinkStatus["carrier"] = "away";
  #reason: string | undefined;
  #since: number;
  #talking: Promise<unknown> = Promise.resolve();
  readonly #passing: PassingWords;
  #snapshot: SnapshotHead | undefined;
  #earlierParts: readonly string[] = [];

  constructor(parts: LinkParts) {
    const { workspace, carrier, sealer } = parts;
    const { store, clock, report } = workspace.ports;
    this.#parts = parts;
    this.#process = workspace.newId("proc");
    this.#since = clock.now();
    this.state = new LinkState(store, (machine) => sealer.nameOf(machine));
    const { state } = this;
    this.outbox = new Outbox({ store, state, sealer, carrier, clock, report });
    const introduce = async (docId: string) => {
      this.outbox.mark(docId);
      await this.outbox.settled();
    };
    this.places = new Places(workspace, state, sealer.nameOf(sealer.machine), introduce);
    const mark = (docId: string) => this.outbox.mark(docId);
    const offer = (offered: Offer) => this.outbox.offer(offered);
    this.records = new RecordExchange({ workspace, state, sealer, mark, offer });
    const { places, records } = this;
    this.applier = new Applier({ workspace, state, places, sealer, mark, records });
    this.#passing = new PassingWords({
      elsewhere: workspace.shared.elsewhere,
      carrier,
      sealer,
      clock,
      isConnected: () => this.#carrier === "connected",
      pathOf: (docId) => state.document(docId)?.name.path,
    });
    const large = (machine: string, number: number) => this.#object(largeName(machine, number));
    this.inbox = new Inbox({ state, sealer, applier: this.applier, clock, large, report });
  }

  /**
   * Begins to share. A machine that joins first takes in what the others have; until then it works alone. Resolves once the
   * machine tells the others what it does; false if the link ended before.
   */
  async begin(isJoining: boolean): Promise<boolean> {
    const { workspace, carrier } = this.#parts;
    const held: (() => void)[] = [];
    let holds = isJoining;
    const later = (work: () => void) => void (holds ? held.push(work) : work());
    workspace.linked = this;
    carrier.start(
      {
        message: (carried) => later(() => this.#message(carried)),
        word: (machine, bytes) => later(() => this.#fromMember(machine, () => this.#word(machine, bytes))),
        connected: () => this.#connected(),
        away: (reason) => this.#away(reason),
      },
      this.state.standing.place,
    );
    if (isJoining && !(await this.#join())) return false;
    this.#follow();
    holds = false;
    for (const work of held) work();
    this.#talking = Promise.all([this.#talk(), this.#passing.run(this.#abort.signal)]);
    return true;
  }

  /** Takes in the newest snapshot, and opens the files that only this machine has. Tries until it succeeds. */
  async #join(): Promise<boolean> {
    const { workspace, carrier, sealer, membership } = this.#parts;
    const { clock, store, report } = workspace.ports;
    const reader = new SnapshotReader(carrier, sealer);
    const { signal } = this.#abort;
    for (; !signal.aborted; await clock.sleep(RETRY_MS, signal)) {
      if (this.#carrier !== "connected") continue;
      try {
        await membership.meetAll();
        const head = await this.takeSnapshot();
        const shared = new Map<string, string>();
        if (head === undefined) this.#reason = "no machine has stored a snapshot yet";
        else
          for await (const files of reader.files(head))
            for (const { path, sha256 } of files) shared.set(path, sha256);
        if (head === undefined) continue;
        await workspace.cover.pass(signal);
        for (const path of [...store.baselines.paths()])
          if (store.baselines.at(path)?.sha256 !== shared.get(path)) await workspace.open(path);
        return !signal.aborted;
      } catch (error) {
        if (!isPassing(error)) throw error;
        this.#reason = error.message;
        report("link.waiting", { reason: error.message });
      }
    }
    return false;
  }

  /** Has every change of a journal told that no message told yet (M12), and every later one. */
  #follow(): void {
    const { workspace } = this.#parts;
    const { store } = workspace.ports;
    this.#unfollow = [
      workspace.updates.followAll((docId, { change, durable }) => {
        if (change.machine !== undefined) return;
        durable.then(
          () => this.outbox.mark(docId),
          () => undefined, // the store rolls the change back
        );
      }),
      workspace.listen((event) => {
        if (event.type === "created") this.outbox.mark(event.docId);
      }),
      this.records.follow(),
    ];
    for (const { id, deletedAt } of store.documents()) {
      const linked = this.state.document(id);
      const [newest] = store.changes(id, { limit: 1 });
      const isTold =
        linked === undefined ? deletedAt !== undefined : newest === undefined || newest.seq <= linked.sent;
      if (!isTold) this.outbox.mark(id);
    }
  }

  #message(carried: Carried): void {
    const { sealer } = this.#parts;
    if (carried.machine === sealer.machine && carried.number < this.state.standing.next) return;
    this.#fromMember(carried.machine, () => {
      this.#heard(carried.machine);
      this.inbox.take(carried);
    });
  }

  get status(): LinkStatus {
    const { workspace, sealer } = this.#parts;
    const { clock } = workspace.ports;
    const { theirs, next } = this.state.standing;
    const machines = sealer.members.map((machine): MachineStatus => {
      const seen = this.#seen.get(machine);
      const isSelf = machine === sealer.machine;
      return {
        machine,
        name: sealer.nameOf(machine),
        isSelf,
        lastSeen: isSelf ? clock.now() : seen?.at,
        isConnected: isSelf
          ? this.#carrier === "connected"
          : seen !== undefined && clock.now() - seen.at < WORD_MS * AWAY_WORDS,
        level: sealer.levelOf(machine),
        behind: isSelf ? 0 : next - 1 - (theirs[machine]?.[sealer.machine] ?? 0),
      };
    });
    const withheld = [...this.state.documents].flatMap(({ name, withheld: reason }) =>
      reason === undefined ? [] : [{ path: name.path as string, reason }],
    );
    return {
      carrier: this.#carrier,
      reason: this.#reason,
      since: this.#since,
      waiting: this.outbox.unpublished,
      incoming: this.inbox.size,
      isFull: this.outbox.isFull,
      machines,
      withheld,
    };
  }

  /**
   * Returns the beginning that every machine gives the document of a file with this text, so that machines that open the
   * same file make the same document (M13). An empty file, or a document that was there before, begins on one machine.
   */
  originOf(path: DocPath, content: Decoded): Origin | undefined {
    if (content.text.chars === 0) return undefined;
    const hash = createHash("sha256").update(`${this.#parts.id}\n${path}\n`);
    for (const piece of encode(content)) hash.update(piece);
    const digest = hash.digest();
    const docId = `doc_${base32(digest.subarray(8, 18))}`;
    if (this.#parts.workspace.ports.store.document(docId) !== undefined) return undefined;
    if (this.state.document(docId) !== undefined) return undefined;
    return { docId, peer: (digest.readBigUInt64BE(0) >> 1n).toString() as Peer };
  }

  /** Resolves once the carrier is connected, and this machine has shown itself. @throws CarrierError after a while */
  async reached(): Promise<void> {
    const { clock } = this.#parts.workspace.ports;
    for (let i = 0; this.#carrier !== "connected"; i++) {
      if (i >= REACH_TRIES) throw new CarrierError("away", this.#reason ?? "the broker does not answer");
      await clock.sleep(REACH_PAUSE_MS, this.#abort.signal);
    }
  }

  /** Stores a snapshot of everything at the carrier, for machines that join. @throws CarrierError, StoreError */
  async storeSnapshot(): Promise<SnapshotHead> {
    const { workspace, carrier, sealer } = this.#parts;
    const { store, clock } = workspace.ports;
    await this.settled();
    const { machine } = sealer;
    const earlier = await carrier.names();
    const put = (name: string, bytes: Uint8Array) => carrier.put(name, sealer.seal(0, bytes));
    const having = { store, state: this.state, records: this.records, machine, now: clock.now() };
    const head = await makeSnapshot(having, (part, id, bytes) => put(partName(id, part), bytes));
    await put(headName(machine), encodeHead(head));
    this.#snapshot = head;
    const own = this.#earlierParts;
    this.#earlierParts = Array.from({ length: head.documentParts + head.fileParts }, (_, part) =>
      partName(head.id, part),
    );
    // A machine may be reading the snapshot before this one, so only the parts of older ones go.
    for (const name of own) if (earlier.includes(name)) await carrier.remove(name);
    return head;
  }

  /** Takes in the newest snapshot at the carrier. Returns false if there is none. @throws CarrierError, SnapshotError */
  async takeSnapshot(): Promise<SnapshotHead | undefined> {
    const { workspace, carrier, sealer } = this.#parts;
    const reader = new SnapshotReader(carrier, sealer);
    const head = await reader.head();
    const { state, applier } = this;
    if (head !== undefined)
      await takeSnapshot({ workspace, state, applier, machine: sealer.machine }, reader, head);
    return head;
  }

  /** Resolves once what was marked is published and what came is applied, as far as both can be now. */
  async settled(): Promise<void> {
    await this.records.settled();
    await this.outbox.settled();
    await this.inbox.settled();
  }

  /** Stops sharing: the folder stays as it is. */
  async close(): Promise<void> {
    this.#abort.abort();
    for (const unfollow of this.#unfollow) unfollow();
    await this.#talking;
    await this.#parts.carrier.close();
    await this.outbox.close();
    await this.inbox.close();
    this.#carrier = "stopped";
    this.#parts.workspace.linked = undefined;
  }

  #connected(): void {
    const { membership } = this.#parts;
    this.outbox
      .connected()
      .then(() => membership.present())
      .then(() => membership.meetAll())
      .then(() => {
        this.#carrier = "connected";
        this.#reason = undefined;
        this.#since = this.#parts.workspace.ports.clock.now();
        return this.#say();
      })
      .catch((error: unknown) => this.#away(String(error)));
  }

  #away(reason: string): void {
    this.outbox.away();
    if (this.#carrier !== "away") this.#since = this.#parts.workspace.ports.clock.now();
    this.#carrier = "away";
    this.#reason = reason;
  }

  /** Does something that a machine asks for, once it is known; what comes of an unknown machine is dropped. */
  #fromMember(machine: string, work: () => void): void {
    const { membership, workspace } = this.#parts;
    if (membership.isKnown(machine)) return work();
    whereReachable(() => membership.meet(machine)).then(
      (isMember) => (isMember ? work() : undefined),
      (error: unknown) => workspace.ports.report("link.defect", { reason: String(error) }),
    );
  }

  #heard(machine: string, newest = 0): void {
    this.#seen.set(machine, { at: this.#parts.workspace.ports.clock.now(), newest });
  }

  /** Says what this machine has and lacks, until the link ends; drops what every machine has. */
  async #talk(): Promise<void> {
    const { workspace } = this.#parts;
    const { clock, report } = workspace.ports;
    for (;;) {
      await clock.sleep(WORD_MS, this.#abort.signal);
      if (this.#abort.signal.aborted) return;
      if (this.#carrier === "connected") await this.#say();
      if (this.#carrier === "connected" && this.#isSnapshotDue)
        await whereReachable(() => this.storeSnapshot());
      const failure = await storeFailure(this.outbox.drop(this.#heldByAll()));
      if (failure !== undefined) report("link.unsaved", { reason: failure.message });
    }
  }

  /**
   * True for the machine that stores the next snapshot: the first of those that are there, once much is newer than the
   * last one, or once a machine lacks what nobody can send any more.
   */
  get #isSnapshotDue(): boolean {
    const { sealer } = this.#parts;
    const here = this.status.machines.filter(({ isConnected }) => isConnected).map(({ machine }) => machine);
    if (here.sort()[0] !== sealer.machine) return false;
    const { received, next } = this.state.standing;
    const now = sizeOf(received) + next - 1;
    return now - sizeOf(this.#snapshot?.vector ?? {}) >= (this.#snapshot === undefined ? 1 : SNAPSHOT_EVERY);
  }

  async #say(): Promise<void> {
    const { carrier, sealer } = this.#parts;
    const { received, next } = this.state.standing;
    const word: Word = {
      process: this.#process,
      held: { ...received },
      newest: next - 1,
      needs: { ...this.inbox.needs },
      first: Math.max(1, next - this.outbox.stored),
    };
    await whereReachable(() => carrier.say(sealer.machine, sealer.seal(0, encodeWord(word))));
  }

  #word(machine: string, bytes: Uint8Array): void {
    const { sealer, workspace } = this.#parts;
    const payload = sealer.open(machine, 0, bytes);
    if ("refused" in payload || this.#passing.take(machine, payload)) return;
    const word = decodeWord(payload);
    if (word === undefined) return;
    if (machine === sealer.machine) {
      if (word.process !== this.#process) workspace.ports.report("link.copied", { machine });
      return;
    }
    this.#heard(machine, word.newest);
    this.state.tells(machine, word.held);
    this.inbox.heard(machine, word.newest);
    const from = word.needs[sealer.machine];
    if (from !== undefined) this.outbox.again(from);
  }

  /** The newest own message that every other machine has told to have. */
  #heldByAll(): number {
    const { sealer } = this.#parts;
    const { theirs } = this.state.standing;
    const others = sealer.members.filter((machine) => machine !== sealer.machine);
    if (others.length === 0) return 0;
    const held = meet(others.map((machine) => joined({ [sealer.machine]: 0 }, theirs[machine] ?? {})));
    return held[sealer.machine] ?? 0;
  }

  #object(name: string): Promise<Uint8Array | undefined> {
    return whereReachable(() => this.#parts.carrier.get(name));
  }
}

function sizeOf(vector: Vector): number {
  return Object.values(vector).reduce((sum, number) => sum + number, 0);
}

/** True for an error that may not come again. */
function isPassing(error: unknown): error is Error {
  return error instanceof CarrierError || error instanceof SnapshotError || error instanceof NotNow;
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

function base32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  let text = "";
  for (let i = 0; i + 5 <= bits.length; i += 5) text += ALPHABET[Number.parseInt(bits.slice(i, i + 5), 2)];
  return text;
}
