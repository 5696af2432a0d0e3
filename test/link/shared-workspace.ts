import { isRefused, type Refused } from "../../src/link/base/outcome.ts";
import { type Identity, newIdentity } from "../../src/link/members/identity.ts";
import { Keys } from "../../src/link/members/keys.ts";
import { Members } from "../../src/link/members/members.ts";
import {
  foundWorkspace,
  invite,
  nextRecord,
  type OpenInvitation,
  type Owner,
} from "../../src/link/members/owner.ts";
import { type Certificate, certify } from "../../src/link/members/records.ts";
import { MemberSealer } from "../../src/link/members/seal.ts";
import type { Site } from "../../src/state/site.ts";
import type { AccessRule, Level } from "../../src/workspace/access/rights.ts";

export const SITE: Site = { host: "one", inode: "11", device: "5", path: "/one/.spliced" };

/** One rule for everything. */
export const everywhere = (level: Level): AccessRule[] => [{ glob: "**", level }];

/** What one machine of a workspace holds. */
export interface Machine {
  readonly identity: Identity;
  readonly certificate: Certificate;
  readonly members: Members;
  readonly keys: Keys;
  readonly sealer: MemberSealer;
}

/** A workspace of its owner's machine, and those that join. */
export class SharedWorkspace {
  readonly owner: Owner;
  readonly machines: Machine[] = [];
  readonly #line: Keys;

  constructor() {
    const { owner, keys } = foundWorkspace();
    this.owner = owner;
    this.#line = new Keys(owner.workspace, keys);
    this.join(everywhere("admin"));
  }

  /** The owner's machine. */
  get first(): Machine {
    return this.machines[0]!;
  }

  /** Adds a machine that every other knows, with the keys that its share line has. */
  join(rules: readonly AccessRule[] = everywhere("write"), mostBytes?: number): Machine {
    return this.joinWith(invite(this.owner, rules), mostBytes);
  }

  joinWith(invitation: OpenInvitation, mostBytes?: number): Machine {
    const machine = this.stranger(invitation, mostBytes);
    this.machines.push(machine);
    for (const { certificate } of this.machines)
      for (const { members } of this.machines) unwrapped(members.admit(certificate));
    return machine;
  }

  /** Makes a machine that nobody knows yet. */
  stranger(invitation = invite(this.owner, everywhere("write")), mostBytes?: number): Machine {
    const { workspace, signing } = this.owner;
    const identity = newIdentity("host", SITE);
    const certificate = certify(identity, workspace, invitation);
    const members = new Members(workspace, signing.public);
    const keys = new Keys(workspace, (this.machines[0]?.keys ?? this.#line).shared);
    const sealer = new MemberSealer({
      identity,
      members,
      keys,
      ...(mostBytes !== undefined && { mostBytes }),
    });
    return { identity, certificate, members, keys, sealer };
  }

  /** Publishes the owner's next record, which every machine takes and learns from. */
  publish(change: Parameters<typeof nextRecord>[3] = {}): ReturnType<typeof nextRecord> {
    const record = nextRecord(this.owner, this.first.members, this.first.keys, change);
    for (const { members, keys, identity } of this.machines) {
      const { epoch } = unwrapped(members.take(record));
      keys.learn(epoch, identity);
    }
    return record;
  }
}

/** Returns an outcome that should be no refusal. */
export function unwrapped<Value extends object | number>(outcome: Value | Refused<string>): Value {
  if (isRefused(outcome)) throw new Error(`refused: ${outcome.refused}`);
  return outcome as Value;
}

/** Returns why an outcome refuses; `"ok"` if it does not. */
export function reasonOf(outcome: object | number): string {
  return isRefused(outcome) ? outcome.refused : "ok";
}
