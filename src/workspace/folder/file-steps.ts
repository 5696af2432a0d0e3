import type { Decoded } from "../../mirror/format.ts";
import { type DocPath, fileNameOf, folderOf } from "../../mirror/path.ts";
import type { BatchMark } from "../../store/store.ts";
import type { Cause } from "../journal/change.ts";
import type { RemovalCheck } from "./removal.ts";

/** A batch's operation on one file. */
export type FileStep = {
  /** The index of the change that the step is, in the caller's order. */
  readonly at: number;
  readonly path: string;
  /** Names the batch. */
  readonly cause: Cause & { readonly batch: BatchMark };
} & (
  | { readonly do: "create"; readonly content: Decoded }
  | {
      readonly do: "remove";
      readonly docId: string;
      readonly check?: RemovalCheck;
    }
  | { readonly do: "restore"; readonly docId: string }
  | Rename
);

interface Rename {
  readonly do: "rename";
  readonly docId: string;
  readonly to: string;
  /** The name that the file has meanwhile, if a step before this one put it aside. */
  readonly via?: string;
}

/** Puts a file aside that another one takes the place of, until a later step renames it. */
export interface Aside {
  readonly do: "aside";
  readonly path: string;
  readonly docId: string;
  readonly to: string;
}

/** A step as it is made, with its index among the steps that were asked for. */
export interface PlacedStep {
  readonly index: number;
  readonly step: FileStep | Aside;
}

/**
 * Returns steps that can be made one after the other. Before a rename to the path of a file that a later step renames,
 * as in a circle, a step puts that file aside. `unique` makes its name unique.
 */
export function placedSteps(steps: readonly FileStep[], unique: string): readonly PlacedStep[] {
  const later = new Map<string, number>();
  for (const [index, step] of steps.entries()) if (step.do === "rename") later.set(step.path, index);
  const aside = new Map<number, string>();
  return steps.flatMap((step, index): PlacedStep[] => {
    if (step.do !== "rename") return [{ index, step }];
    later.delete(step.path);
    const via = aside.get(index);
    const placed: PlacedStep = { index, step: via === undefined ? step : { ...step, via } };
    const there = later.get(step.to);
    const other = there === undefined ? undefined : steps[there];
    if (there === undefined || other?.do !== "rename") return [placed];
    later.delete(step.to);
    const to = nameAside(other.path, unique);
    aside.set(there, to);
    return [{ index: there, step: { do: "aside", path: other.path, docId: other.docId, to } }, placed];
  });
}

/** Returns a name in the same folder that begins and ends as the file's own, so that most rules treat both alike. */
function nameAside(path: string, unique: string): string {
  const [folder, name] = [folderOf(path as DocPath), fileNameOf(path as DocPath)];
  const dot = name.lastIndexOf(".");
  const at = dot > 0 ? dot : name.length;
  return `${folder === "" ? "" : `${folder}/`}${name.slice(0, at)}.moving-${unique}${name.slice(at)}`;
}
