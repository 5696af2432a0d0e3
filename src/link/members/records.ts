import { z } from "zod";
import { globProblem } from "../../paths/glob.ts";
import { CONFLICT_POLICIES, LEVELS } from "../../workspace/access/rights.ts";
import { type Identity, machineIdSchema, machineNameSchema, workspaceIdSchema } from "./identity.ts";
import {
  type KeyPair,
  keySchema,
  type Signed,
  signatureOf,
  signatureSchema,
  signed,
  signedSchema,
} from "./signing.ts";

/** Bounds of the owner's records, so that no record takes unbounded memory. */
const MOST_RULES = 200;
export const MOST_MACHINES = 1000;
const MOST_CHANGES = 1000;
const MOST_INVITATIONS = 1000;
const MOST_EPOCHS = 10_000;
const MOST_KEY_CHARACTERS = 200;

/** Rules as tokens have them (`AccessRule`): the first that matches a path decides. */
const rulesSchema = z
  .array(
    z.strictObject({
      glob: z
        .string()
        .min(1)
        .refine((glob) => globProblem(glob) === undefined, { error: "is not a glob" }),
      level: z.enum(LEVELS),
      conflict: z.enum(CONFLICT_POLICIES).optional(),
    }),
  )
  .max(MOST_RULES);

/** The number of a machine's last message for which the former state is valid; 0 without such a message. */
const afterSchema = z.int().min(0);

const invitationSchema = z.strictObject({
  workspace: workspaceIdSchema,
  /** The public key of the invitation. Each holder of its secret half may make certificates. */
  key: keySchema,
  rules: rulesSchema,
  /** Milliseconds since 1970. */
  expires: z.int().min(0).optional(),
});

const certifiedSchema = z.strictObject({
  workspace: workspaceIdSchema,
  /** The public key of the machine's invitation, so that no other invitation can certify the machine. */
  invitation: keySchema,
  machine: machineIdSchema,
  name: machineNameSchema,
  signing: keySchema,
  sealing: keySchema,
});

const sealedKeySchema = z.string().max(MOST_KEY_CHARACTERS);

const epochSchema = z.strictObject({
  /** The epochs of documents count from 1. */
  number: z.int().min(1).max(MOST_EPOCHS),
  /** The key of this epoch, sealed to each machine. */
  keys: z.array(z.strictObject({ machine: machineIdSchema, sealed: sealedKeySchema })).max(MOST_MACHINES),
  /** The keys of the epochs 1, 2, … before this one, each sealed with the key of the epoch after it. */
  earlier: z.array(sealedKeySchema).max(MOST_EPOCHS),
});

const recordSchema = z.strictObject({
  workspace: workspaceIdSchema,
  revision: z.int().min(1),
  machines: z
    .array(
      z.strictObject({
        machine: machineIdSchema,
        /** Rules in place of those of the machine's invitation, in the order of `after`. */
        changes: z.array(z.strictObject({ after: afterSchema, rules: rulesSchema })).max(MOST_CHANGES),
        /** The machine is removed; its messages up to this number stay valid. */
        removed: afterSchema.optional(),
      }),
    )
    .max(MOST_MACHINES),
  /** Invitations that admit no machine beyond the ones that they admitted before. */
  retired: z
    .array(z.strictObject({ invitation: keySchema, keeps: z.array(machineIdSchema).max(MOST_MACHINES) }))
    .max(MOST_INVITATIONS),
  epoch: epochSchema,
});

const certificateSchema = z.strictObject({
  invitation: signedSchema,
  text: z.string(),
  signature: signatureSchema,
  proof: signatureSchema,
});

/** The owner's permission for the holders of the invitation's secret key. */
export type Invitation = z.infer<typeof invitationSchema>;
/** The content of a machine's certificate. */
export type Certified = z.infer<typeof certifiedSchema>;
/** The owner's record: removed machines, changed rules, and the keys of the current epoch. The owner signs it. */
export type MembersRecord = z.infer<typeof recordSchema>;
export type EpochGrant = z.infer<typeof epochSchema>;

/**
 * The proof that a machine may take part. The owner signed the invitation, and the invitation's key signed the text.
 * The machine's own key signed the text, too, so that no machine can be certified without its own consent.
 */
export interface Certificate extends Signed {
  readonly invitation: Signed;
  readonly proof: string;
}

export const forms = {
  invitation: invitationSchema,
  certificate: certificateSchema,
  certified: certifiedSchema,
  record: recordSchema,
  signed: signedSchema,
} as const;

/** Signs a machine's certificate with the secret key of an invitation. */
export function certify(
  { id, name, signing, sealing }: Identity,
  workspace: string,
  invitation: { readonly signed: Signed; readonly key: KeyPair },
): Certificate {
  const body: Certified = {
    workspace,
    invitation: invitation.key.public,
    machine: id,
    name,
    signing: signing.public,
    sealing: sealing.public,
  };
  const { text, signature } = signed("certificate", body, invitation.key);
  return { invitation: invitation.signed, text, signature, proof: signatureOf("possession", text, signing) };
}
