import type { AccessRule } from "../../workspace/access/rights.ts";
import { newWorkspaceId } from "./identity.ts";
import { type EpochKey, type Keys, newEpochKey, ROSTER_EPOCH } from "./keys.ts";
import type { Members } from "./members.ts";
import type { Invitation, MembersRecord } from "./records.ts";
import { type KeyPair, newPair, type Signed, signed } from "./signing.ts";

/**
 * The founder of a workspace. The holder of the pair's secret half decides which machines take part; one machine stores
 * it.
 */
export interface Owner {
  readonly workspace: string;
  /** An Ed25519 pair. */
  readonly signing: KeyPair;
}

/** An invitation with its secret key, as a share line contains it. */
export interface OpenInvitation {
  readonly signed: Signed;
  readonly key: KeyPair;
}

/** A change by the owner. The number for each machine is its last message for which the former state is valid. */
export interface MembersChange {
  readonly removed?: readonly { readonly machine: string; readonly after: number }[];
  readonly rules?: readonly {
    readonly machine: string;
    readonly after: number;
    readonly rules: readonly AccessRule[];
  }[];
  /** Public keys of invitations that admit no further machine. */
  readonly retired?: readonly string[];
}

/** Founds a workspace: its owner, and the keys of its first epoch. */
export function foundWorkspace(): { readonly owner: Owner; readonly keys: readonly EpochKey[] } {
  const owner = { workspace: newWorkspaceId(), signing: newPair("Ed25519") };
  return { owner, keys: [newEpochKey(ROSTER_EPOCH), newEpochKey(1)] };
}

/**
 * Makes an invitation. Each machine that joins with it gets its rules; one level for everything is a rule for `**`.
 * `expires` is in milliseconds since 1970, and each reader of the share line checks it. The owner's record retires the
 * invitation for all machines.
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
 * Returns the owner's next record. The owner's machine adopts it as every other machine does. A record that removes a
 * machine or retires an invitation begins a new epoch, so that their holders get no key of later envelopes. Each
 * present machine gets the key of the newest epoch, so a record without a change gives it to machines that joined.
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

/** Returns the owner's next record, with the newest key for machines that joined; undefined if none lacks the key. */
export function recordForNewcomers(owner: Owner, members: Members, keys: Keys): Signed | undefined {
  const given = members.record?.value.epoch.keys ?? [];
  const isGiven = (machine: string) => given.some((one) => one.machine === machine);
  if (keys.newest === 1 || members.present.every(({ machine }) => isGiven(machine))) return undefined;
  return nextRecord(owner, members, keys);
}
