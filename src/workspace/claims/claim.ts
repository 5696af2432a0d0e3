import type { Image } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Actor } from "../access/actor.ts";

/** An agent's word that one of its tools runs: a save of the file meanwhile is the agent's. Times are in milliseconds. */
export interface Claim {
  readonly id: string;
  readonly actor: Actor;
  /** The tool call, as the agent names it. */
  readonly call?: string | undefined;
  /** The file that the tool edits; undefined for a tool that may write any file. */
  readonly path?: DocPath | undefined;
  /** The hash of the bytes that the tool will write, in hex; undefined if unknown before the write. */
  readonly sha256?: string | undefined;
  readonly message?: string | undefined;
  readonly opened: number;
  /** The end of the tool's run, or the time at which the claim expires. */
  readonly until: number;
  /** The time by which the daemon has seen all that happened until then; infinite while it catches up. */
  readonly seen: number;
  readonly closed: boolean;
  /** The connection that the claim ends with; undefined for a claim that outlives its connection. */
  readonly connection?: string | undefined;
}

/** The time at which a file changed, as far as the daemon knows; milliseconds since the epoch. */
export interface Moment {
  readonly from: number;
  readonly to: number;
  /** True for a removal, which leaves no time behind: the daemon knows only when it noticed that. */
  readonly isNoticed?: boolean;
}

/** The daemon notices within this time that a file is gone. */
const NOTICED_MS = 300;

/** Returns when the file that is `image` now took its place, or was last written. */
export function momentOf({ ctimeNs }: Image): Moment {
  const at = Number(ctimeNs / 1_000_000n);
  return { from: at, to: at };
}

/** Returns when a file was removed that the daemon missed first at `noticed`. */
export function removalBefore(noticed: number): Moment {
  return { from: noticed - NOTICED_MS, to: noticed, isNoticed: true };
}

/** A file system's clock lags behind the system's by up to one tick of the kernel. */
const TICK_MS = 20;
/** The time after its reported end within which an editing tool may finish its file; milliseconds. */
const LATE_EDIT_MS = 500;
/** A shell command's programs may write for this long after the command has ended. */
const LATE_SHELL_MS = 100;

/** Returns true for a change of the file while the tool ran. */
export function covers({ opened, until, seen }: Claim, { from, to, isNoticed }: Moment): boolean {
  return from <= (isNoticed ? seen : until) && to >= opened;
}

/** Returns true for a change of the file while the tool ran, or so shortly after it that the tool may have made it. */
export function reaches({ path, opened, until, seen }: Claim, { from, to, isNoticed }: Moment): boolean {
  const late = path === undefined ? LATE_SHELL_MS : LATE_EDIT_MS;
  return from <= (isNoticed ? seen : until) + late && to >= opened - TICK_MS;
}
