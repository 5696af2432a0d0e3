import { type Attempt, StructureFailure } from "./failure.ts";

/** A date or time of TOML, in its spelling. */
export class Stamp {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The content of a document, apart from its spelling. Objects are maps, so that any key is an ordinary key. */
export type Data = string | number | bigint | boolean | null | Stamp | readonly Data[] | DataMap;
export type DataMap = ReadonlyMap<string, Data>;

/** A value as it comes over the wire; a whole number that a double would round is a bigint. */
export type Json =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly Json[]
  | {
      readonly [key: string]: Json;
    };

/** The place of a field: keys of objects, indexes of lists. */
export type Key = readonly (string | number)[];

export function isMap(data: Data | undefined): data is DataMap {
  return data instanceof Map;
}

export function isList(data: Data | undefined): data is readonly Data[] {
  return Array.isArray(data);
}

export function fromJson(value: Json): Data {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value === "object" && value !== null)
    return new Map(Object.entries(value).map(([key, item]) => [key, fromJson(item)]));
  return value as string | number | bigint | boolean | null;
}

export function equal(a: Data | undefined, b: Data | undefined): boolean {
  if (a instanceof Stamp) return b instanceof Stamp && a.text === b.text;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => equal(item, b[i] as Data));
  if (isMap(a))
    return (
      isMap(b) && a.size === b.size && [...a].every(([key, item]) => b.has(key) && equal(item, b.get(key)))
    );
  return a === b || (typeof a === "number" && Object.is(a, b));
}

/** Returns the data at a key; undefined when the key leads nowhere. */
export function at(data: Data, key: Key): Data | undefined {
  let here: Data | undefined = data;
  for (const part of key) {
    if (typeof part === "number") here = isList(here) ? here[part] : undefined;
    else here = isMap(here) ? here.get(part) : undefined;
    if (here === undefined) return undefined;
  }
  return here;
}

/** Returns the data with one field set. It creates missing objects on the path, and a list's next item. */
export function withField(data: Data | undefined, key: Key, value: Data, done: Key = []): Attempt<Data> {
  const [part, ...rest] = key;
  if (part === undefined) return value;
  const here = [...done, part];
  if (typeof part === "number") {
    const list = data ?? [];
    if (!isList(list)) return wrongKind(data!, here);
    if (part > list.length)
      return new StructureFailure(
        "no_such_field",
        `${spell(done)} has ${list.length} items; there is no item ${part}`,
        { suggestion: `Items count from 0; ${list.length} appends one.` },
      );
    const item = withField(list[part], rest, value, here);
    return item instanceof StructureFailure ? item : list.toSpliced(part, 1, item);
  }
  const map = data ?? new Map<string, Data>();
  if (!isMap(map)) return wrongKind(data!, here);
  const item = withField(map.get(part), rest, value, here);
  return item instanceof StructureFailure ? item : new Map(map).set(part, item);
}

/** Returns a key as messages show it. */
export function spell(key: Key): string {
  if (key.length === 0) return "the document";
  return key.reduce<string>((path, part) => {
    if (typeof part === "number") return `${path}[${part}]`;
    const name = /^[\w-]+$/.test(part) ? part : JSON.stringify(part);
    return path === "" ? name : `${path}.${name}`;
  }, "");
}

/** Returns the kind of some data, as messages name it. */
function dataKindOf(data: Data): string {
  if (data === null) return "null";
  if (data instanceof Stamp) return "a date or time";
  if (isList(data)) return `a list of ${data.length}`;
  if (isMap(data)) return "an object";
  if (typeof data === "boolean" || typeof data === "string") return `a ${typeof data}`;
  return "a number";
}

function wrongKind(data: Data, key: Key): StructureFailure {
  const parent = spell(key.slice(0, -1));
  const wanted = typeof key.at(-1) === "number" ? "item" : "field";
  const hint =
    isMap(data) || isList(data)
      ? "Numbers name items of lists, strings name fields of objects."
      : `Set ${parent} to an object or list first.`;
  return new StructureFailure(
    "no_such_field",
    `${parent} is ${dataKindOf(data)}; it has no ${wanted} ${JSON.stringify(key.at(-1))}`,
    {
      suggestion: hint,
    },
  );
}
