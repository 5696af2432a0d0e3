import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import { parsedJson, type Refused, refusals } from "../base/outcome.ts";
import { workspaceIdSchema } from "./identity.ts";
import type { EpochKey, Keys } from "./keys.ts";
import type { OpenInvitation, Owner } from "./owner.ts";
import { forms, type Invitation } from "./records.ts";
import { isPair, isSignature, keySchema, pairSchema, readSigned, signedSchema } from "./signing.ts";

/** The content of a share line. Each holder of the line can read the workspace and join it. */
export interface ShareLine {
  readonly workspace: string;
  /** The address of the broker, without a name or a password. */
  readonly broker: string;
  /** The keys of the roster and of the current epoch. */
  readonly keys: readonly EpochKey[];
  /** The owner's public key. */
  readonly owner: string;
  readonly invitation: OpenInvitation;
}

/** `version`: another version of spliced wrote the line. `forged`: the owner did not sign the invitation. */
export type LineRefusal = "not_a_line" | "version" | "cut" | "mistyped" | "malformed" | "forged" | "expired";

const refuse = refusals<LineRefusal>({
  not_a_line: "This is not a share line. A share line is one word that begins with spliced1.",
  version: "Another version of spliced made this share line. Use the same version on both machines.",
  cut: "The end of the share line is missing. Copy the whole line.",
  mistyped: "A character of the share line is wrong, missing or too much. Copy the line again.",
  malformed:
    "The share line lacks something, or its NATS server's address holds a password. Ask for a new one.",
  forged: "The owner of the workspace did not sign this share line. Ask the owner for one.",
  expired: "The share line has expired. Ask the owner for a new one.",
});

const PREFIX = "spliced1.";
const CHECKSUM_BYTES = 4;
/** The bytes before the body with its length. They distinguish a cut line from a mistyped one. */
const LENGTH_BYTES = 2;
const MOST_TEXT = 1 << 18;
const BROKERS = new Set(["nats:", "tls:", "ws:", "wss:"]);

const lineSchema = z.strictObject({
  workspace: workspaceIdSchema,
  broker: z
    .string()
    .refine(isBroker, { error: "must be the address of a NATS server, without a name or password" }),
  keys: z.array(z.strictObject({ epoch: z.int().min(0), key: keySchema })).min(1),
  owner: keySchema,
  invitation: z.strictObject({
    signed: signedSchema,
    key: pairSchema.refine((pair) => isPair("Ed25519", pair), { error: "the two keys are not of one pair" }),
  }),
});

/** True for the address of a broker that has no secrets in it. */
function isBroker(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, search, hash } = new URL(address);
  return BROKERS.has(protocol) && `${username}${password}${search}${hash}` === "";
}

/**
 * Returns the share line of an invitation.
 *
 * @throws TypeError if the broker's address has a name or a password, or is no address
 * @throws RangeError if the rules are too long for a line, at tens of thousands of characters
 */
export function shareLine(
  { workspace, signing }: Owner,
  broker: string,
  keys: Keys,
  invitation: OpenInvitation,
): string {
  if (!isBroker(broker))
    throw new TypeError("the NATS server's address must have no name, password, query or fragment");
  const line: ShareLine = { workspace, broker, keys: keys.shared, owner: signing.public, invitation };
  const body = deflateRawSync(JSON.stringify(line), { level: 9 });
  const bytes = Buffer.alloc(LENGTH_BYTES + body.length + CHECKSUM_BYTES);
  bytes.writeUInt16BE(body.length);
  body.copy(bytes, LENGTH_BYTES);
  checksum(bytes).copy(bytes, LENGTH_BYTES + body.length);
  return `${PREFIX}${bytes.toString("base64url")}`;
}

/**
 * Reads a share line. Ignores white space, because terminals and mail programs wrap long lines. `now` is the time of a
 * clock.
 */
export function parseLine(pasted: string, now: number): ShareLine | Refused<LineRefusal> {
  const line = pasted.replace(/\s/g, "");
  if (!line.startsWith(PREFIX)) return refuse(/^spliced\d+\./.test(line) ? "version" : "not_a_line");
  const body = bodyOf(line.slice(PREFIX.length));
  if (!Buffer.isBuffer(body)) return refuse(body);
  const { data } = lineSchema.safeParse(parsedJson(inflated(body)));
  if (data === undefined) return refuse("malformed");
  const { workspace, owner, invitation } = data;
  const invited = readSigned<Invitation>(invitation.signed, forms.invitation);
  if (invited === undefined) return refuse("malformed");
  const isOwners =
    isSignature("invitation", invitation.signed, owner) &&
    invited.workspace === workspace &&
    invited.key === invitation.key.public;
  if (!isOwners) return refuse("forged");
  return invited.expires !== undefined && now >= invited.expires ? refuse("expired") : data;
}

/** Returns the checked body of a line; otherwise the reason why the line has none. */
function bodyOf(text: string): Buffer | "cut" | "mistyped" {
  const bytes = Buffer.from(text, "base64url");
  if (/[^\w-]/.test(text)) return "mistyped";
  if (bytes.length < LENGTH_BYTES) return "cut";
  const end = LENGTH_BYTES + bytes.readUInt16BE() + CHECKSUM_BYTES;
  if (bytes.length < end) return "cut";
  const isWhole = bytes.length === end && bytes.toString("base64url") === text;
  return isWhole && checksum(bytes).equals(bytes.subarray(-CHECKSUM_BYTES))
    ? bytes.subarray(LENGTH_BYTES, -CHECKSUM_BYTES)
    : "mistyped";
}

/** Returns the checksum of all bytes but the last, where it belongs. */
function checksum(bytes: Buffer): Buffer {
  return createHash("sha256")
    .update(PREFIX)
    .update(bytes.subarray(0, -CHECKSUM_BYTES))
    .digest()
    .subarray(0, CHECKSUM_BYTES);
}

function inflated(body: Buffer): string {
  try {
    return inflateRawSync(body, { maxOutputLength: MOST_TEXT }).toString();
  } catch {
    return ""; // no compressed text, or one without bounds
  }
}
