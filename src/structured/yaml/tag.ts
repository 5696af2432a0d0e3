import { type Data, isList, isMap } from "../data.ts";

const CORE = "tag:yaml.org,2002:";

/** The values that the tags of YAML's core schema stand for. */
const VALUES: Readonly<Record<string, (value: Data) => boolean>> = {
  str: (value) => typeof value === "string",
  int: (value) => typeof value === "bigint",
  float: (value) => typeof value === "number" || typeof value === "bigint",
  bool: (value) => typeof value === "boolean",
  null: (value) => value === null,
  seq: isList,
  map: isMap,
};

/** Returns true for a value that a written tag, such as `!!int`, contradicts; tags of other schemas say nothing. */
export function contradicts(tag: string | undefined, value: Data): boolean {
  if (tag === undefined || !tag.startsWith(CORE)) return false;
  return VALUES[tag.slice(CORE.length)]?.(value) !== true;
}
