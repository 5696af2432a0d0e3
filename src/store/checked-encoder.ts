import { crc32 } from "node:zlib";
import { Encoder } from "msgpackr";
import { StoreError } from "./store.ts";

/** Bytes that follow each value: their CRC-32, little end first. */
const CHECK_BYTES = 4;

/** Packs values for the database with a checksum of each; LMDB itself does not notice that its bytes were changed. */
export class CheckedEncoder {
  /** Asks lmdb for bytes that no later read overwrites: the decoded value refers to them. */
  readonly needsStableBuffer = true;
  readonly #packer = new Encoder();
  readonly #damaged: () => void;

  /** `damaged` is called when a value is not what was written. */
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
   * The value that was encoded; it shares no memory with the database. A range of lmdb 3.5.6 passes values of 16 MB
   * and more as a plain `Uint8Array` over the database's memory map once that has grown; these are copied.
   * @throws StoreError when the value is not what was written
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
