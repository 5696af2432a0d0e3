import type { ChangeRecord, Seq } from "../../store/store.ts";

/**
 * The name of the text after one change, opaque on the wire. It consists of the change's sequence number and the end
 * of the change's id. The id distinguishes it from versions of another history with the same sequence number.
 */
export type Version = string;

/** The characters of a change's id in its version. */
const ID_END = 6;

/** Returns the version that a change made. */
export function versionOf(change: Pick<ChangeRecord, "seq" | "id">): Version {
  return `${change.seq}-${change.id.slice(-ID_END)}`;
}

/** Returns the sequence number in a version; undefined if the string has another form. */
export function seqOf(version: Version): Seq | undefined {
  const match = /^(\d{1,15})-[a-z0-9]+$/.exec(version);
  return match === null ? undefined : Number(match[1]);
}
