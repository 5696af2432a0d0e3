import type { Site } from "../../state/site.ts";
import { newIdentity } from "./identity.ts";
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
