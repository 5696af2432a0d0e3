import { createHash } from "node:crypto";
import type { Peer } from "../doc/peers.ts";
import type { Decoded } from "../mirror/format.ts";
import { encode } from "../mirror/format.ts";
import type { DocPath } from "../mirror/path.ts";
import { storeFailure } from "../store/store.ts";
import type { Linked, Origin } from "../workspace/document/linked.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { Applier } from "./apply.ts";
import { type Carrier, CarrierError } from "./carrier.ts";
import { Inbox } from "./inbox.ts";
import { LinkState } from "./link-state.ts";
import { SnapshotReader, takeSnapshot } from "./newcomer.ts";
import { largeName, Outbox } from "./outbox.ts";
import { Places } from "./places.ts";
import type { Sealer } from "./sealer.ts";
import { encodeHead, headName, makeSnapshot, partName, type SnapshotHead } from "./snapshot.ts";
import { joined, meet } from "./vector.ts";
import { decodeWord, encodeWord, type Word } from "./word.ts";

/** How often a machine says what it has and what it lacks; milliseconds. */
const WORD_MS = 2_000;
/** The longest time until a file has become a document; milliseconds. */
const BEGIN_MS = 3_000;
/** The words after which a machine that said nothing counts as away. */
const AWAY_WORDS = 5;

export interface MachineStatus {
  readonly machine: string;
  readonly name: string;
  readonly isSelf: boolean;
  /** Milliseconds since the epoch when it was last heard; undefined for one that was never heard since the start. */
  readonly lastSeen: number | undefined;
  readonly isConnected: boolean;
  /** The messages of this machine that it lacks. */
  readonly behind: number;
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
  readonly #parts: LinkParts;
  readonly #process: string;
  readonly #abort = new AbortController();
  /** When files began to become documents, by the documents' ids. */
  readonly #begun = new Map<string, number>();
  readonly #seen = new Map<string, { readonly at: number; readonly newest: number }>();
  #unfollow: (() => void)[] = [];
  #carrier: LinkStatus["carrier"] = "away";
  #reason: string | undefined;
  #since: number;
  #talking: Promise<void> = Promise.resolve();
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
    const place = (docIds: readonly string[]) => void this.places.settle(docIds);
    this.outbox = new Outbox({ store, state, sealer, carrier, clock, report, place });
    const introduce = async (docId: string) => {
      this.outbox.mark(docId);
      await this.outbox.collected();
    };
    const machineName = sealer.nameOf(sealer.machine);
    this.places = new Places({ workspace, state, machineName, introduce, signal: this.#abort.signal });
    const mark = (docId: string) => this.outbox.mark(docId);
    const begins = (docId: string) =>
      clock.elapsed() - (this.#begun.get(docId) ?? Number.NEGATIVE_INFINITY) < BEGIN_MS;
    this.applier = new Applier({ workspace, state, places: this.places, sealer, mark, begins });
    const large = (machine: string, number: number) => this.#object(largeName(machine, number));
    this.inbox = new Inbox({ state, sealer, applier: this.applier, clock, large, report });
  }

  /** Begins to share: what the journals have that no message told is told first (M12). */
  start(): void {
    const { workspace, carrier, sealer } = this.#parts;
    const { store } = workspace.ports;
    workspace.linked = this;
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
    ];
    for (const { id, deletedAt } of store.documents()) {
      const linked = this.state.document(id);
      const [newest] = store.changes(id, { limit: 1 });
      const isTold =
        linked === undefined ? deletedAt !== undefined : newest === undefined || newest.seq <= linked.sent;
      if (!isTold) this.outbox.mark(id);
    }
    // A stop may have come between what was told and its effect on the files.
    void this.places.settle([...this.state.documents].map(({ id }) => id));
    carrier.start(
      {
        message: (carried) => {
          if (carried.machine === sealer.machine && carried.number < this.state.standing.next) return;
          this.#fromMember(carried.machine, () => {
            this.#heard(carried.machine);
            this.inbox.take(carried);
          });
        },
        word: (machine, bytes) => this.#fromMember(machine, () => this.#word(machine, bytes)),
        connected: () => this.#connected(),
        away: (reason) => this.#away(reason),
      },
      this.state.standing.place,
    );
    this.#talking = this.#talk();
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
    this.#begun.set(docId, this.#parts.workspace.ports.clock.elapsed());
    return { docId, peer: (digest.readBigUInt64BE(0) >> 1n).toString() as Peer };
  }

  /** Stores a snapshot of everything at the carrier, for machines that join. @throws CarrierError, StoreError */
  async storeSnapshot(): Promise<SnapshotHead> {
    const { workspace, carrier, sealer } = this.#parts;
    const { store, clock } = workspace.ports;
    await this.settled();
    const { machine } = sealer;
    const earlier = await carrier.names();
    const put = (name: string, bytes: Uint8Array) => carrier.put(name, sealer.seal(0, bytes));
    const having = { store, state: this.state, machine, now: clock.now() };
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
    this.#reached().catch((error: unknown) => this.#away(String(error)));
  }

  async #reached(): Promise<void> {
    const { membership, workspace } = this.#parts;
    if (!(await this.outbox.connected())) return;
    await membership.present();
    await membership.meetAll();
    this.#carrier = "connected";
    this.#reason = undefined;
    this.#since = workspace.ports.clock.now();
    await this.#say();
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
      const failure = await storeFailure(this.outbox.drop(this.#heldByAll()));
      if (failure !== undefined) report("link.unsaved", { reason: failure.message });
    }
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
    if ("refused" in payload) return;
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

/** Does something at the carrier; undefined where it cannot be reached, or refuses. */
async function whereReachable<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CarrierError) return undefined;
    throw error;
  }
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

function base32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  let text = "";
  for (let i = 0; i + 5 <= bits.length; i += 5) text += ALPHABET[Number.parseInt(bits.slice(i, i + 5), 2)];
  return text;
}
