import type { ChangeGroup } from "../../state/changes.ts";

/** Which two versions a person chose. Without `b` it is the newest, without `a` what was before `b`. */
export interface VersionChoice {
  readonly a?: string;
  readonly b?: string;
}

export interface ComparedVersion {
  readonly version: string;
  /** What made it; undefined where that is not loaded. */
  readonly group: ChangeGroup | undefined;
}

/** The two versions that are compared: from `a`, null where the document began with `b`, to `b`. */
export interface ComparedVersions {
  readonly a: ComparedVersion | null;
  readonly b: ComparedVersion;
}

/** `groups` are newest first. Undefined while there are none. */
export function comparedVersions(
  groups: readonly ChangeGroup[],
  { a, b }: VersionChoice,
): ComparedVersions | undefined {
  const newest = groups[0];
  if (newest === undefined) return undefined;
  const right = comparedVersion(groups, b ?? newest.changes[0].version);
  if (a !== undefined) return { a: comparedVersion(groups, a), b: right };
  const before = right.group?.changes.at(-1)?.previous ?? null;
  return { a: before === null ? null : comparedVersion(groups, before), b: right };
}

function comparedVersion(groups: readonly ChangeGroup[], version: string): ComparedVersion {
  return {
    version,
    group: groups.find(({ changes }) => changes.some((change) => change.version === version)),
  };
}
