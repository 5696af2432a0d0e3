import { createCipheriv, createDecipheriv } from "node:crypto";

const CIPHER = "aes-256-gcm";
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
/** A key that encrypts one text only needs no other nonce. */
const ONLY_NONCE = Buffer.alloc(NONCE_BYTES);
const NOTHING = Buffer.alloc(0);

/** Encrypts a text; the tag at its end also covers the additional data. No two texts have the same key and nonce. */
export function encryption(
  key: Uint8Array,
  nonce: Uint8Array,
  additional: Uint8Array,
  text: Uint8Array,
): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(additional);
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/** Returns the text that `encryption` encrypted; undefined if any part of it has changed. */
export function decryption(
  key: Uint8Array,
  nonce: Uint8Array,
  additional: Uint8Array,
  bytes: Uint8Array,
): Buffer | undefined {
  const end = bytes.length - TAG_BYTES;
  if (end < 0) return undefined;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(additional).setAuthTag(bytes.subarray(end));
  const text = decipher.update(bytes.subarray(0, end));
  try {
    decipher.final();
    return text;
  } catch {
    return undefined; // the tag does not belong to these bytes
  }
}

/** Encrypts a text under a key that encrypts nothing else; returns base64url. */
export function lock(text: Uint8Array, key: Uint8Array): string {
  return encryption(key, ONLY_NONCE, NOTHING, text).toString("base64url");
}

/** Returns the text that `lock` encrypted; undefined if the text or the key is another one. */
export function unlock(locked: string, key: Uint8Array): Buffer | undefined {
  return decryption(key, ONLY_NONCE, NOTHING, Buffer.from(locked, "base64url"));
}
