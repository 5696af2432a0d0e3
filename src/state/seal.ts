import { createHmac, timingSafeEqual } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { makeKey, readKey } from "./key.ts";
import { readOwn } from "./own.ts";

/** The content of a sealed file. `genuine` is true when this user wrote it in this folder. */
export interface Sealed {
  readonly content: unknown;
  readonly genuine: boolean;
}

/**
 * Two proofs of the same content, of which one is enough. One is over the folder's inode, so that a folder may be
 * moved. The other is over its path, for file systems that renumber their files. Device numbers change with every boot
 * and are left out.
 */
interface Seal {
  readonly folder: string;
  readonly place: string;
}

/** Returns a message authentication code (HMAC-SHA256) over the parts, separate for each purpose. */
export function macOf(key: Uint8Array, purpose: string, parts: readonly string[]): string {
  return createHmac("sha256", key)
    .update(JSON.stringify([purpose, ...parts]))
    .digest("base64url");
}

export function isSameMac(one: unknown, other: string): boolean {
  if (typeof one !== "string" || one.length !== other.length) return false;
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Returns the text of a file that `readSealed` accepts under this name and in this folder. */
export function sealed(file: string, content: unknown): string {
  return `${JSON.stringify({ content, seal: sealOf(makeKey(), file, content) }, null, 2)}\n`;
}

/**
 * Reads a file that may be sealed; undefined when there is none. Content without this user's seal, or with that of
 * another file or folder, is not genuine.
 *
 * @throws SyntaxError when the file is not JSON
 * @throws StateError when the file is not this user's
 */
export function readSealed(file: string): Sealed | undefined {
  const text = readOwn(file);
  if (text === undefined) return undefined;
  const value = JSON.parse(text) as { content?: unknown; seal?: Partial<Seal> | null } | null;
  if (typeof value !== "object" || value === null || !("seal" in value))
    return { content: value, genuine: false };
  const key = readKey();
  const { content, seal } = value;
  if (key === undefined) return { content, genuine: false };
  const expected = sealOf(key, file, content);
  const genuine = isSameMac(seal?.folder, expected.folder) || isSameMac(seal?.place, expected.place);
  return { content, genuine };
}

function sealOf(key: Buffer, file: string, content: unknown): Seal {
  const folder = dirname(file);
  const inode = String(statSync(folder, { bigint: true }).ino);
  const text = JSON.stringify(content) ?? "";
  return {
    folder: macOf(key, basename(file), ["folder", inode, text]),
    place: macOf(key, basename(file), ["place", realpathSync(folder), text]),
  };
}
