import type { Key } from "../data.ts";
import type { IndexEdit } from "../edits.ts";
import { type KeyPart, keyOf, type TomlPair } from "./scan.ts";
import { type Placed, startsWith } from "./tree.ts";
import { writeKey } from "./write.ts";

/** Returns the edits that rename a key everywhere in valid TOML: in headers, before dots, in inline tables. */
export function renameKey(statements: readonly Placed[], key: Key, name: string): IndexEdit[] {
  const parts = statements.flatMap((placed) => {
    if (placed.kind === "pair")
      return startsWith(key, placed.section) ? partsIn(placed, key.slice(placed.section.length)) : [];
    const depth = key.filter((part) => typeof part === "string").length;
    return startsWith(placed.path, key) ? [placed.keys[depth - 1]!] : [];
  });
  return parts.map(({ from, to }) => ({ from, to, insert: writeKey([name]) }));
}

function partsIn(pair: TomlPair, key: Key): KeyPart[] {
  const names = keyOf(pair);
  if (key.length === 0) return [];
  if (startsWith(names, key)) return [pair.keys[key.length - 1]!];
  if (!startsWith(key, names)) return [];
  let value = pair.value;
  let rest = key.slice(names.length);
  for (; value.kind === "array" && value.items[Number(rest[0])]; rest = rest.slice(1))
    value = value.items[Number(rest[0])]!;
  return value.kind === "inline" ? value.pairs.flatMap((inner) => partsIn(inner, rest)) : [];
}
