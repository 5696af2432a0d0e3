import type { DocPath } from "../../mirror/path.ts";
import type { Level } from "../../workspace/access/rights.ts";

/**
 * Seals the messages of this machine, and opens those of the others. Only the workspace's machines can read or make
 * them (M10).
 */
export interface Sealer {
  /** This machine. */
  readonly machine: string;
  seal(number: number, payload: Uint8Array): Uint8Array;
  /** Opens a message that the carrier has under a machine and a number; otherwise returns the reason, as one word. */
  open(machine: string, number: number, bytes: Uint8Array): Uint8Array | Refused;
  /** Returns the name of a machine for people; its id for an unknown one. */
  nameOf(machine: string): string;
  /** Returns true if a machine may change a path by one of its messages, or now. */
  mayWrite(machine: string, path: DocPath, number?: number): boolean;
  /** Returns true if a machine may read a path, at one of its messages or now. */
  mayRead(machine: string, path: DocPath, number?: number): boolean;
  /** Returns the highest level that a machine has on any path, at one of its messages or now. */
  levelOf(machine: string, number?: number): Level;
  /** Returns true if a machine may change every path now, also protected ones. */
  mayWriteAll(machine: string): boolean;
  /** Returns true for a machine that the owner removed. */
  isRemoved(machine: string): boolean;
  /** The machines that belong to the workspace, this one too. */
  readonly members: readonly string[];
}

export interface Refused {
  readonly refused: string;
}

/** Returns true for bytes that open once this machine knows the owner's newest record. */
export function isLocked({ refused }: Refused): boolean {
  return refused === "unknown_epoch";
}
