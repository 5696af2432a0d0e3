import { LoroDoc, type VersionVector } from "loro-crdt";
import type { Random } from "./seed.ts";

/** The place of the checksum in Loro's bytes, and of the bytes that it covers. */
const CHECKSUM_AT = 16;
const CHECKED_FROM = 20;
const SEED = Buffer.from("LORO").readUInt32LE();

/** Returns updates of clients that build on `base`: of the text and of other containers. */
export function validUpdates(base: LoroDoc): Uint8Array[] {
  const made = (change: (doc: LoroDoc) => void): Uint8Array => {
    const doc = new LoroDoc();
    doc.import(base.export({ mode: "update" }));
    const from: VersionVector = doc.version();
    change(doc);
    doc.commit();
    return doc.export({ mode: "update", from });
  };
  const text = (doc: LoroDoc) => doc.getText("content");
  return [
    made((doc) => text(doc).insert(2, "x")),
    made((doc) => text(doc).insert(0, "a longer insert, with 😀 and ü in it\n")),
    made((doc) => text(doc).delete(1, 3)),
    made((doc) => {
      for (let i = 0; i < 20; i++) {
        text(doc).insert(i, String(i));
        if (i % 3 === 0) text(doc).delete(0, 1);
        doc.commit();
      }
    }),
    made((doc) => text(doc).insert(1, "much ".repeat(2000))),
    made((doc) => text(doc).mark({ start: 0, end: 2 }, "bold", true)),
    made((doc) => doc.getMap("m").set("k", "v")),
    made((doc) => doc.getList("l").push(1)),
    made((doc) => doc.getTree("t").createNode()),
    made((doc) => doc.getMovableList("ml").push("x")),
  ];
}

/** Returns the bytes with a few of them changed, mostly with a correct checksum. */
export function mutated(bytes: Uint8Array, random: Random): Uint8Array {
  let out = Buffer.from(bytes);
  for (let i = random.below(4); i >= 0; i--) out = once(out, random);
  if (out.length > CHECKED_FROM && random.below(20) > 0)
    out.writeUInt32LE(xxh32(out.subarray(CHECKED_FROM), SEED), CHECKSUM_AT);
  return out;
}

function once(bytes: Buffer<ArrayBuffer>, random: Random): Buffer<ArrayBuffer> {
  const from = random.below(10) === 0 ? 0 : Math.min(CHECKED_FROM, bytes.length);
  const at = from + random.below(Math.max(1, bytes.length - from));
  switch (random.below(6)) {
    case 0:
      bytes[at] = random.below(256);
      return bytes;
    case 1:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return bytes;
    case 2:
      bytes[at] = random.pick([0, 1, 0x7f, 0x80, 0xff]);
      return bytes;
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(8))]);
    case 4:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(Array.from({ length: 1 + random.below(8) }, () => random.below(256))),
        bytes.subarray(at),
      ]);
    default:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(random.below(at + 1))]);
  }
}

/** Returns true when the bytes have the checksum that this file computes. */
export function isChecked(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes);
  return buffer.readUInt32LE(CHECKSUM_AT) === xxh32(buffer.subarray(CHECKED_FROM), SEED);
}

const [PRIME1, PRIME2, PRIME3, PRIME4, PRIME5] = [
  2654435761, 2246822519, 3266489917, 668265263, 374761393,
] as const;

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

/** xxHash32, as its specification has it. */
function xxh32(bytes: Buffer, seed: number): number {
  let at = 0;
  let hash = seed + PRIME5;
  if (bytes.length >= 16) {
    const lanes = [seed + PRIME1 + PRIME2, seed + PRIME2, seed, seed - PRIME1];
    for (; at + 16 <= bytes.length; at += 16)
      for (const i of [0, 1, 2, 3] as const)
        lanes[i] = Math.imul(
          rotate((lanes[i]! + Math.imul(bytes.readUInt32LE(at + 4 * i), PRIME2)) | 0, 13),
          PRIME1,
        );
    hash = rotate(lanes[0]!, 1) + rotate(lanes[1]!, 7) + rotate(lanes[2]!, 12) + rotate(lanes[3]!, 18);
  }
  hash = (hash + bytes.length) | 0;
  for (; at + 4 <= bytes.length; at += 4)
    hash = Math.imul(rotate((hash + Math.imul(bytes.readUInt32LE(at), PRIME3)) | 0, 17), PRIME4);
  for (; at < bytes.length; at++)
    hash = Math.imul(rotate((hash + Math.imul(bytes[at]!, PRIME5)) | 0, 11), PRIME1);
  hash = Math.imul(hash ^ (hash >>> 15), PRIME2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME3);
  return (hash ^ (hash >>> 16)) >>> 0;
}
