import { z } from "zod";
import { writeOwn } from "../../state/own.ts";
import { readSealed, sealed } from "../../state/seal.ts";

const recordSchema = z.strictObject({
  /** SHA-256 of the cookie's value. */
  sha256: z.string(),
  /** SHA-256 of the page's secret; missing in sign-ins of early versions. */
  secretSha256: z.string().optional(),
  /** The token that signed the browser in, as `Tokens.idOf` returns it. */
  token: z.string(),
  /** Milliseconds since the epoch. */
  until: z.int(),
});

/** A browser that is signed in, with digests of its pass and never the pass. */
export interface SignIn {
  readonly sha256: string;
  readonly secretSha256: string;
  readonly token: string;
  readonly until: number;
}

/**
 * Reads the sign-ins that have a secret; none when there is no file. `foreign`: this user's daemon did not write the
 * file in this folder. @throws when the file cannot be read or parsed
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

/** Replaces the whole file. Only its owner can read it. @throws the system's error */
export function writeSignIns(file: string, signIns: readonly SignIn[]): void {
  writeOwn(file, sealed(file, signIns));
}
