import { Encoder } from "msgpackr";

/** The encoding of what machines exchange: maps with names, which any version of this program reads. */
export const packer = new Encoder({ useRecords: false });

/** Returns the value that some bytes encode; undefined for other bytes. */
export function unpacked(bytes: Uint8Array): unknown {
  try {
    return packer.decode(bytes);
  } catch {
    return undefined;
  }
}
