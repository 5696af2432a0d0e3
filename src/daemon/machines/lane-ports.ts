import { laneDisk } from "../../lanes/disk/disk.ts";
import type { LanePorts, LaneToken } from "../../lanes/disk/lane-ports.ts";
import { openSandbox } from "../../mirror/disk/sandbox.ts";
import type { Reached } from "../../mirror/step.ts";
import type { Holder } from "../../protocol/service/service.ts";
import type { Config } from "../config/define-config.ts";
import type { Tokens } from "../tokens/tokens.ts";

/** Returns the daemon's interfaces for lanes: folders, tokens and settings. */
export function lanePorts(keys: Tokens, config: Config, reached: Reached): LanePorts {
  const token = (holder: Holder | undefined): LaneToken | undefined =>
    holder && { id: keys.idOf(holder), name: holder.name, rights: holder.rights };
  return {
    disk: laneDisk,
    openFiles: (folder) => openSandbox(folder, reached),
    tokenNamed: (name) => token(keys.named(name)),
    tokenOf: (id) => token(keys.holderOf(id)),
    ignored: config.lanes,
  };
}
