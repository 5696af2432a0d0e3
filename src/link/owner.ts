import type { AccessRule } from "../workspace/access/rights.ts";
import { newWorkspaceId } from "./identity.ts";
import { type EpochKey, type Keys, newEpochKey, ROSTER_EPOCH } from "./keys.ts";
import type { Members } from "./members.ts";
import type { Invitation, MembersRecord } from "./records.ts";
import { type KeyPair, newPair, type Signed, signed } from "./signing.ts";

/** Who founded a workspace. Whoever has the pair's secret half decides who takes part; one machine keeps it. */
export interface Owner {
  readonly workspace: string;
  /** An Ed25519 pair. */
  readonly signing: KeyPair;
}

/** An invitation with its secret key, as a share line brings it to somebody. */
export interface OpenInvitation {
  readonly signed: Signed;
  readonly key: KeyPair;
}

/** What the owner changes; each machine's own last number says up to where the former state still counts. */
export interface MembersChange {
  readonly removed?: readonly { readonly machine: string; readonly after: number }[];
  readonly rules?: readonly {
    readonly machine: string;
    readonly after: number;
    readonly rules: readonly AccessRule[];
  }[];
  /** Public keys of invitations that admit nobody else from now on. */
  readonly retired?: readonly string[];
}

/** Founds a workspace: its owner, and the keys of its first epoch. */
export function foundWorkspace(): { readonly owner: Owner; readonly keys: readonly EpochKey[] } {
  const owner = { workspace: newWorkspaceId(), signing: newPair("Ed25519") };
  return { owner, keys: [newEpochKey(ROSTER_EPOCH), newEpochKey(1)] };
}

/**
 * Makes an invitation. Its rules are those of each machine that joins with it; one level for everything is a rule for
 * `**`. `expires` is in milliseconds since 1970, and binds whoever reads the share line; the owner's record retires the
 * invitation for everybody.
 */
export function invite(owner: Owner, rules: readonly AccessRule[], expires?: number): OpenInvitation {
  const key = newPair("Ed25519");
  const body: Invitation = {
    workspace: owner.workspace,
    key: key.public,
    rules: [...rules],
    ...(expires !== undefined && { expires }),
  };
  return { signed: signed("invitation", body, owner.signing), key };
}

/**
 * Returns the owner's next record, which the owner's machine takes and learns from as every other does. Whoever is
 * removed, or knows a retired invitation, learns no key of what is sealed later: such a record begins a new epoch. Each
 * machine that is present gets the key of the newest epoch, so a record without a change serves machines that joined.
 */
export function nextRecord(owner: Owner, members: Members, keys: Keys, change: MembersChange = {}): Signed {
  const { removed = [], rules = [], retired = [] } = change;
  const before = members.record?.value;
  const machines = new Map(before?.machines.map((one) => [one.machine, one]));
  const entry = (machine: string) => machines.get(machine) ?? { machine, changes: [] };
  for (const { machine, after, rules: now } of rules) {
    const { changes, ...rest } = entry(machine);
    machines.set(machine, { ...rest, changes: [...changes, { after, rules: [...now] }] });
  }
  for (const { machine, after } of removed) machines.set(machine, { ...entry(machine), removed: after });
  const gone = new Set(removed.map(({ machine }) => machine));
  const stay = members.present.filter(({ machine }) => !gone.has(machine));
  const already = before?.retired ?? [];
  const newlyRetired = retired.filter((key) => !already.some(({ invitation }) => invitation === key));
  const next = removed.length > 0 || newlyRetired.length > 0 ? keys.withNewEpoch() : keys;
  const record: MembersRecord = {
    workspace: owner.workspace,
    revision: (before?.revision ?? 0) + 1,
    machines: [...machines.values()],
    retired: [
      ...already,
      ...newlyRetired.map((invitation) => ({
        invitation,
        keeps: members.present
          .filter((member) => member.invitation === invitation)
          .map(({ machine }) => machine),
      })),
    ],
    epoch: next.grant(stay),
  };
  return signed("record", record, owner.signing);
}
