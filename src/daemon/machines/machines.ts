import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { NatsCarrier } from "../../link/carrier/nats-carrier.ts";
import { natsOptions } from "../../link/carrier/nats-options.ts";
import { type Broker, Machines } from "../../link/machines.ts";
import { siteOf } from "../../state/site.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { linkFileIn } from "./link-file.ts";

/** Opens a carrier through NATS. @throws NatsOptionsError */
export function openNats({ broker, environment }: Broker, workspace: string): NatsCarrier {
  return new NatsCarrier(natsOptions(broker, { ...process.env, ...environment }, readFileSync), workspace);
}

/** Returns the object that shares a folder with other machines through NATS. */
export function machinesOf(workspace: Workspace, state: string): Machines {
  const file = linkFileIn(state);
  return new Machines({
    workspace,
    file,
    host: hostname(),
    site: () => siteOf(state),
    openCarrier: openNats,
  });
}
