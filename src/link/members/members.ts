import { type KeyObject, verify } from "node:crypto";
import { Protection } from "../../workspace/access/protection.ts";
import { type AccessRule, type Level, Rights } from "../../workspace/access/rights.ts";
import { isRefused, type Refused, refusals } from "../base/outcome.ts";
import { machineIdOf } from "./identity.ts";
import {
  type Certificate,
  type Certified,
  forms,
  type Invitation,
  type MembersRecord,
  MOST_MACHINES,
} from "./records.ts";
import { agrees, isSignature, publicKey, readSigned, type Signed } from "./signing.ts";

/**
 * The reason why a certificate or a record is refused. `taken`: another certificate of this machine is known. `known`:
 * this record is known already. `forked`: another record has the same revision.
 */
export type MemberRefusal =
  | "malformed"
  | "forged"
  | "foreign"
  | "retired"
  | "full"
  | "taken"
  | "older"
  | "known"
  | "forked";

const refuse = refusals<MemberRefusal>({
  malformed: "The certificate or record does not have the form that this version of spliced reads.",
  forged: "A signature of the certificate or record is not of the key that it has to be of.",
  foreign: "The certificate or record belongs to another workspace.",
  retired: "The owner retired the invitation of this machine. Ask the owner for a new share line.",
  full: "The workspace has as many machines as it can have.",
  taken: "This machine already has another certificate. It joins under a new identity.",
  older: "The record is older than the one that this machine has.",
  known: "This machine already has the record.",
  forked:
    "Two records of one revision exist. The owner's key is in use on two machines; keep it on one of them.",
});

/** The reason why a machine's message is not valid. */
export type Standing = "unknown_machine" | "removed";

interface Member extends Certified {
  readonly certificate: Certificate;
  readonly verifyWith: KeyObject;
  /** Its rights by its invitation. */
  readonly invited: Rights;
}

/** Rights that replaced those of an invitation, for messages after a number. */
interface Change {
  readonly after: number;
  readonly rights: Rights;
}

/** The machines of a workspace and the rights of each, according to the owner's signatures. */
export class Members {
  readonly workspace: string;
  /** The owner's public key. */
  readonly owner: string;
  readonly #protection: Protection;
  readonly #members = new Map<string, Member>();
  #record: { readonly signed: Signed; readonly value: MembersRecord } | undefined;
  #changes = new Map<string, readonly Change[]>();
  #removed = new Map<string, number>();

  constructor(workspace: string, owner: string, protection = new Protection()) {
    this.workspace = workspace;
    this.owner = owner;
    this.#protection = protection;
  }

  /** The certificates, in the order in which they were admitted. */
  get certificates(): readonly Certificate[] {
    return [...this.#members.values()].map(({ certificate }) => certificate);
  }

  /** The machines that are not removed. */
  get present(): readonly Certified[] {
    return [...this.#members.values()].filter(({ machine }) => this.standing(machine) === undefined);
  }

  /** The newest record of the owner, as it was signed, and its value. */
  get record(): { readonly signed: Signed; readonly value: MembersRecord } | undefined {
    return this.#record;
  }

  /** Returns the content of a machine's certificate. */
  machine(id: string): Certified | undefined {
    return this.#members.get(id);
  }

  /** Adds a certificate from any source. A known certificate has no effect. */
  admit(certificate: unknown): Certified | Refused<MemberRefusal> {
    const found = this.#examine(certificate);
    if (isRefused(found)) return found;
    const known = this.#members.get(found.machine);
    if (known !== undefined && known.certificate.text !== found.certificate.text) return refuse("taken");
    if (known === undefined && this.#members.size >= MOST_MACHINES) return refuse("full");
    if (known === undefined) this.#members.set(found.machine, found);
    return found;
  }

  /** Adopts a record of the owner if it is newer than the known record. */
  take(record: unknown): MembersRecord | Refused<MemberRefusal> {
    const { data: found } = forms.signed.safeParse(record);
    if (found === undefined) return refuse("malformed");
    if (!isSignature("record", found, this.owner)) return refuse("forged");
    const value = readSigned(found, forms.record);
    if (value === undefined) return refuse("malformed");
    if (value.workspace !== this.workspace) return refuse("foreign");
    const known = this.#record;
    if (known?.signed.text === found.text) return refuse("known");
    if (known !== undefined && value.revision < known.value.revision) return refuse("older");
    if (known?.value.revision === value.revision) return refuse("forked");
    this.#record = { signed: found, value };
    this.#changes = new Map(
      value.machines.map(({ machine, changes }) => [
        machine,
        changes.map(({ after, rules }) => ({ after, rights: this.#rightsBy(rules) })),
      ]),
    );
    this.#removed = new Map(
      value.machines.flatMap(({ machine, removed }) => (removed === undefined ? [] : [[machine, removed]])),
    );
    return value;
  }

  /**
   * Returns why a message of a machine is not valid. A removed machine's messages up to its last number stay valid,
   * because other machines may have built on them. Number 0 means now.
   */
  standing(machine: string, number = 0): Standing | undefined {
    const member = this.#members.get(machine);
    if (member === undefined) return "unknown_machine";
    const removed = this.#removed.get(machine);
    if (removed !== undefined && (number === 0 || number > removed)) return "removed";
    return this.#isRetired(member) ? "removed" : undefined;
  }

  /** Returns the rights of a machine at one of its messages, or now; undefined if it has none. */
  rightsOf(machine: string, number = 0): Rights | undefined {
    const member = this.#members.get(machine);
    if (member === undefined || this.standing(machine, number) !== undefined) return undefined;
    const changes = this.#changes.get(machine) ?? [];
    return changes.findLast(({ after }) => number === 0 || number > after)?.rights ?? member.invited;
  }

  /** Returns the level of a machine on a path, at one of its messages or now. */
  levelOf(machine: string, path: string, number = 0): Level {
    return this.rightsOf(machine, number)?.levelAt(path) ?? "none";
  }

  /** True if a machine has a level on a path, at one of its messages or now. */
  allows(machine: string, path: string, level: Level, number = 0): boolean {
    return this.rightsOf(machine, number)?.allows(path, level) ?? false;
  }

  /** True if a known machine signed the bytes. */
  isSignedBy(machine: string, bytes: Uint8Array, signature: Uint8Array): boolean {
    const key = this.#members.get(machine)?.verifyWith;
    return key !== undefined && verify(null, bytes, key, signature);
  }

  #examine(certificate: unknown): Member | Refused<MemberRefusal> {
    const { data: whole } = forms.certificate.safeParse(certificate);
    if (whole === undefined) return refuse("malformed");
    if (!isSignature("invitation", whole.invitation, this.owner)) return refuse("forged");
    const invitation = readSigned<Invitation>(whole.invitation, forms.invitation);
    const certified = readSigned<Certified>(whole, forms.certified);
    if (invitation === undefined || certified === undefined) return refuse("malformed");
    if (invitation.workspace !== this.workspace || certified.workspace !== this.workspace)
      return refuse("foreign");
    const isProven =
      isSignature("certificate", whole, invitation.key) &&
      isSignature("possession", { text: whole.text, signature: whole.proof }, certified.signing) &&
      certified.invitation === invitation.key &&
      certified.machine === machineIdOf(certified.signing);
    if (!isProven) return refuse("forged");
    if (!agrees(certified.sealing)) return refuse("malformed");
    const member: Member = {
      ...certified,
      certificate: whole,
      verifyWith: publicKey("Ed25519", certified.signing),
      invited: this.#rightsBy(invitation.rules),
    };
    return this.#isRetired(member) ? refuse("retired") : member;
  }

  #isRetired({ machine, invitation }: Member): boolean {
    const retired = this.#record?.value.retired.find((one) => one.invitation === invitation);
    return retired !== undefined && !retired.keeps.includes(machine);
  }

  #rightsBy(rules: readonly AccessRule[]): Rights {
    return new Rights(rules, this.#protection);
  }
}
