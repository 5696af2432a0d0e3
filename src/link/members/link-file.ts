import * as z from "zod";
import { removeOwn, writeOwn } from "../../state/own.ts";
import { readSealed, sealed } from "../../state/seal.ts";
import { type Identity, parseIdentity, workspaceIdSchema } from "./identity.ts";
import { type EpochKey, Keys } from "./keys.ts";
import { Members } from "./members.ts";
import type { Owner } from "./owner.ts";
import { type Certificate, forms } from "./records.ts";
import { keySchema, pairSchema, type Signed } from "./signing.ts";

/** The record in a folder of the workspace that it shares with other machines. */
export interface LinkRecord {
  readonly workspace: string;
  /** The address of the broker, as natsOptions reads it, with the variables for this machine's credentials. */
  readonly broker: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly identity: Identity;
  readonly certificate: Certificate;
  readonly owner: string;
  /** The owner's pair, on the machine where the workspace was founded. */
  readonly founder?: Owner["signing"];
  readonly keys: readonly EpochKey[];
  readonly certificates: readonly Certificate[];
  readonly record?: Signed;
  /** True until the machine has received the documents of the others for the first time. */
  readonly isJoining: boolean;
}

const recordSchema = z.object({
  workspace: workspaceIdSchema,
  broker: z.string(),
  environment: z.record(z.string(), z.string()),
  identity: z.unknown(),
  certificate: forms.certificate,
  owner: keySchema,
  founder: pairSchema.optional(),
  keys: z.array(z.object({ epoch: z.int(), key: keySchema })).min(1),
  certificates: z.array(forms.certificate),
  record: forms.signed.optional(),
  isJoining: z.boolean(),
});

/** The error for a folder with an unusable link; `message` is for a person, with the cause and the remedy. */
export class LinkFileError extends Error {
  override readonly name = "LinkFileError";
}

/** Reads a folder's link; undefined for a folder that is not shared. @throws LinkFileError */
export function readLink(file: string): LinkRecord | undefined {
  let read: ReturnType<typeof readSealed>;
  try {
    read = readSealed(file);
  } catch (error) {
    throw new LinkFileError(`${file} cannot be read: ${String(error)}. Join the workspace again`);
  }
  if (read === undefined) return undefined;
  if (!read.genuine)
    throw new LinkFileError(
      "this folder is a copy of a shared one, and two machines with one identity would damage each other's work. Run `spliced leave`, then `spliced join` with the share line",
    );
  const { data } = recordSchema.safeParse(read.content);
  const identity = parseIdentity(data?.identity);
  if (data === undefined || typeof identity === "string")
    throw new LinkFileError(`${file} is damaged. Run \`spliced leave\`, then \`spliced join\` again`);
  return { ...data, identity } as LinkRecord;
}

/** Removes a folder's link. */
export function removeLink(file: string): void {
  removeOwn(file);
}

export function writeLink(file: string, record: LinkRecord): void {
  writeOwn(file, sealed(file, record));
}

/** Writes a folder's link; returns the error of a disk that does not take it. */
export function writeFailure(file: string, record: LinkRecord): Error | undefined {
  try {
    writeLink(file, record);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Returns the members and the keys in a link. */
export function trustOf({ workspace, owner, keys, certificates, record, certificate }: LinkRecord): {
  readonly members: Members;
  readonly keys: Keys;
} {
  const members = new Members(workspace, owner);
  if (record !== undefined) members.take(record);
  for (const one of [certificate, ...certificates]) members.admit(one);
  return { members, keys: new Keys(workspace, keys) };
}
