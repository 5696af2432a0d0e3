import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";

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

/** The sign-ins that a file keeps, those with a secret. @throws where there is no file, or none that was written here */
export function readSignIns(file: string): readonly SignIn[] {
  const records = z.array(recordSchema).parse(JSON.parse(readFileSync(file, "utf8")));
  return records.flatMap(({ secretSha256, ...record }) =>
    secretSha256 === undefined ? [] : [{ ...record, secretSha256 }],
  );
}

/** Replaces the file whole, readable by its owner only. @throws what the system says */
export function writeSignIns(file: string, signIns: readonly SignIn[]): void {
  const aside = `${file}.new`;
  writeFileSync(aside, `${JSON.stringify(signIns)}\n`, { mode: 0o600 });
  renameSync(aside, file);
}
