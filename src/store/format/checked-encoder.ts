import { crc32 } from "node:zlib";
import { Encoder } from "msgpackr";
import { StoreError } from "../store.ts";

/** The size of the CRC-32 that follows each value, little-endian; bytes. */
const CHECK_BYTES = 4;

/** Turns values into bytes and back. */
export interface Packer {
  encode(value: unknown): Buffer;
  decode(bytes: Buffer): unknown;
}

/** Encodes values with a checksum each: LMDB itself does not notice changed bytes. */
export class CheckedEncoder {
  /** Makes lmdb pass bytes that no later read overwrites: the decoded value refers to them. */
  readonly needsStableBuffer = true;
  readonly #packer: Packer;
  readonly #damaged: () => void;

  /** The encoder calls `damaged` when the bytes of a value changed since they were written. */
  constructor(damaged: () => void, packer: Packer = new Encoder()) {
    this.#damaged = damaged;
    this.#packer = packer;
  }

  /** Returns an encoder that does the same with other bytes for its values; `older` are the bytes of this one. */
  with(packer: (older: Packer) => Packer): CheckedEncoder {
    return new CheckedEncoder(this.#damaged, packer(this.#packer));
  }

  encode(value: unknown): Buffer {
    const packed = this.#packer.encode(value);
    const checked = Buffer.allocUnsafe(packed.length + CHECK_BYTES);
    checked.set(packed);
    checked.writeUInt32LE(crc32(packed), packed.length);
    return checked;
  }

  /**
   * Returns the encoded value, which shares no memory with the database. Once the memory map has grown, lmdb 3.5.6
   * passes values of 16 MB and more in a range as a plain `Uint8Array` over it. The encoder copies these. @throws
   * StoreError when the bytes changed since they were written
   */
  decode(bytes: Uint8Array): unknown {
    const checked = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
    const packed = checked.subarray(0, -CHECK_BYTES);
    if (checked.length > CHECK_BYTES && checked.readUInt32LE(packed.length) === crc32(packed))
      return this.#packer.decode(packed);
    this.#damaged();
    throw new StoreError("failed", "the store is damaged: a record differs from its written form");
  }
}
