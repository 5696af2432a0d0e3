import type { Store } from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import { seqOf, type Version, versionOf } from "../versions/version.ts";
import type { Document } from "./document.ts";

/** A version as all machines know it. Other machines may have had other changes before the same change. */
export interface CommonVersion {
  /** The id of the change that made it. */
  readonly change: string;
  /** The hash of the file's bytes; absent for large documents. */
  readonly sha256?: string | undefined;
  /** The text, where another machine may never have had it. */
  readonly text?: string | undefined;
}

/** A version of this machine's history: the common one, or where `isSame` is false, one that the same change made. */
export interface LocalVersion {
  readonly version: Version;
  readonly isSame: boolean;
}

/** The characters of the texts that one record gives to other machines, at most. */
export const MOST_GIVEN_CHARS = 16 << 20;

/** Returns a document's version for other machines, without its text; a version of another machine as it came. */
export function commonVersion(store: Store, docId: string, version: Version): CommonVersion {
  const seq = seqOf(version);
  const change = seq === undefined ? undefined : store.change(docId, seq);
  if (change === undefined || versionOf(change) !== version) return { change: version };
  return { change: change.id, ...(change.sha256 !== undefined && { sha256: change.sha256 }) };
}

/** Returns a document's version for other machines, with its text unless every machine has that in its history. */
export function commonVersionOf(store: Store, document: Document, version: Version): CommonVersion {
  const common = commonVersion(store, document.id, version);
  const seq = document.versions.find(version)?.seq;
  const text = seq === undefined || seq === 0 ? undefined : document.versions.textAt(seq);
  return text === undefined ? common : { ...common, text: text.toString() };
}

/** Returns the version of this machine that is a common one; undefined if the history lacks its change. */
export function localVersionOf(
  { versions }: Document,
  store: Store,
  common: CommonVersion,
): LocalVersion | undefined {
  const found = store.find(common.change);
  const change = found && versions.change(found.seq);
  const { sha256, text } = common;
  if (change !== undefined) {
    const isSame =
      change.seq === 0 ||
      (sha256 !== undefined && sha256 === change.sha256) ||
      (text !== undefined && isText(versions.textAt(change.seq), text));
    if (isSame) return { version: versionOf(change), isSame };
  }
  const same = sha256 === undefined ? undefined : versions.findHash(sha256);
  if (same !== undefined) return { version: versionOf(same), isSame: true };
  return change && { version: versionOf(change), isSame: false };
}

function isText(known: Text | undefined, text: string): boolean {
  return known?.toString() === text;
}
