import type { Files } from "../../mirror/files.ts";
import type { Rights } from "../../workspace/access/rights.ts";
import type { LaneDisk } from "./disk.ts";
import type { IgnoredHere } from "./fill.ts";

/** A token that a lane uses. */
export interface LaneToken {
  /** The token's id, which stays the same after restarts. */
  readonly id: string;
  readonly name: string;
  readonly rights: Rights;
}

/** The interfaces that lanes need from outside the core. */
export interface LanePorts {
  readonly disk: LaneDisk;
  readonly openFiles: (folder: string) => Files;
  /** Returns the token with a name, or with an id; undefined once it is revoked. */
  readonly tokenNamed: (name: string) => LaneToken | undefined;
  readonly tokenOf: (id: string) => LaneToken | undefined;
  readonly ignored: IgnoredHere;
}
