import { mapPosition } from "../../text/delta.ts";
import type { Splice } from "../../text/splice.ts";
import { seqOf, type Version } from "../versions/version.ts";

/** A half-open range of a text, in code points. */
export type Range = readonly [from: number, to: number];

/** One version's text, or the ranges of it, or its Markdown view, that a session has seen. */
export interface Sighting {
  readonly version: Version;
  readonly shown: "text" | "view" | readonly Range[];
}

/** The versions of one document that a session has seen. */
export interface Sight {
  /** The newest version that the session learned of. */
  readonly version: Version;
  /** The version that the session saw first. */
  readonly first: Version;
  /** The session's own newest change. It may have been merged with text that earlier sightings lack. */
  readonly own?: Version;
  /** Oldest version first. */
  readonly sightings: readonly Sighting[];
}

/** A change of a document from one version to the next, in positions of the earlier text. */
export interface Step {
  readonly previous: Version;
  readonly version: Version;
  readonly splices: readonly Splice[];
}

/** The most sightings of one document, and the most ranges of one sighting (I15). */
const MOST_SIGHTINGS = 8;
const MOST_RANGES = 32;

/** Adds a sighting. A whole text takes the place of everything older; an older whole text adds nothing. */
export function withSighting(sight: Sight | undefined, seen: Sighting): Sight {
  const { version } = seen;
  if (sight === undefined) return { version, first: version, sightings: [seen] };
  const newest = newer(sight.version, version);
  const known = sight.sightings.some((one) => one.shown === "text" && !isOlder(one.version, version));
  const isTold = seen.shown === "text" || sight.sightings.some((one) => isTextOf(one, version));
  if (known && isTold) return { ...sight, version: newest };
  return { ...sight, version: newest, sightings: joined(sight.sightings, seen) };
}

/**
 * Carries the seen text of a change's earlier version over to its later one, because the session got the change in
 * full.
 */
export function continued(sight: Sight, { previous, version, splices }: Step): Sight {
  const carried = sight.sightings.map((one) =>
    one.version !== previous || one.shown === "view"
      ? one
      : { version, shown: one.shown === "text" ? one.shown : carriedOver(one.shown, splices) },
  );
  if (carried.every((one, i) => one === sight.sightings[i])) return sight;
  const sightings = carried.reduce<readonly Sighting[]>(joined, []);
  return { ...sight, version: newer(sight.version, version), sightings };
}

/** Notes a change that the session made itself. */
export function withOwn(sight: Sight, step: Step): Sight {
  const { version } = step;
  return {
    ...continued(sight, step),
    version: newer(sight.version, version),
    own: newer(sight.own, version),
  };
}

/** Returns the sightings that contain all of the session's own changes, newest first. */
export function sightingsWithOwn({ own, sightings }: Sight): readonly Sighting[] {
  return sightings.filter(({ version }) => own === undefined || !isOlder(version, own)).reverse();
}

/** Returns true if every splice lies within, or at the edge of, one of the ranges. */
export function covers(ranges: readonly Range[], splices: readonly Splice[]): boolean {
  return splices.every((splice) => ranges.some(([from, to]) => from <= splice.from && splice.to <= to));
}

/** Returns true if the ranges seen of a version are its whole text, of `chars` code points. */
export function hasAll({ sightings }: Sight, version: Version, chars: number): boolean {
  return sightings.some(
    ({ version: of, shown }) =>
      of === version && isRanges(shown) && covers(shown, [{ from: 0, to: chars, insert: "" }]),
  );
}

/** Returns the newer of two versions. */
export function newer(a: Version | undefined, b: Version): Version {
  return a === undefined || isOlder(a, b) ? b : a;
}

function isOlder(a: Version, b: Version): boolean {
  return (seqOf(a) ?? -1) < (seqOf(b) ?? -1);
}

function isTextOf({ version, shown }: Sighting, of: Version): boolean {
  return shown === "text" && version === of;
}

/** Adds a sighting to a list in the order of versions, and drops the sightings that it makes useless. */
function joined(all: readonly Sighting[], seen: Sighting): readonly Sighting[] {
  const { version, shown } = seen;
  if (all.some((one) => isTextOf(one, version))) return all;
  const twin = all.find((one) => one.version === version && isRanges(one.shown) && isRanges(shown));
  const merged =
    twin !== undefined && isRanges(twin.shown) && isRanges(shown)
      ? { version, shown: union([...twin.shown, ...shown]) }
      : seen;
  const rest = all.filter((one) => {
    if (one === twin) return false;
    if (shown === "text") return isOlder(version, one.version);
    return shown !== "view" || one.shown !== "view";
  });
  const after = rest.findIndex((one) => isOlder(version, one.version));
  const at = after === -1 ? rest.length : after;
  return [...rest.slice(0, at), merged, ...rest.slice(at)].slice(-MOST_SIGHTINGS);
}

function isRanges(shown: Sighting["shown"]): shown is readonly Range[] {
  return typeof shown !== "string";
}

/** Carries ranges over a change; the inserted texts were seen with it. */
function carriedOver(ranges: readonly Range[], splices: readonly Splice[]): readonly Range[] {
  const moved = ranges.map(
    ([from, to]): Range => [mapPosition(from, splices, "after"), mapPosition(to, splices, "before")],
  );
  const inserted = splices.map(
    ({ from, to }): Range => [mapPosition(from, splices, "before"), mapPosition(to, splices, "after")],
  );
  return union([...moved.filter(([from, to]) => from <= to), ...inserted]);
}

/** Joins ranges that touch. Of too many, the last ones stay. */
function union(ranges: readonly Range[]): readonly Range[] {
  const result: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result.slice(-MOST_RANGES);
}
