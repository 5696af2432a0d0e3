import type { Site } from "../../state/site.ts";
import { Refusal } from "../../workspace/outcome/refusal.ts";
import { type Copied, newIdentity } from "./identity.ts";
import type { ShareLine } from "./line.ts";
import type { LinkRecord } from "./link-file.ts";
import { foundWorkspace, invite, type Owner } from "./owner.ts";
import { certify } from "./records.ts";

/** Returns the owner of a workspace on the machine that founded it. */
export function ownerOf({ workspace, founder }: LinkRecord): Owner | undefined {
  return founder === undefined ? undefined : { workspace, signing: founder };
}

/** Founds a workspace at a broker; returns the link of the founder's folder. `host` is the computer's name. */
export function foundedRecord(
  { broker, environment }: Pick<LinkRecord, "broker" | "environment">,
  host: string,
  site: Site,
): LinkRecord {
  const { owner, keys } = foundWorkspace();
  const identity = newIdentity(host, site);
  return {
    workspace: owner.workspace,
    broker,
    environment,
    identity,
    certificate: certify(identity, owner.workspace, invite(owner, [{ glob: "**", level: "admin" }])),
    owner: owner.signing.public,
    founder: owner.signing,
    keys,
    certificates: [],
    isJoining: false,
  };
}

/**
 * Makes a new machine with a share line; returns the link of its folder, which is still to receive the others' documents.
 * `host` is the machine's name.
 */
export function joiningRecord(
  { workspace, broker, owner, keys, invitation }: ShareLine,
  environment: LinkRecord["environment"],
  host: string,
  site: Site,
): LinkRecord {
  const identity = newIdentity(host, site);
  return {
    workspace,
    broker,
    environment,
    identity,
    certificate: certify(identity, workspace, invitation),
    owner,
    keys,
    certificates: [],
    isJoining: true,
  };
}

/** Returns a broker's address without the secrets that it may have. */
export function publicAddress(broker: string): string {
  const url = new URL(broker.split(",")[0]!.trim());
  return `${url.protocol}//${url.host}`;
}

/** Returns the refusal of a share that names another broker than the one in use; undefined where both are the same. */
export function otherBrokerRefusal(used: string, named: string): Refusal | undefined {
  if (serverOf(used) === serverOf(named)) return undefined;
  return new Refusal("INVALID_ARGUMENT", `the folder is shared through ${publicAddress(used)} already`, {
    suggestion:
      "For another share line, name no server. To use another server, call workspace.leave first, and share and join anew.",
  });
}

/** Returns the server that an address names first, with its port. */
function serverOf(broker: string): string {
  const first = broker.split(",")[0]!.trim();
  if (!URL.canParse(first)) return first;
  const { protocol, hostname, port } = new URL(first);
  return `${protocol}//${hostname}:${port || NATS_PORT}`;
}

/** The port of a NATS server whose address names none. */
const NATS_PORT = "4222";

export function copiedMessage(why: Copied): string {
  const from = why === "backup" ? "an older backup" : `another ${why}`;
  return `this folder is a copy of a shared one, from ${from}, and two machines with one identity would damage each other's work. Run \`spliced leave\` here, then \`spliced join\` with a share line`;
}

export function aloneRefusal(): Refusal {
  return new Refusal("NOT_FOUND", "this folder is not shared with other machines", {
    suggestion: "Call workspace.share to share it.",
  });
}

export function brokenRefusal(reason: string): Refusal {
  return new Refusal("CONFLICT", `the folder's link cannot be used: ${reason}`, {
    suggestion: "Call workspace.leave, then share or join anew.",
  });
}

export function unreachableRefusal(problem: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", `this machine cannot use the NATS server: ${problem}`, {
    suggestion: "Check the address, and that nats-server runs there with JetStream (nats-server -js).",
  });
}
