import type { Clock } from "../mirror/clock.ts";
import { isRefused } from "./base/outcome.ts";
import type { Carrier } from "./carrier/carrier.ts";
import type { Identity } from "./members/identity.ts";
import type { Keys } from "./members/keys.ts";
import type { Members } from "./members/members.ts";
import type { Certificate } from "./members/records.ts";
import type { MemberSealer } from "./members/seal.ts";

/**
 * The prefix of the objects with a machine's certificate, and of the objects with the owner's record as a machine
 * stored it.
 */
const MEMBER = "member.";
const RECORD = "record.";
/** The time after which the certificate of an unknown machine is looked for again; milliseconds. */
const UNKNOWN_MS = 5_000;

interface MembershipParts {
  readonly clock: Clock;
  readonly carrier: Carrier;
  readonly sealer: MemberSealer;
  readonly identity: Identity;
  readonly certificate: Certificate;
  readonly members: Members;
  readonly keys: Keys;
  /** Called to store a new certificate, record or key. */
  readonly learned: () => void;
}

/** Exchanges certificates and the owner's record with the other machines through the carrier. */
export class Membership {
  readonly #parts: MembershipParts;
  /** The time of the last search in vain for a certificate, by machine; in the clock's `elapsed` milliseconds. */
  readonly #unknown = new Map<string, number>();

  constructor(parts: MembershipParts) {
    this.#parts = parts;
  }

  isKnown(machine: string): boolean {
    return this.#parts.members.machine(machine) !== undefined;
  }

  /** Stores this machine's certificate and the newest record at the carrier. @throws CarrierError */
  async present(): Promise<void> {
    const { carrier, sealer, certificate, members } = this.#parts;
    await carrier.put(`${MEMBER}${sealer.machine}`, sealer.sealRoster(certificate));
    const { record } = members;
    if (record !== undefined)
      await carrier.put(`${RECORD}${sealer.machine}`, sealer.sealRoster(record.signed));
  }

  /** Learns the certificates of all machines, and the owner's newest record. @throws CarrierError */
  async meetAll(): Promise<void> {
    const names = await this.#parts.carrier.names();
    for (const name of names) if (name.startsWith(MEMBER)) await this.meet(name.slice(MEMBER.length));
    for (const name of names) if (name.startsWith(RECORD)) await this.#takeRecord(name.slice(RECORD.length));
  }

  /** Learns the certificate of a machine. Returns false where the carrier has no valid one. @throws CarrierError */
  async meet(machine: string): Promise<boolean> {
    if (this.isKnown(machine)) return true;
    const { clock, carrier, sealer, members, learned } = this.#parts;
    if (clock.elapsed() - (this.#unknown.get(machine) ?? Number.NEGATIVE_INFINITY) < UNKNOWN_MS) return false;
    const bytes = await carrier.get(`${MEMBER}${machine}`);
    const opened = bytes && sealer.openRoster(machine, bytes);
    if (opened === undefined || isRefused(opened) || isRefused(members.admit(opened.value))) {
      this.#unknown.set(machine, clock.elapsed());
      return false;
    }
    learned();
    return true;
  }

  /** Adopts the owner's record that a machine stored, if it is newer. @throws CarrierError */
  async #takeRecord(machine: string): Promise<void> {
    const { carrier, sealer, members, keys, identity, learned } = this.#parts;
    const bytes = await carrier.get(`${RECORD}${machine}`);
    const opened = bytes && sealer.openRoster(machine, bytes);
    if (opened === undefined || isRefused(opened)) return;
    const taken = members.take(opened.value);
    if (isRefused(taken)) return;
    keys.learn(taken.epoch, identity);
    learned();
  }
}
