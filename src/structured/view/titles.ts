import { type Attempt, StructureFailure } from "../failure.ts";
import { keyName } from "../toml/scan.ts";
import { writeKey } from "../toml/write.ts";
import { codeSpan, inCode } from "./notation.ts";

const WORDS = /^[\p{L}\p{N}-]+(?:_[\p{L}\p{N}-]+)*$/u;
const ELEMENT = /^(.*) \[(\d+)\]$/s;

/** Returns the titles of a table's keys: `full_name` is Full Name. An ambiguous key appears in backticks instead. */
export function titlesOf(keys: readonly string[]): Map<string, string> {
  const shared = new Map<string, number>();
  for (const key of keys) shared.set(plainTitle(key), (shared.get(plainTitle(key)) ?? 0) + 1);
  return new Map(
    keys.map((key) => {
      const title = plainTitle(key);
      const clear = WORDS.test(key) && shared.get(title) === 1;
      return [key, clear ? title : codeSpan(writeKey([key]))];
    }),
  );
}

/** A key and, for one element of an array of tables, its number from 1. */
interface Named {
  readonly key: string;
  readonly element: number | undefined;
}

/** The keys of a table by their titles, and the plain titles that several keys share. */
interface Known {
  readonly keys: ReadonlyMap<string, string>;
  readonly shared: ReadonlySet<string>;
}

export function knownTitles(titles: ReadonlyMap<string, string>): Known {
  const plain = new Set<string>();
  const shared = new Set<string>();
  for (const key of titles.keys()) {
    const title = plainTitle(key);
    if (plain.has(title)) shared.add(title);
    plain.add(title);
  }
  return { keys: new Map([...titles].map(([key, title]) => [title, key])), shared };
}

/** Returns the key of a title: an existing key of the table, or else a new one. */
export function keyOfTitle(title: string, known: Known, line: number): Attempt<Named> {
  const [, name = title, number] = ELEMENT.exec(title) ?? [];
  const element = number === undefined ? undefined : Number(number);
  const existing = known.keys.get(name);
  if (existing !== undefined) return { key: existing, element };
  const code = inCode(name);
  const key = code === undefined ? name.toLowerCase().replaceAll(/[ \t]+/g, "_") : keyName(code);
  const clear = code !== undefined || (WORDS.test(key!) && !known.shared.has(name));
  if (key !== undefined && clear) return { key, element };
  return new StructureFailure(
    "invalid_value",
    `the title ${JSON.stringify(title)} does not identify one key`,
    {
      line,
      suggestion: 'Write the key itself between backticks, quoted as in TOML: ## `"the key"`.',
    },
  );
}

function plainTitle(key: string): string {
  return key
    .split("_")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(" ");
}
