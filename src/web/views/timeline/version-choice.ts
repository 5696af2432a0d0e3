import type { Group } from "../../state/changes.ts";

/** Which two versions a person chose. Without `b` it is the newest, without `a` what was before `b`. */
export interface Pick {
  readonly a?: string;
  readonly b?: string;
}

export interface Side {
  readonly version: string;
  /** What made it; undefined where that is not loaded. */
  readonly group: Group | undefined;
}

/** The two versions that are compared: from `a`, null where the document began with `b`, to `b`. */
export interface Sides {
  readonly a: Side | null;
  readonly b: Side;
}

/** `groups` are newest first. Undefined while there are none. */
export function sidesOf(groups: readonly Group[], { a, b }: Pick): Sides | undefined {
  const newest = groups[0];
  if (newest === undefined) return undefined;
  const right = sideOf(groups, b ?? newest.changes[0].version);
  if (a !== undefined) return { a: sideOf(groups, a), b: right };
  const before = right.group?.changes.at(-1)?.previous ?? null;
  return { a: before === null ? null : sideOf(groups, before), b: right };
}

function sideOf(groups: readonly Group[], version: string): Side {
  return {
    version,
    group: groups.find(({ changes }) => changes.some((change) => change.version === version)),
  };
}
