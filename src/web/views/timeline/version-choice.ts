import type { ChangeGroup } from "../../state/changes/changes.ts";

/** The name of the text in git's newest commit, which is compared as `a`. */
export const GIT = "git";

/** The two versions that the person chose. Default: `b` is the newest version, `a` the one before `b`. */
export interface VersionChoice {
  readonly a?: string;
  readonly b?: string;
}

export interface ComparedVersion {
  readonly version: string;
  /** The group of changes that made the version; undefined if it is not loaded. */
  readonly group: ChangeGroup | undefined;
}

/** The two compared versions. `a` is null if `b` created the document. */
export interface ComparedVersions {
  readonly a: ComparedVersion | null;
  readonly b: ComparedVersion;
}

/** Returns the two versions to compare; undefined without changes. `groups` are newest first. */
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
