import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Content } from "./baselines.ts";

/** The effort of compression: at this level, half of the time of the default for a little more space. */
const LEVEL = 3;

/** No configuration lets a file of a workspace be larger. */
export const MOST_FILE_BYTES = 256 << 20;

/** Returns bytes as the store has them. */
export function contentOf(bytes: Uint8Array): Content {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  // zlib returns a part of 16 KB, all of which a message of a thread would copy.
  return { sha256, deflated: new Uint8Array(deflateRawSync(bytes, { level: LEVEL })) };
}

/**
 * Returns the bytes of a stored content; undefined for a damaged one: it does not match its hash, or is none. A few bytes
 * of another machine could fill the memory, so no content is larger than a file.
 */
export function bytesOf({ sha256, deflated }: Content): Uint8Array | undefined {
  let bytes: Uint8Array;
  try {
    bytes = inflateRawSync(deflated, { maxOutputLength: MOST_FILE_BYTES });
  } catch {
    return undefined;
  }
  return createHash("sha256").update(bytes).digest("hex") === sha256 ? bytes : undefined;
}
