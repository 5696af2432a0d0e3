import type { Baseline } from "../baselines.ts";
import type { Packer } from "./checked-encoder.ts";

/** A baseline without its path, which is its key. */
export type StoredBaseline = Omit<Baseline, "path">;

/** The first byte of this form. The form before schema 6 begins with a greater one. */
const FORM = 1;
/** The bytes before the hash: the form, five numbers of 8 bytes, and four of 4. */
const STAMPS = 1 + 5 * 8 + 4 * 4;
const HASH = 32;

/**
 * Stores a baseline in 57 or 89 bytes, since a folder has very many:
 *
 *     form, dev, ino, size, mtimeNs, ctimeNs, mode, uid, gid, links [, sha256]
 *
 * Numbers are little-endian; the size is a float. `older` reads the form before schema 6.
 */
export function baselinePacker(older: Packer): Packer {
  return { encode: (value) => encode(value as StoredBaseline), decode: (bytes) => decode(bytes, older) };
}

function encode({ image, sha256 }: StoredBaseline): Buffer {
  const bytes = Buffer.allocUnsafe(sha256 === undefined ? STAMPS : STAMPS + HASH);
  bytes[0] = FORM;
  bytes.writeBigUInt64LE(image.dev, 1);
  bytes.writeBigUInt64LE(image.ino, 9);
  bytes.writeDoubleLE(image.size, 17);
  bytes.writeBigInt64LE(image.mtimeNs, 25);
  bytes.writeBigInt64LE(image.ctimeNs, 33);
  bytes.writeUInt32LE(image.mode, 41);
  bytes.writeUInt32LE(image.uid, 45);
  bytes.writeUInt32LE(image.gid, 49);
  bytes.writeUInt32LE(image.links, 53);
  if (sha256 !== undefined) bytes.write(sha256, STAMPS, "hex");
  return bytes;
}

function decode(bytes: Buffer, older: Packer): unknown {
  if (bytes[0] !== FORM) return older.decode(bytes);
  const image = {
    dev: bytes.readBigUInt64LE(1),
    ino: bytes.readBigUInt64LE(9),
    size: bytes.readDoubleLE(17),
    mtimeNs: bytes.readBigInt64LE(25),
    ctimeNs: bytes.readBigInt64LE(33),
    mode: bytes.readUInt32LE(41),
    uid: bytes.readUInt32LE(45),
    gid: bytes.readUInt32LE(49),
    links: bytes.readUInt32LE(53),
  };
  return bytes.length === STAMPS ? { image } : { image, sha256: bytes.toString("hex", STAMPS) };
}
