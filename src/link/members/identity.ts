import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Site } from "../../state/site.ts";
import { idMaker } from "../../workspace/ids.ts";
import { isPair, type KeyPair, newPair, pairSchema } from "./signing.ts";

/**
 * A machine of a workspace: one daemon with one folder. The secret halves of its pairs stay in one file, which only its
 * user can read.
 */
export interface Identity {
  /** A hash of the public signing key, so that no machine can have another key under the same id. */
  readonly id: string;
  /** The name for people; two machines may have the same name. */
  readonly name: string;
  /** An Ed25519 pair. */
  readonly signing: KeyPair;
  /** An X25519 pair, to which others seal keys. */
  readonly sealing: KeyPair;
  /** The place of the machine's folder when the identity was made. */
  readonly site: Site;
}

const MOST_NAME = 64;
const ID = "[0-9a-hjkmnp-tv-z]{16}";

export const machineIdSchema = z.string().regex(new RegExp(`^m_${ID}$`));
export const workspaceIdSchema = z.string().regex(new RegExp(`^w_${ID}$`));
/** A name has no invisible characters, which could make one name look like another. */
export const machineNameSchema = z
  .string()
  .regex(new RegExp(`^[^\\p{C}\\p{Z}]([^\\p{C}]{0,${MOST_NAME - 1}})$`, "u"));

const identitySchema = z.strictObject({
  id: machineIdSchema,
  name: machineNameSchema,
  signing: pairSchema.refine((pair) => isPair("Ed25519", pair), {
    error: "the two keys are not of one pair",
  }),
  sealing: pairSchema.refine((pair) => isPair("X25519", pair), { error: "the two keys are not of one pair" }),
  site: z.strictObject({ host: z.string(), inode: z.string(), device: z.string(), path: z.string() }),
});

/** Returns the id of the machine with a public signing key. */
export function machineIdOf(signing: string): string {
  const digest = createHash("sha256").update(signing).digest();
  return idMaker((size) => digest.subarray(0, size))("m");
}

/** Draws the id of a new workspace. */
export function newWorkspaceId(): string {
  return idMaker(randomBytes)("w");
}

/** Makes a machine. `host` is the computer's name; the machine's name consists of its visible characters. */
export function newIdentity(host: string, site: Site): Identity {
  const signing = newPair("Ed25519");
  const visible = [...host.replace(/\p{C}/gu, "").trim()].slice(0, MOST_NAME).join("");
  return {
    id: machineIdOf(signing.public),
    name: visible === "" ? "machine" : visible,
    signing,
    sealing: newPair("X25519"),
    site,
  };
}

/** Returns an identity from the value in a file; otherwise a sentence for a person that names the defect. */
export function parseIdentity(value: unknown): Identity | string {
  const { data, error } = identitySchema.safeParse(value);
  if (data === undefined) {
    const { path, message } = error.issues[0]!;
    return `${path.map(String).join(".") || "the identity"}: ${message}`;
  }
  return data.id === machineIdOf(data.signing.public) ? data : "id: it does not belong to the signing key";
}

/**
 * The reason why a folder is a copy of an identity's folder. It is on another computer, at another place, or on another
 * disk, as in an image or a snapshot. `backup`: it is an older copy, so others have messages of it that it does not know.
 */
export type Copied = "computer" | "folder" | "disk" | "backup";

/**
 * Returns why a folder is a copy of an identity's folder; undefined for the folder itself, also after a move within its
 * disk or a boot that numbered the disks anew. A clone of a whole computer that kept the computer's id looks the same.
 */
export function copied({ site }: Identity, here: Site): Copied | undefined {
  if (here.host !== site.host) return "computer";
  if (here.inode !== site.inode) return "folder";
  return here.device !== site.device && here.path !== site.path ? "disk" : undefined;
}
