import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { compose } from "../src/text/delta.ts";
import type { Splice } from "../src/text/splice.ts";
import { Text } from "../src/text/text.ts";
import { typedTrace } from "./made-trace.ts";
import type { Patch } from "./peers/loro.ts";
import { TRACES } from "./places.ts";

/** The patches of one transaction in their order: [position, deleted, inserted], in code points. */
export type Typed = readonly (readonly [number, number, string])[];

/** A recorded history in the format of josephg/editing-traces. */
export interface Recorded {
  readonly startContent: string;
  readonly endContent: string;
  readonly txns: readonly { readonly patches: Typed }[];
}

/** A history of edits, one transaction an item. Both sides get it in their own form, so that no conversion is timed. */
export interface Trace {
  readonly name: string;
  readonly start: string;
  readonly end: string;
  /** In code points of the text before the transaction, for `edit.splice`. */
  readonly splices: readonly (readonly Splice[])[];
  /** In UTF-16 units, each after the patches before it, for Loro. */
  readonly patches: readonly (readonly Patch[])[];
}

/** Loads the recorded traces, or generates one when there are none. `most` limits the transactions of each. */
export function loadTraces(most: number, folder: string = TRACES): Trace[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".json.gz")) : [];
  if (files.length === 0) return [prepare("made-up", typedTrace(), most)];
  return files.map((file) => {
    const recorded = JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString()) as Recorded;
    return prepare(file.replace(".json.gz", ""), recorded, most);
  });
}

/** Converts a recorded trace. @throws when a whole trace does not lead to the text that it names as its end */
function prepare(name: string, { startContent, endContent, txns }: Recorded, most: number): Trace {
  let text = Text.of(startContent);
  const splices: (readonly Splice[])[] = [];
  const patches: Patch[][] = [];
  for (const transaction of txns.slice(0, most)) {
    let all: Splice[] = [];
    const typed: Patch[] = [];
    for (const [from, deleted, insert] of transaction.patches) {
      const splice = { from, to: from + deleted, insert };
      const at = text.convert(from, "utf-32", "utf-16")!;
      typed.push({ at, remove: text.convert(splice.to, "utf-32", "utf-16")! - at, insert });
      all = compose(all, [splice]);
      text = text.splice([splice]);
    }
    if (all.length > 0) splices.push(all);
    patches.push(typed);
  }
  const end = text.toString();
  if (txns.length <= most && end !== endContent)
    throw new Error(`${name}: the trace does not lead to its end`);
  return { name, start: startContent, end, splices, patches };
}
