import type { Decoded } from "../mirror/format.ts";
import type { DocPath } from "../mirror/path.ts";
import type { Linked, Origin } from "../workspace/document/linked.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { type Carried, type Carrier, CarrierError, largeName } from "./carrier/carrier.ts";
import { untilReached, whereReachable } from "./carrier/reach.ts";
import { join, openLater } from "./catch-up/join.ts";
import { SnapshotKeeper } from "./catch-up/snapshot-keeper.ts";
import { follow } from "./follow.ts";
import type { Copied } from "./members/identity.ts";
import type { Sealer } from "./members/sealer.ts";
import { RecordExchange } from "./messages/record-exchange.ts";
import { originOf } from "./origin.ts";
import { Applier } from "./receiving/apply.ts";
import { Inbox } from "./receiving/inbox.ts";
import { Patience } from "./receiving/patience.ts";
import { Places } from "./receiving/places.ts";
import { isTold } from "./sending/collect.ts";
import { Outbox } from "./sending/outbox.ts";
import { LinkState } from "./state/link-state.ts";
import { type LinkStatus, type MachineStatus, unequal } from "./state/link-status.ts";
import { PassingWords } from "./talk/passing-words.ts";
import { Talk } from "./talk/talk.ts";

/** The pause before the carrier is asked again; milliseconds. */
const RETRY_MS = 1_000;
/** The longest time until a file has become a document; milliseconds. */
const BEGIN_MS = 3_000;
/** The pause between two writes of a file until the inbox has caught up; milliseconds. */
const CATCHING_UP_MS = 5_000;

/** Learns the members of the workspace from the carrier. */
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
  readonly workspaceId: string;
  /** Called when another folder uses this machine's identity, or used it: this one is a copy, or has a copy. */
  readonly copied: (why: Copied) => void;
  /** The most messages that wait for other machines; further changes wait in the journal. */
  readonly mostWaiting?: number;
}

/**
 * Shares a workspace with other machines: exchanges changes with them through a carrier that may lose or repeat any
 * message. Each machine's journal is the source of its messages (M1).
 *
 *     journal ─► outbox ─► carrier ─► inbox ─► documents and files of the others
 */
export class Link implements Linked {
  readonly state: LinkState;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly snapshots: SnapshotKeeper;
  readonly applier: Applier;
  readonly #parts: LinkParts;
  readonly #talk: Talk;
  readonly #places: Places;
  readonly #records: RecordExchange;
  readonly #abort = new AbortController();
  readonly #begun = new Map<string, number>(); // when files began to become documents, by the documents' ids
  #unfollow: () => void = () => {};
  #carrier: LinkStatus["carrier"] = "away";
  #connection = 0; // counts the times that the carrier was reached or lost
  #reason: string | undefined;
  #since: number;
  #talking: Promise<unknown> = Promise.resolve();

  constructor(parts: LinkParts) {
    const { workspace, carrier, sealer, mostWaiting, copied } = parts;
    const { store, clock, report } = workspace.ports;
    this.#parts = parts;
    this.#since = clock.now();
    const state = new LinkState(store, (machine) => sealer.nameOf(machine));
    const place = (docIds: readonly string[]) => void places.settle(docIds);
    const outbox = new Outbox({ store, state, sealer, carrier, clock, report, place, mostWaiting, copied });
    const [machineName, { signal }] = [sealer.nameOf(sealer.machine), this.#abort];
    const places = new Places({ workspace, state, machineName, outbox, signal });
    const begins = (id: string) => clock.elapsed() - (this.#begun.get(id) ?? -BEGIN_MS) < BEGIN_MS;
    const records = new RecordExchange({ workspace, state, sealer, outbox });
    const applier = new Applier({ workspace, state, places, sealer, outbox, begins, records });
    const large = (...of: Parameters<typeof largeName>) =>
      whereReachable(() => carrier.get(largeName(...of)));
    const patience = new Patience(clock);
    const inbox = new Inbox({ state, sealer, applier, places, clock, large, report, patience });
    const reading = { carrier, sealer, applier, places, patience, signal };
    const snapshots = new SnapshotKeeper({ workspace, state, records, outbox, ...reading });
    const isConnected = () => this.#carrier === "connected";
    const passing = new PassingWords({ workspace, state, carrier, sealer, isConnected });
    const exchange = { clock, passing, state, outbox, inbox, carrier, sealer, snapshots };
    const meetAll = () => parts.membership.meetAll();
    const own = { process: workspace.newId("proc"), isConnected, meetAll, copied };
    this.#talk = new Talk({ ...exchange, ...own, report });
    this.state = state;
    this.outbox = outbox;
    this.inbox = inbox;
    this.snapshots = snapshots;
    this.applier = applier;
    this.#places = places;
    this.#records = records;
  }

  /**
   * Begins to share. A joining machine first receives the documents of the others, and works alone until then. Resolves
   * with true once the machine sends its changes; with false if the link ended before.
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
        word: (machine, bytes) =>
          later(() => this.#fromMember(machine, () => this.#talk.take(machine, bytes))),
        connected: () => void this.#introduce(++this.#connection),
        away: (reason) => this.#away(reason),
      },
      this.state.standing.place,
    );
    const unopened = isJoining ? await this.#join() : [];
    const { signal } = this.#abort;
    if (unopened === undefined || signal.aborted) return false;
    const followers = { outbox: this.outbox, places: this.#places, records: this.#records };
    this.#unfollow = follow(workspace, this.state, followers);
    // An earlier process may have ended after it stored a message and before it moved the files.
    void this.#places.settle([...this.state.documents].map(({ id }) => id));
    holds = false;
    for (const work of held) work();
    this.#talking = Promise.all([this.#talk.run(signal), openLater(workspace, unopened, signal)]);
    return true;
  }

  get status(): LinkStatus {
    const { sealer } = this.#parts;
    const { theirs, next } = this.state.standing;
    const machines = sealer.members.map((machine): MachineStatus => {
      const isSelf = machine === sealer.machine;
      return {
        machine,
        name: sealer.nameOf(machine),
        isSelf,
        lastSeen: isSelf ? this.#parts.workspace.ports.clock.now() : this.#talk.lastSeen(machine),
        isConnected: this.#talk.isHere(machine),
        behind: isSelf ? 0 : next - 1 - (theirs[machine]?.[sealer.machine] ?? 0),
        level: sealer.levelOf(machine),
      };
    });
    return {
      carrier: this.#carrier,
      reason: this.#reason,
      since: this.#since,
      ...this.outbox.status,
      incoming: this.inbox.size,
      machines,
      ...unequal([...this.state.documents], sealer.machine),
    };
  }

  get mirrorEveryMs(): number {
    return this.inbox.isCatchingUp ? CATCHING_UP_MS : 0;
  }

  isTold(docId: string): boolean {
    return isTold(this.#parts.workspace.ports.store, this.state, docId);
  }

  /** As the function `originOf`; undefined also for a document that this or another machine has had. */
  originOf(path: DocPath, content: Decoded, isCreated: boolean): Origin | undefined {
    const { sealer, workspaceId, workspace } = this.#parts;
    // Empty files that two machines create have no common beginning, nor has a file that this one may not read elsewhere.
    if ((isCreated && content.text.chars === 0) || !sealer.mayRead(sealer.machine, path)) return undefined;
    const origin = originOf(workspaceId, path, content);
    const { docId } = origin;
    const { loaded, ports } = workspace;
    if (loaded.byId(docId) ?? ports.store.snapshot(docId) ?? this.state.document(docId)) return undefined;
    this.#begun.set(docId, ports.clock.elapsed());
    return { ...origin, seed: this.state.seeds.get(docId) };
  }

  /** Resolves once the carrier is connected and has this machine's certificate. @throws CarrierError after a while */
  async reached(): Promise<void> {
    const { clock } = this.#parts.workspace.ports;
    if (await untilReached(() => this.#carrier === "connected", clock, this.#abort.signal)) return;
    throw new CarrierError("away", this.#reason ?? "the NATS server does not answer");
  }

  /** Stores a snapshot of everything at the carrier, for machines that join. @throws CarrierError */
  async storeSnapshot(): Promise<void> {
    await this.settled();
    await this.snapshots.store();
  }

  /** Stores the owner's newest record at the carrier; a request that is lost is made again. */
  async present(): Promise<void> {
    const isThere = await whereReachable(() => this.#parts.membership.present().then(() => true));
    if (isThere === undefined) void this.#introduce(this.#connection);
  }

  /** Resolves once marked changes are published and received messages are applied, as far as that is possible now. */
  async settled(): Promise<void> {
    await this.#records.settled();
    await this.outbox.settled();
    await this.inbox.settled();
  }

  /** Stops sharing: the folder stays as it is. */
  async close(): Promise<void> {
    this.#abort.abort();
    this.#unfollow();
    await this.#talking;
    await this.#parts.carrier.close();
    await this.outbox.close();
    await this.inbox.close();
    this.#carrier = "stopped";
    if (this.#parts.workspace.linked === this) this.#parts.workspace.linked = undefined;
  }

  #join(): ReturnType<typeof join> {
    const { workspace, membership } = this.#parts;
    return join({
      workspace,
      snapshots: this.snapshots,
      meetAll: () => membership.meetAll(),
      isConnected: () => this.#carrier === "connected",
      waits: (reason) => {
        this.#reason = reason;
      },
      signal: this.#abort.signal,
    });
  }

  #message(carried: Carried): void {
    const { sealer, workspace } = this.#parts;
    if (carried.machine === sealer.machine)
      whereReachable(() => this.outbox.own.sees(carried)).catch((error: unknown) =>
        workspace.ports.report("link.defect", { reason: String(error) }),
      );
    else
      this.#fromMember(carried.machine, () => {
        this.#talk.heard(carried.machine);
        this.inbox.take(carried);
      });
  }

  /** Stores this machine's certificate at the carrier. Retries until the connection ends, as requests may get lost. */
  async #introduce(connection: number): Promise<void> {
    const { membership, workspace } = this.#parts;
    const { clock } = workspace.ports;
    const { signal } = this.#abort;
    for (; connection === this.#connection && !signal.aborted; await clock.sleep(RETRY_MS, signal))
      try {
        if (!(await this.outbox.publisher.connected())) continue;
        await membership.present();
        await membership.meetAll();
        this.inbox.unlock();
        await this.snapshots.look();
        if (connection !== this.#connection) return;
        if (this.#carrier !== "connected") this.#since = clock.now();
        this.#carrier = "connected";
        this.#reason = undefined;
        await whereReachable(() => this.#talk.say());
        return;
      } catch (error) {
        this.#reason = error instanceof Error ? error.message : String(error);
      }
  }

  #away(reason: string): void {
    this.#connection++;
    this.outbox.publisher.away();
    if (this.#carrier !== "away") this.#since = this.#parts.workspace.ports.clock.now();
    this.#carrier = "away";
    this.#reason = reason;
  }

  /** Does a machine's work once the machine is known; drops the work of an unknown machine. */
  #fromMember(machine: string, work: () => void): void {
    const { membership, workspace } = this.#parts;
    if (membership.isKnown(machine)) work();
    else
      whereReachable(() => membership.meet(machine)).then(
        (isMember) => (isMember ? work() : undefined),
        (error: unknown) => workspace.ports.report("link.defect", { reason: String(error) }),
      );
  }
}
