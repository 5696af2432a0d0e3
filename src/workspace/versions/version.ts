import type { ChangeRecord, Seq } from "../../store/store.ts";

/**
 * A version names the text after one change. It is opaque on the wire: the change's place in its document's
 * history, and the end of its id, so that a token of another history is told from one of this.
 */
export type Version = string;

const TAIL = 6;

export function versionOf(change: Pick<ChangeRecord, "seq" | "id">): Version {
  return `${change.seq}-${change.id.slice(-TAIL)}`;
}

/** The place that a version names, if it has the form of one. */
export function seqOf(version: Version): Seq | undefined {
  const match = /^(\d{1,15})-[a-z0-9]+$/.exec(version);
  return match === null ? undefined : Number(match[1]);
}
