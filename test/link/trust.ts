import { crc32 } from "node:zlib";
import type { Carrier } from "../../src/link/carrier/carrier.ts";
import type { Refused, Sealer } from "../../src/link/members/sealer.ts";
import { LEVELS, type Level, Rights } from "../../src/workspace/access/rights.ts";

/** The owner's record, as `MembersRecord`, without keys. */
export interface OwnersRecord {
  readonly revision: number;
  readonly epoch: number;
  /** The number of the last message that counts of each machine that the owner removed. */
  readonly removed: Readonly<Record<string, number>>;
}

/** The invitations of all machines; every machine has the certificates of the others. */
export type Invited = Map<string, Rights>;

const FIRST: OwnersRecord = { revision: 0, epoch: 1, removed: {} };
const RECORD = "record.";
const HEADER_BYTES = 10;
/** The rights of a machine without an invitation of its own. */
const WRITE = new Rights([{ glob: "**", level: "write" }]);

/** What one machine knows of the owner's decisions; it stays when the machine's daemon ends. */
export class Trust {
  record = FIRST;
  /** The newest epoch whose key the machine has. */
  epoch = FIRST.epoch;
  readonly #machine: string;
  readonly #invited: Invited;

  constructor(machine: string, invited: Invited) {
    this.#machine = machine;
    this.#invited = invited;
  }

  /** Adopts a record if it is newer. A machine that it removes gets no key of its epoch. */
  take(record: OwnersRecord): void {
    if (record.revision <= this.record.revision) return;
    this.record = record;
    if (!this.isRemoved(this.#machine)) this.epoch = record.epoch;
  }

  isRemoved(machine: string, number = 0): boolean {
    const removed = this.record.removed[machine];
    return removed !== undefined && (number === 0 || number > removed);
  }

  rightsOf(machine: string, number = 0): Rights | undefined {
    if (this.isRemoved(machine, number)) return undefined;
    return this.#invited.get(machine) ?? WRITE;
  }

  /** Returns the exchange of the record with the other machines, as `Membership` does it. */
  membership(carrier: Carrier) {
    const present = () => carrier.put(`${RECORD}${this.#machine}`, Buffer.from(JSON.stringify(this.record)));
    const meetAll = async () => {
      for (const name of await carrier.names()) {
        const bytes = name.startsWith(RECORD) ? await carrier.get(name) : undefined;
        if (bytes !== undefined) this.take(JSON.parse(Buffer.from(bytes).toString()) as OwnersRecord);
      }
    };
    return { isKnown: () => true, present, meetAll, meet: async () => true };
  }
}

/** As `OpenSealer`, with the rights and the epochs of the owner's record. */
export class TrustSealer implements Sealer {
  readonly machine: string;
  readonly #trust: Trust;
  readonly #everyone: () => readonly string[];
  readonly #nameOf: (machine: string) => string;

  constructor(
    machine: string,
    trust: Trust,
    { everyone, nameOf }: { everyone: () => readonly string[]; nameOf: (machine: string) => string },
  ) {
    this.machine = machine;
    this.#trust = trust;
    this.#everyone = everyone;
    this.#nameOf = nameOf;
  }

  get members(): readonly string[] {
    return this.#everyone().filter((machine) => !this.#trust.isRemoved(machine));
  }

  seal(number: number, payload: Uint8Array): Uint8Array {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(this.#trust.epoch);
    header.writeUInt32BE(crc32(payload, crc32(`${this.machine} ${number} `)), 2);
    header.writeUInt32BE(payload.length, 6);
    return Buffer.concat([header, payload]);
  }

  open(machine: string, number: number, bytes: Uint8Array): Uint8Array | Refused {
    const header = Buffer.from(bytes.subarray(0, HEADER_BYTES));
    const payload = bytes.subarray(HEADER_BYTES);
    if (header.readUInt32BE(2) !== crc32(payload, crc32(`${machine} ${number} `)))
      return { refused: "forged" };
    if (this.#trust.isRemoved(machine, number)) return { refused: "removed" };
    return header.readUInt16BE() > this.#trust.epoch ? { refused: "unknown_epoch" } : payload;
  }

  nameOf(machine: string): string {
    return this.#nameOf(machine);
  }

  levelOf(machine: string, number = 0): Level {
    const rights = this.#trust.rightsOf(machine, number);
    return LEVELS.findLast((level) => rights?.allowsSomewhere(level)) ?? "none";
  }

  mayWriteAll(machine: string): boolean {
    return this.#trust.rightsOf(machine)?.allowsEverywhere("write") ?? false;
  }

  isRemoved(machine: string): boolean {
    return this.#trust.isRemoved(machine);
  }

  mayWrite(machine: string, path: string, number = 0): boolean {
    return this.#trust.rightsOf(machine, number)?.allows(path, "write") ?? false;
  }

  mayRead(machine: string, path: string, number = 0): boolean {
    return this.#trust.rightsOf(machine, number)?.allows(path, "read") ?? false;
  }
}
