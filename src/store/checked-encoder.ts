import { crc32 } from "node:zlib";
import { Encoder } from "msgpackr";
import { StoreError } from "./store.ts";

/** The size of the CRC-32 that follows each value, little-endian; bytes. */
const CHECK_BYTES = 4;

/** Encodes values with a checksum each: LMDB itself does not notice changed bytes. */
export class CheckedEncoder {
  /** Makes lmdb pass bytes that no later read overwrites: the decoded value refers to them. */
  readonly needsStableBuffer = true;
  readonly #packer = new Encoder();
  readonly #damaged: () => void;

  /** The encoder calls `damaged` when the bytes of a value changed since they were written. */
  constructor(damaged: () => void) {
    this.#damaged = damaged;
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
    throw new StoreError("failed", "the store is damaged: a record is not what was written");
  }
}
