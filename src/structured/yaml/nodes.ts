import type { CST, Pair, YAMLMap, YAMLSeq } from "yaml";
import type { Bracketed } from "../bracketed.ts";
import { yaml } from "./package.ts";
import { yamlNameOf } from "./write.ts";

/** The places of a YAML collection's parts in its text. */

export type Collection = YAMLMap | YAMLSeq;

export interface Ranged {
  readonly range?: readonly [number, number, number] | null;
}

export interface Place {
  readonly from: number;
  readonly to: number;
}

/** Returns the tag that is written before a value. */
export function tagOf(parent: Collection, index: number): string | undefined {
  return (nodeAt(parent, index) as { tag?: string } | undefined)?.tag;
}

/** Returns the value of a field, or an item; undefined for one without a value. */
export function nodeAt(parent: Collection, index: number): Ranged | undefined {
  const item = parent.items[index];
  return ((yaml().isMap(parent) ? (item as Pair | undefined)?.value : item) ?? undefined) as
    | Ranged
    | undefined;
}

/** Returns the places of the items between brackets. */
export function bracketed(parent: Collection): Bracketed | undefined {
  if (!parent.range) return undefined;
  const items: Place[] = [];
  for (const [i, item] of parent.items.entries()) {
    const first = (yaml().isMap(parent) ? (item as Pair).key : item) as Ranged;
    const from = first.range?.[0];
    const to = (nodeAt(parent, i) ?? first).range?.[1];
    if (from === undefined || to === undefined) return undefined;
    items.push({ from, to });
  }
  return { from: parent.range[0] + 1, to: parent.range[1] - 1, items, comment: /^#.*/ };
}

/** Returns the index of a field or item; the number of items when it does not exist. */
export function indexOf(parent: Collection, part: string | number): number {
  if (yaml().isSeq(parent)) return typeof part === "number" ? part : parent.items.length;
  const index = parent.items.findIndex(
    ({ key }) => yamlNameOf(yaml().isScalar(key) ? key.value : key) === part,
  );
  return index < 0 ? parent.items.length : index;
}

/** Returns the start of an item's key or dash. */
export function startOf(parent: Collection, index: number): number | undefined {
  const item = sourceOf(parent, index);
  if (yaml().isSeq(parent)) return item?.start.find(({ type }) => type === "seq-item-ind")?.offset;
  const explicit = item?.start.some(
    ({ type }) => type === "explicit-key-ind" || type === "anchor" || type === "tag",
  );
  return explicit ? undefined : item?.key?.offset;
}

/** Returns the index right after the colon or dash of an item. */
export function markerOf(parent: Collection, index: number): number | undefined {
  const item = sourceOf(parent, index);
  const mark = yaml().isSeq(parent)
    ? item?.start.find(({ type }) => type === "seq-item-ind")
    : item?.sep?.find(({ type }) => type === "map-value-ind");
  return mark && mark.offset + 1;
}

/** Returns the tokens of an item. */
function sourceOf(parent: Collection, index: number): CST.CollectionItem | undefined {
  const token = parent.srcToken;
  if (token === undefined || !("items" in token)) return undefined;
  return token.items.filter(
    ({ key, value, sep, start }) => key ?? value ?? sep ?? start.some(({ type }) => type === "seq-item-ind"),
  )[index];
}
