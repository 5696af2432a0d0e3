import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { compose } from "../src/text/delta.ts";
import type { Splice } from "../src/text/splice.ts";
import { Text } from "../src/text/text.ts";
import { typedTrace } from "./made-trace.ts";

/** The patches of one transaction in their order: [position, deleted, inserted], in code points. */
export type Typed = readonly (readonly [number, number, string])[];

/** A recorded history in the format of josephg/editing-traces. */
export interface Recorded {
  readonly startContent: string;
  readonly endContent: string;
  readonly txns: readonly { readonly patches: Typed }[];
}

type Splices = readonly Splice[];

/** A history of edits. Each side gets it in its own unit, so that no conversion is timed. */
export interface Trace {
  readonly name: string;
  readonly start: string;
  readonly end: string;
  /** The splices of each transaction in code points of the text before it. */
  readonly codePoints: readonly Splices[];
  /** The same splices in UTF-16 units. */
  readonly units: readonly Splices[];
}

/**
 * Loads the recorded traces of a folder, or makes one where no folder is given. `most` limits the transactions of each.
 * @throws when the folder has no traces
 */
export function loadTraces(most: number, folder: string | undefined): Trace[] {
  if (folder === undefined) return [prepare("a made-up trace", typedTrace(), most)];
  const files = readdirSync(folder).filter((file) => file.endsWith(".json.gz"));
  if (files.length === 0) throw new Error(`${folder} has no *.json.gz`);
  return files.map((file) => {
    const recorded = JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString()) as Recorded;
    return prepare(file.replace(".json.gz", ""), recorded, most);
  });
}

/** Converts a recorded trace. @throws when a whole trace does not lead to the text that it names as its end */
function prepare(name: string, { startContent, endContent, txns }: Recorded, most: number): Trace {
  let text = Text.of(startContent);
  const codePoints: Splices[] = [];
  const units: Splices[] = [];
  for (const { patches } of txns.slice(0, most)) {
    const splices = patches
      .map(([from, deleted, insert]): Splices => [{ from, to: from + deleted, insert }])
      .reduce(compose, []);
    if (splices.length === 0) continue;
    const unit = (at: number) => text.convert(at, "utf-32", "utf-16")!;
    codePoints.push(splices);
    units.push(splices.map(({ from, to, insert }) => ({ from: unit(from), to: unit(to), insert })));
    text = text.splice(splices);
  }
  const end = text.toString();
  if (txns.length <= most && end !== endContent)
    throw new Error(`${name}: the trace does not lead to its end`);
  return { name, start: startContent, end, codePoints, units };
}
