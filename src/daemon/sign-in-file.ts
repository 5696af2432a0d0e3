import { z } from "zod";
import { writeOwn } from "../state/own.ts";
import { readSealed, sealed } from "../state/seal.ts";

const recordSchema = z.strictObject({
  /** SHA-256 of what the cookie holds. */
  sha256: z.string(),
  /** SHA-256 of the page's secret; sign-ins of versions that gave none have none. */
  secretSha256: z.string().optional(),
  /** The token that signed it in, as `Tokens.nameOf` has it. */
  token: z.string(),
  /** Milliseconds since the epoch. */
  until: z.int(),
});

/** A browser that is signed in: what its pass digests to, never the pass. */
export interface SignIn {
  readonly sha256: string;
  readonly secretSha256: string;
  readonly token: string;
  readonly until: number;
}

/**
 * The sign-ins that a file keeps, those with a secret; none where there is no file. `foreign`: this user's daemon did
 * not write the file in this folder. @throws what makes it unreadable
 */
export function readSignIns(file: string): readonly SignIn[] | "foreign" {
  const read = readSealed(file);
  if (read === undefined) return [];
  if (!read.genuine) return "foreign";
  return z
    .array(recordSchema)
    .parse(read.content)
    .flatMap(({ secretSha256, ...record }) =>
      secretSha256 === undefined ? [] : [{ ...record, secretSha256 }],
    );
}

/** Replaces the file whole, readable by its owner only. @throws what the system says */
export function writeSignIns(file: string, signIns: readonly SignIn[]): void {
  writeOwn(file, sealed(file, signIns));
}
