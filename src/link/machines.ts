import type { Site } from "../state/site.ts";
import type { AccessRule } from "../workspace/access/rights.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { KeyedQueue } from "../workspace/keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../workspace/outcome/refusal.ts";
import { isRefused } from "./base/outcome.ts";
import { type Carrier, CarrierError } from "./carrier/carrier.ts";
import { publicAddress } from "./carrier/nats-address.ts";
import { problemOf } from "./carrier/reach.ts";
import { Link } from "./link.ts";
import { foundedRecord, ownerOf } from "./members/founder.ts";
import { type Copied, copied } from "./members/identity.ts";
import type { Keys } from "./members/keys.ts";
import { shareLine } from "./members/line.ts";
import {
  LinkFileError,
  type LinkRecord,
  readLink,
  removeLink,
  trustOf,
  writeFailure,
  writeLink,
} from "./members/link-file.ts";
import type { Members } from "./members/members.ts";
import { namedMachine } from "./members/named.ts";
import { invite, nextRecord, recordForNewcomers } from "./members/owner.ts";
import { MemberSealer } from "./members/seal.ts";
import { Membership } from "./membership.ts";
import {
  aloneRefusal,
  brokenRefusal,
  copiedMessage,
  refuseOtherBroker,
  unreachableRefusal,
} from "./refusals.ts";
import { forgetLink } from "./state/link-state.ts";
import type { LinkStatus } from "./state/link-status.ts";

/** The address of the broker, and the variables for this machine's credentials. */
export type Broker = Pick<LinkRecord, "broker" | "environment">;

export interface MachinesPorts {
  readonly workspace: Workspace;
  /** The file that stores the link of the folder. */
  readonly file: string;
  /** The name of the computer. */
  readonly host: string;
  /** Returns the place of the folder. */
  readonly site: () => Site;
  /** Opens a carrier to a broker. @throws an error whose message names the defect of the broker's address */
  readonly openCarrier: (broker: Broker, workspace: string) => Carrier;
}

/** The state of a folder's link. */
export type MachinesStatus =
  | { readonly is: "alone" }
  /** The folder's link cannot be used; the folder works alone. */
  | { readonly is: "broken"; readonly reason: string; readonly since: number }
  | (LinkStatus & { readonly is: "joining" | "shared"; readonly workspace: string; readonly broker: string });

/** The line with which another machine joins; `isNew` is true for a folder that was not shared before. */
interface Shared {
  readonly line: string;
  readonly isNew: boolean;
}

interface Running {
  record: LinkRecord;
  readonly link: Link;
  readonly members: Members;
  readonly keys: Keys;
  readonly membership: Membership;
  readonly beginning: Promise<void>;
}

/**
 * Owns the sharing of this folder with other machines: founds, joins and leaves a workspace, invites and removes
 * machines.
 */
export class Machines {
  readonly #ports: MachinesPorts;
  /** Shares, removals and leaves go one after the other: each finds the folder as the one before left it. */
  readonly #turns = new KeyedQueue<"link">();
  #running: Running | undefined;
  /** The reason why the link cannot be used, and the time since when. */
  #broken: { readonly reason: string; readonly since: number } | undefined;

  constructor(ports: MachinesPorts) {
    this.#ports = ports;
  }

  /** Continues the sharing of a shared folder. */
  open(): void {
    const { file, site } = this.#ports;
    try {
      const record = readLink(file);
      if (record === undefined) return;
      const why = copied(record.identity, site());
      if (why !== undefined) throw new LinkFileError(copiedMessage(why));
      this.#run(record);
    } catch (error) {
      // The folder works alone; the person learns why.
      this.#break(error instanceof Error ? error.message : String(error));
    }
  }

  get status(): MachinesStatus {
    if (this.#broken !== undefined) return { is: "broken", ...this.#broken };
    if (this.#running === undefined) return { is: "alone" };
    const { record, link } = this.#running;
    const { workspace, broker, isJoining } = record;
    return { is: isJoining ? "joining" : "shared", workspace, broker, ...link.status };
  }

  /**
   * Shares the folder, or invites to a folder that is shared; returns the line with which another machine joins, by the
   * rules.
   */
  share(
    broker: Broker | undefined,
    rules: readonly AccessRule[],
    expires?: number,
  ): Promise<Outcome<Shared>> {
    return this.#turns.run(["link"], () => this.#share(broker, rules, expires));
  }

  /** Removes a machine. It gets no key of later epochs, and other machines refuse its later messages. */
  remove(machine: string): Promise<Outcome<void>> {
    return this.#turns.run(["link"], () => this.#remove(machine));
  }

  /** Stops sharing this folder. Its files and its history stay. */
  leave(): Promise<Outcome<void>> {
    return this.#turns.run(["link"], () => this.#leave());
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    await running.link.close();
    await running.beginning;
  }

  async #share(
    broker: Broker | undefined,
    rules: readonly AccessRule[],
    expires: number | undefined,
  ): Promise<Outcome<Shared>> {
    if (this.#broken !== undefined) return brokenRefusal(this.#broken.reason);
    const isNew = this.#running === undefined;
    if (isNew) {
      if (broker === undefined)
        return new Refusal("INVALID_ARGUMENT", "the folder is not shared yet, and no NATS server is named", {
          suggestion: "Name the NATS server in `broker`, such as nats://localhost:4222.",
        });
      const refused = await this.#found(broker);
      if (refused !== undefined) return refused;
    }
    const { record, keys } = this.#running!;
    const owner = ownerOf(record);
    if (owner === undefined)
      return new Refusal("PERMISSION_DENIED", "another machine founded this shared workspace", {
        suggestion: "Only the machine that shared the workspace first can invite others.",
      });
    const other = broker && refuseOtherBroker(record.broker, broker.broker);
    if (other !== undefined) return other;
    const refused = await this.#storeAll();
    if (refused !== undefined) return refused;
    return {
      line: shareLine(owner, publicAddress(record.broker), keys, invite(owner, rules, expires)),
      isNew,
    };
  }

  /** Stores everything at the broker, for the machine that joins. */
  async #storeAll(): Promise<Refusal | undefined> {
    const { link } = this.#running!;
    const { cover } = this.#ports.workspace;
    if (cover.status.stage !== "covered") await cover.pass(new AbortController().signal);
    try {
      await link.reached();
      await link.storeSnapshot();
      return undefined;
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
      return new Refusal("OVERLOADED", `the NATS server does not take the files: ${error.message}`, {
        suggestion:
          "The folder is shared. Call workspace.share again for a line, once the NATS server can be reached.",
      });
    }
  }

  async #remove(machine: string): Promise<Outcome<void>> {
    const running = this.#running;
    if (running === undefined) return aloneRefusal();
    const { record, members, keys, link } = running;
    const owner = ownerOf(record);
    if (owner === undefined)
      return new Refusal("PERMISSION_DENIED", "another machine founded this shared workspace", {
        suggestion: "Only the machine that shared the workspace first can remove others.",
      });
    const found = namedMachine(members.present, record.identity.id, machine);
    if (isRefusal(found)) return found;
    const after = link.state.standing.received[found.machine] ?? 0;
    const signed = nextRecord(owner, members, keys, { removed: [{ machine: found.machine, after }] });
    const taken = members.take(signed);
    if (isRefused(taken)) return new Refusal("INTERNAL", taken.message);
    keys.learn(taken.epoch, record.identity);
    const failure = this.#keep();
    // A broker that is away gets the record at the next connection.
    await link.present();
    if (failure !== undefined) throw failure;
  }

  async #leave(): Promise<Outcome<void>> {
    if (this.#running === undefined && this.#broken === undefined) return aloneRefusal();
    await this.close();
    this.#broken = undefined;
    removeLink(this.#ports.file);
    await forgetLink(this.#ports.workspace.ports.store);
  }

  async #found(broker: Broker): Promise<Refusal | undefined> {
    const { host, site, file, openCarrier, workspace } = this.#ports;
    const record = foundedRecord(broker, host, site());
    const problem = await problemOf(() => openCarrier(broker, record.workspace), workspace.ports.clock);
    if (problem !== undefined) return unreachableRefusal(problem);
    writeLink(file, record);
    this.#run(record);
    return undefined;
  }

  #run(record: LinkRecord): void {
    const { workspace, openCarrier } = this.#ports;
    const { members, keys } = trustOf(record);
    const { identity } = record;
    const carrier = openCarrier(record, record.workspace);
    const sealer = new MemberSealer({ identity, members, keys });
    const membership = new Membership({
      clock: workspace.ports.clock,
      carrier,
      sealer,
      identity,
      certificate: record.certificate,
      members,
      keys,
      learned: () => void this.#keep(),
    });
    const copied = (why: Copied) => this.#copied(why);
    const link = new Link({ workspace, carrier, sealer, membership, workspaceId: record.workspace, copied });
    const begun = (isJoined: boolean) => {
      if (!isJoined || this.#running?.link !== link) return;
      this.#running.record = { ...this.#running.record, isJoining: false };
      this.#keep();
    };
    const beginning = link
      .begin(record.isJoining)
      .then(begun)
      .catch((error: unknown) => workspace.ports.report("link.defect", { reason: String(error) }));
    this.#running = { record, link, members, keys, membership, beginning };
  }

  /** Ends the link. Another folder has or had this machine's identity, and both would number their messages alike. */
  #copied(why: Copied): void {
    this.#break(copiedMessage(why));
    void this.close();
  }

  #break(reason: string): void {
    const { clock, report } = this.#ports.workspace.ports;
    this.#broken = { reason, since: clock.now() };
    report("link.broken", { reason });
  }

  /**
   * Stores the newest members and keys; gives the newest key to machines that joined. Reports and returns the error of a
   * disk that does not take them: they are in effect, and the next call stores them.
   */
  #keep(): Error | undefined {
    const { file, workspace } = this.#ports;
    const running = this.#running;
    if (running === undefined) return undefined;
    const { members, keys } = running;
    const owner = ownerOf(running.record);
    const next = owner && recordForNewcomers(owner, members, keys);
    if (next !== undefined) members.take(next);
    const record = members.record?.signed;
    running.record = {
      ...running.record,
      keys: keys.all,
      certificates: members.certificates,
      ...(record !== undefined && { record }),
    };
    const failure = writeFailure(file, running.record);
    if (failure !== undefined) workspace.ports.report("link.unsaved", { reason: failure.message });
    return failure;
  }
}
