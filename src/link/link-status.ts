import type { Level } from "../workspace/access/rights.ts";

export interface MachineStatus {
  readonly machine: string;
  readonly name: string;
  readonly isSelf: boolean;
  /** Milliseconds since the epoch when it was last heard; undefined for one that was never heard since the start. */
  readonly lastSeen: number | undefined;
  readonly isConnected: boolean;
  /** The messages of this machine that it has not told to have. */
  readonly behind: number;
  /** The highest level that it has on any path. */
  readonly level: Level;
}

export interface LinkStatus {
  readonly carrier: "connected" | "away" | "stopped";
  /** Why the carrier is away, or why the link stopped, for a person. */
  readonly reason: string | undefined;
  /** Milliseconds since the epoch; when the carrier was last lost or reached. */
  readonly since: number;
  /** Messages of this machine that wait for the carrier. */
  readonly waiting: number;
  /** When the oldest of them was made; milliseconds since the epoch. */
  readonly waitingSince: number | undefined;
  /** Messages of other machines that wait for others. */
  readonly incoming: number;
  readonly isFull: boolean;
  readonly machines: readonly MachineStatus[];
  /** Documents that other machines have and this one does not, with the reason. */
  readonly withheld: readonly { readonly path: string; readonly reason: string }[];
}
