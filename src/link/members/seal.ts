import { createHmac, type KeyObject, randomBytes, sign } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { LEVELS, type Level } from "../../workspace/access/rights.ts";
import { parsedJson, type Refused, refusals } from "../base/outcome.ts";
import { decryption, encryption, NONCE_BYTES, TAG_BYTES } from "./encryption.ts";
import type { Identity } from "./identity.ts";
import { type Keys, ROSTER_EPOCH } from "./keys.ts";
import type { Members } from "./members.ts";
import type { Certificate } from "./records.ts";
import { SIGNATURE_BYTES, type Signed, secretKey } from "./signing.ts";

/**
 * The reason why an envelope is refused. `misplaced`: its machine or number differs from its address. `removed`: the
 * owner removed the machine before this message. `wrong_key`: a member sealed it with another key than its epoch's.
 */
export type OpenRefusal =
  | "cut"
  | "oversized"
  | "version"
  | "foreign"
  | "misplaced"
  | "unknown_machine"
  | "removed"
  | "forged"
  | "unknown_epoch"
  | "wrong_key"
  | "malformed";

const refuse = refusals<OpenRefusal>({
  cut: "The message does not have the length that it names.",
  oversized: "The message is larger than the limit.",
  version: "Another version of spliced sealed the message. Use the same version on all machines.",
  foreign: "The message belongs to another workspace.",
  misplaced: "The message belongs to another machine or another number than its place says.",
  unknown_machine: "No certificate of the machine that sent the message is known.",
  removed: "The owner removed the machine that sent the message.",
  forged: "The machine that the message names did not sign it.",
  unknown_epoch: "This machine has no key of the epoch in which the message was sealed.",
  wrong_key: "The message was sealed with another key than its epoch has.",
  malformed: "The message does not have the form that this version of spliced reads.",
});

const VERSION = 1;
const PLAIN = 0;
const DEFLATED = 1;
/** Shorter payloads gain little from compression. */
const MOST_PLAIN = 256;
/** The fastest level: at higher ones, compression takes most of the time of sealing. */
const LEVEL = 1;

/** Characters of an id without its prefix, as the header has them. */
const ID_BYTES = 16;
const AT = { version: 0, form: 1, length: 2, epoch: 6, number: 10, workspace: 16, machine: 32 } as const;
const HEADER_BYTES = AT.machine + ID_BYTES;
const NUMBER_BYTES = AT.workspace - AT.number;

/** Bytes of an envelope beside its payload: header, nonce, tag and signature. */
export const OVERHEAD = HEADER_BYTES + NONCE_BYTES + TAG_BYTES + SIGNATURE_BYTES;

/** The most bytes of a payload, unless the caller sets another bound; and those of its envelope. */
const MOST_BYTES = 64 << 20;
export const MOST_ENVELOPE = MOST_BYTES + OVERHEAD;

/** The parts with which a machine seals and opens envelopes. */
export interface SealerParts {
  readonly identity: Pick<Identity, "id" | "signing">;
  readonly members: Members;
  readonly keys: Keys;
  /** The most bytes of a payload. */
  readonly mostBytes?: number;
}

/**
 * Seals the messages of a machine, and opens the envelopes of others. A message has its number in the machine's log; a
 * word has the number 0.
 *
 * The layout of an envelope: version (1 byte), form (1), length of the envelope (4), epoch (4), number (6), workspace
 * (16), machine (16), nonce (12), encrypted payload, tag (16), and the machine's signature of all these bytes (64).
 * Numbers are big-endian. The key of an envelope is made of its epoch's key, its header and its random nonce. So no key
 * serves twice, even after a restored backup repeats a number.
 */
export class MemberSealer {
  /** This machine. */
  readonly machine: string;
  readonly #signWith: KeyObject;
  readonly #members: Members;
  readonly #keys: Keys;
  readonly #mostBytes: number;

  constructor({ identity, members, keys, mostBytes = MOST_BYTES }: SealerParts) {
    this.machine = identity.id;
    this.#signWith = secretKey("Ed25519", identity.signing);
    this.#members = members;
    this.#keys = keys;
    this.#mostBytes = mostBytes;
  }

  /** The machines that are not removed, this one too. */
  get members(): readonly string[] {
    return this.#members.present.map(({ machine }) => machine);
  }

  /** Returns the name of a machine for people; its id for an unknown one. */
  nameOf(machine: string): string {
    return this.#members.machine(machine)?.name ?? machine;
  }

  /** Returns true if a machine may change a path by one of its messages, or now. */
  mayWrite(machine: string, path: string, number = 0): boolean {
    return this.#members.allows(machine, path, "write", number);
  }

  /** Returns the highest level that a machine has on any path, at one of its messages or now. */
  levelOf(machine: string, number = 0): Level {
    const rights = this.#members.rightsOf(machine, number);
    return LEVELS.findLast((level) => rights?.allowsSomewhere(level)) ?? "none";
  }

  /** Returns true if a machine may read a path, at one of its messages or now. */
  mayRead(machine: string, path: string, number = 0): boolean {
    return this.#members.allows(machine, path, "read", number);
  }

  /** Returns true if a machine may change every path now, also protected ones. */
  mayWriteAll(machine: string): boolean {
    return this.#members.rightsOf(machine)?.allowsEverywhere("write") ?? false;
  }

  /** Returns true for a machine that the owner removed. */
  isRemoved(machine: string): boolean {
    return this.#members.standing(machine) === "removed";
  }

  /**
   * Seals a payload in the newest epoch, for the machines that are not removed. @throws RangeError if the payload or the
   * number is beyond its bounds
   */
  seal(number: number, payload: Uint8Array): Buffer {
    return this.#seal(number, payload, this.#keys.newest);
  }

  /**
   * Opens an envelope that a carrier has under a machine and a number. Only an envelope that opens proves its machine
   * and number.
   */
  open(machine: string, number: number, bytes: Uint8Array): Buffer | Refused<OpenRefusal> {
    const parts = this.#read(machine, number, bytes);
    if (typeof parts === "string") return refuse(parts);
    const standing = this.#members.standing(machine, number);
    if (standing !== undefined) return refuse(standing);
    if (!this.#members.isSignedBy(machine, parts.signedPart, parts.signature)) return refuse("forged");
    if (epochOf(parts.header) === ROSTER_EPOCH) return refuse("malformed");
    const payload = this.#payloadOf(parts);
    return typeof payload === "string" ? refuse(payload) : payload;
  }

  /**
   * Seals a certificate or a record of the owner, as a word, for every machine that ever had a share line. That
   * includes machines unknown to this one, and machines without a key of the newest epoch.
   */
  sealRoster(value: Certificate | Signed): Buffer {
    return this.#seal(0, Buffer.from(JSON.stringify(value)), ROSTER_EPOCH);
  }

  /**
   * Opens an envelope that a machine sealed with `sealRoster`, for `Members` to check. The machine may be unknown. This
   * does not check its signature, because certificates and records prove themselves.
   */
  openRoster(machine: string, bytes: Uint8Array): { readonly value: unknown } | Refused<OpenRefusal> {
    const parts = this.#read(machine, 0, bytes);
    if (typeof parts === "string") return refuse(parts);
    if (epochOf(parts.header) !== ROSTER_EPOCH) return refuse("malformed");
    const payload = this.#payloadOf(parts);
    return typeof payload === "string" ? refuse(payload) : { value: parsedJson(payload.toString()) };
  }

  #seal(number: number, payload: Uint8Array, epoch: number): Buffer {
    if (payload.length > this.#mostBytes)
      throw new RangeError(`a payload of ${payload.length} bytes is larger than ${this.#mostBytes}`);
    const key = this.#keys.at(epoch);
    if (key === undefined) throw new RangeError(`this machine has no key of epoch ${epoch}`);
    const { form, content } = packed(payload);
    const bytes = Buffer.alloc(content.length + OVERHEAD);
    bytes.writeUInt8(VERSION, AT.version);
    bytes.writeUInt8(form, AT.form);
    bytes.writeUInt32BE(bytes.length, AT.length);
    bytes.writeUInt32BE(epoch, AT.epoch);
    bytes.writeUIntBE(number, AT.number, NUMBER_BYTES);
    bytes.write(inHeader(this.#members.workspace), AT.workspace, "latin1");
    bytes.write(inHeader(this.machine), AT.machine, "latin1");
    randomBytes(NONCE_BYTES).copy(bytes, HEADER_BYTES);
    const { header, nonce, encrypted, signedPart, signature } = partsOf(bytes);
    encrypted.set(encryption(keyOf(key, header, nonce), nonce, header, content));
    signature.set(sign(null, signedPart, this.#signWith));
    return bytes;
  }

  /** Checks the parts of an envelope that need no key. */
  #read(machine: string, number: number, bytes: Uint8Array): Parts | OpenRefusal {
    if (bytes.length > this.#mostBytes + OVERHEAD) return "oversized";
    if (bytes.length < OVERHEAD) return "cut";
    const parts = partsOf(bytes);
    const { header } = parts;
    if (header.readUInt8(AT.version) !== VERSION) return "version";
    if (header.readUInt32BE(AT.length) !== bytes.length) return "cut";
    if (idAt(header, AT.workspace) !== inHeader(this.#members.workspace)) return "foreign";
    const isThere =
      idAt(header, AT.machine) === inHeader(machine) && header.readUIntBE(AT.number, NUMBER_BYTES) === number;
    return isThere ? parts : "misplaced";
  }

  #payloadOf({ header, nonce, encrypted }: Parts): Buffer | OpenRefusal {
    const key = this.#keys.at(epochOf(header));
    if (key === undefined) return "unknown_epoch";
    const content = decryption(keyOf(key, header, nonce), nonce, header, encrypted);
    if (content === undefined) return "wrong_key";
    const form = header.readUInt8(AT.form);
    if (form === PLAIN) return content;
    return form === DEFLATED ? inflated(content, this.#mostBytes) : "malformed";
  }
}

/** The parts of an envelope, as views of its bytes. */
interface Parts {
  readonly header: Buffer;
  readonly nonce: Buffer;
  /** The encrypted payload with its tag. */
  readonly encrypted: Buffer;
  readonly signedPart: Buffer;
  readonly signature: Buffer;
}

function partsOf(bytes: Uint8Array): Parts {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = whole.length - SIGNATURE_BYTES;
  return {
    header: whole.subarray(0, HEADER_BYTES),
    nonce: whole.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES),
    encrypted: whole.subarray(HEADER_BYTES + NONCE_BYTES, end),
    signedPart: whole.subarray(0, end),
    signature: whole.subarray(end),
  };
}

function epochOf(header: Buffer): number {
  return header.readUInt32BE(AT.epoch);
}

/** Returns an id as the header has it, without its prefix. */
function inHeader(id: string): string {
  return id.slice(-ID_BYTES);
}

function idAt(header: Buffer, at: number): string {
  return header.toString("latin1", at, at + ID_BYTES);
}

/** Returns the key of one envelope. */
function keyOf(key: Uint8Array, header: Uint8Array, nonce: Uint8Array): Buffer {
  return createHmac("sha256", key).update(header).update(nonce).digest();
}

function packed(payload: Uint8Array): { readonly form: number; readonly content: Uint8Array } {
  if (payload.length <= MOST_PLAIN) return { form: PLAIN, content: payload };
  const deflated = deflateRawSync(payload, { level: LEVEL });
  return deflated.length < payload.length
    ? { form: DEFLATED, content: deflated }
    : { form: PLAIN, content: payload };
}

function inflated(content: Uint8Array, mostBytes: number): Buffer | OpenRefusal {
  try {
    return inflateRawSync(content, { maxOutputLength: mostBytes });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? "oversized" : "malformed";
  }
}
