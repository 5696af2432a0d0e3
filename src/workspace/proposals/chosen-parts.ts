import type { Actor } from "../access/actor.ts";
import { deniedRefusal } from "../access/refusals.ts";
import { levelIncludes } from "../access/rights.ts";
import type { Outcome, Refusal } from "../outcome/refusal.ts";
import { isEdit, type OpenPart, type Operation, openParts, type Part, type Proposal } from "./proposal.ts";
import { hunksOfNoEdit, noSuchFile } from "./refusals.ts";

/** The reviewer's choice of one file's changes. */
export interface ApprovedFile {
  readonly path: string;
  /** The kind of change, for a file that a proposal names twice; without it, all of the file's changes. */
  readonly operation?: "edit" | Operation | undefined;
  /** The numbers of the hunks to apply, as the file's diff counts them; all of them without it. */
  readonly hunks?: readonly number[] | undefined;
  /** The version that the reviewer saw; the approval is refused when the document is at another one. */
  readonly version?: string | undefined;
}

/** The reviewer's choice: files, or the whole proposal; hunks alone are hunks of its only edit. */
export interface ApprovedChoice extends Omit<ApprovedFile, "path" | "operation"> {
  /** The number of unchanged lines around the changes of a hunk, as the reviewer saw the diff. */
  readonly context?: number | undefined;
  readonly files?: readonly ApprovedFile[] | undefined;
}

/** An open part that a reviewer chose. */
export interface ChosenPart extends OpenPart, Omit<ApprovedChoice, "files"> {}

/** Returns the open parts that a reviewer approves; `pathOf` returns the present path of a part. */
export function chosenParts(
  proposal: Proposal,
  { files, hunks, version, context }: ApprovedChoice,
  pathOf: (part: Part) => string,
): Outcome<readonly ChosenPart[]> {
  const open = openParts(proposal);
  if (files === undefined) {
    if (hunks !== undefined && (open.length > 1 || !isEdit(open[0]!.part))) return hunksOfNoEdit(proposal.id);
    return open.map((one) => ({ ...one, hunks, version, context }));
  }
  const chosen = new Map<number, ChosenPart>();
  for (const file of files) {
    const of = open.filter(({ part }) => isMeant(part, file, pathOf));
    if (of.length === 0)
      return noSuchFile(
        proposal.id,
        file.path,
        open.map(({ part }) => pathOf(part)),
      );
    if (file.hunks !== undefined && !of.some(({ part }) => isEdit(part))) return hunksOfNoEdit(proposal.id);
    for (const one of of)
      chosen.set(one.index, { ...one, hunks: file.hunks, version: file.version, context });
  }
  return open.flatMap(({ index }) => chosen.get(index) ?? []);
}

function isMeant(part: Part, { path, operation }: ApprovedFile, pathOf: (part: Part) => string): boolean {
  const isThis = operation === undefined || operation === (isEdit(part) ? "edit" : part.operation);
  return isThis && [pathOf(part), part.path, part.to].includes(path);
}

/** Returns why a reviewer may not approve parts; undefined if they may. */
export function approvalDenied(
  { rights }: Actor,
  parts: readonly OpenPart[],
  pathOf: (part: Part) => string,
): Refusal | undefined {
  for (const { part } of parts)
    for (const path of part.to === undefined ? [pathOf(part)] : [pathOf(part), part.to]) {
      const allowed = rights.permissionAt(path);
      if (!levelIncludes(allowed.level, "write")) return deniedRefusal(path, allowed, "write");
    }
  return undefined;
}
