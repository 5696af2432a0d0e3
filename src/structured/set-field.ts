import { compose } from "../text/delta.ts";
import { hasLostNumber } from "../text/exact-json.ts";
import { countChars } from "../text/positions.ts";
import type { Splice } from "../text/splice.ts";
import { at, type Data, equal, isList, type Json, type Key, Stamp, spell, withField } from "./data.ts";
import { applied, hasMixedBreaks, type IndexEdit, lineBreak, toSplices } from "./edits.ts";
import { type Attempt, StructureFailure } from "./failure.ts";
import type { Format, Structured } from "./format.ts";
import { formatOf } from "./formats.ts";
import type { Slice } from "./slice.ts";
import { stepsTo } from "./steps.ts";

/** The largest document to parse, in UTF-16 units. A longer parse would block other clients (I14). */
const MOST_UNITS = 1 << 20;
/** The most text parsed again for all steps of one edit together, in UTF-16 units. */
const MOST_WORK = 4 << 20;
const MOST_STEPS = 5000;
/** The deepest nesting of documents and values. */
const MOST_DEPTH = 200;

/** An edited text, and the splices (code points) that lead to it. */
export interface Edited {
  readonly text: string;
  readonly splices: readonly Splice[];
}

/**
 * Sets one field of a TOML, JSON or YAML document and leaves every other byte unchanged. It parses the result before
 * returning it: if the data is not exactly the wanted data, the edit is refused.
 */
export function setField(text: string, path: string, key: Key, value: Json): Attempt<Edited> {
  const format = formatOf(path);
  if (format instanceof StructureFailure) return format;
  if (depthOf(value) > MOST_DEPTH)
    return new StructureFailure("invalid_value", `the value is nested more than ${MOST_DEPTH} levels deep`);
  if (hasLostNumber(value))
    return new StructureFailure(
      "invalid_value",
      "a number of the value would change: it has too many digits, is beyond 1.7e308, or is nearer to 0 than 5e-324",
      {
        suggestion: "Give it as a string, or with fewer digits.",
      },
    );
  // A part does not show the break of its last line, which decides the break of a new one.
  const isWhole = text.length > MOST_UNITS || hasMixedBreaks(text);
  const slice = isWhole ? undefined : format.slice(text, key, value);
  return (slice && setInSlice(format, text, slice, value)) ?? setIn(format, text, key, value, text);
}

/** Sets one field of a part of a text; undefined where the whole has to be read. */
function setInSlice(
  format: Format,
  text: string,
  { from, to, key, lead }: Slice,
  value: Json,
): Edited | undefined {
  const edited = setIn(format, lead + text.slice(from, to), key, value, text);
  if (edited instanceof StructureFailure || !edited.text.startsWith(lead)) return undefined;
  const chars = countChars(text.slice(0, from)) - countChars(lead);
  return {
    text: text.slice(0, from) + edited.text.slice(lead.length) + text.slice(to),
    splices: edited.splices.map((each) => ({ ...each, from: each.from + chars, to: each.to + chars })),
  };
}

/** Sets one field of a text, which is `whole` or a part of it. */
export function setIn(format: Format, text: string, key: Key, value: Json, whole: string): Attempt<Edited> {
  const document = read(format, text, whole);
  if (document instanceof StructureFailure) return document;
  const adopted = format.adopt(value, likeness(document.data, key), key);
  if (adopted instanceof StructureFailure) return adopted;
  const wanted = withField(withoutNull(document.data, key), key, adopted);
  if (wanted instanceof StructureFailure) return wanted;
  return editTo(format, text, document, wanted, whole);
}

/**
 * Parses a document, if its size and depth are within the limits. Later edits of it follow the style of `whole`, the text
 * that it is a part of or was before.
 */
export function read(format: Format, text: string, whole = text): Attempt<Structured> {
  if (text.length > MOST_UNITS)
    return new StructureFailure(
      "too_large",
      `this ${format.name} document is too large to set a field; the limit is ${MOST_UNITS >> 20} Mi characters`,
      {
        suggestion: "Use edit.replace or edit.patch.",
      },
    );
  if (whole.startsWith("\ufeff"))
    return new StructureFailure(
      "invalid_document",
      `this is not valid ${format.name}: the file begins with two byte order marks`,
      { line: 1, suggestion: "Remove the second one in an editor that shows it, or write the whole text." },
    );
  const deep = new StructureFailure(
    "invalid_document",
    `the document is nested more than ${MOST_DEPTH} levels deep`,
  );
  try {
    const document = format.read(text, lineBreak(whole), whole);
    return !(document instanceof StructureFailure) && depthOf(document.data) > MOST_DEPTH ? deep : document;
  } catch (error) {
    // The parsers have no depth limit of their own and run out of stack.
    if (error instanceof RangeError) return deep;
    throw error;
  }
}

/** Returns the edit that turns the document's data into `wanted`, in as many steps as needed. */
export function editTo(
  format: Format,
  text: string,
  document: Structured,
  wanted: Data,
  whole = text,
): Attempt<Edited> {
  let now = text;
  let splices: readonly Splice[] = [];
  const steps = stepsTo(document, wanted);
  // Replaced values do not overlap, and no replacement changes the meaning of a key, so all happen at once.
  const batches = [
    steps.filter(({ kind }) => kind === "replace"),
    ...steps.filter(({ kind }) => kind !== "replace").map((step) => [step]),
  ];
  if (steps.length > MOST_STEPS || (batches.length > 2 && batches.length * text.length > MOST_WORK))
    return new StructureFailure(
      "too_large",
      `${steps.length} changes at once are too many for a document of this size`,
      {
        suggestion: "Split them into several edits, or use edit.patch.",
      },
    );
  let reread = document;
  for (const batch of batches) {
    const [first] = batch;
    if (first === undefined) continue;
    const edits: IndexEdit[] = [];
    for (const step of batch) {
      const stepEdits = reread.step(step);
      if (stepEdits instanceof StructureFailure) return stepEdits;
      edits.push(...stepEdits);
    }
    const next = applied(now, edits);
    const after = read(format, next, whole);
    if (after instanceof StructureFailure) return notCarried(first.key);
    splices = compose(splices, toSplices(now, edits));
    now = next;
    reread = after;
  }
  if (!equal(reread.data, wanted)) return notCarried(steps[0]?.key ?? []);
  return { text: now, splices };
}

/** Returns the current value at a key; for a new item of a list, the item before it. */
function likeness(data: Data, key: Key): Data | undefined {
  const list = at(data, key.slice(0, -1));
  return at(data, key) ?? (isList(list) ? list.at(-1) : undefined);
}

/** Returns undefined for an empty YAML document, which has no object yet for the first field. */
function withoutNull(data: Data, key: Key): Data | undefined {
  return data === null && key.length > 0 ? undefined : data;
}

function notCarried(key: Key): StructureFailure {
  return new StructureFailure(
    "not_carried",
    `${spell(key)} cannot be set here without changing something else; nothing was changed`,
    {
      suggestion: "Edit the text itself with edit.replace or edit.patch.",
    },
  );
}

function depthOf(value: Json | Data): number {
  let depth = 0;
  for (let level: unknown[] = [value]; level.length > 0 && depth <= MOST_DEPTH; depth++)
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? partsOf(item) : []));
  return depth;
}

function partsOf(value: object): unknown[] {
  if (value instanceof Map) return [...value.values()];
  return value instanceof Stamp ? [] : Object.values(value);
}
