import type { ProposalFile } from "../../../client/browser.ts";
import type { Params } from "../../../protocol/schemas/schemas.ts";

type Hunk = ProposalFile["hunks"][number];

/** The person's choice of one file's changes. */
export type ApprovedFile = NonNullable<Params<"proposal.approve">["files"]>[number];

/** A change that the person includes or excludes: a hunk of a file, or a file as a whole. */
export interface ChangeUnit {
  /** Stays the same when the document changes. */
  readonly name: string;
  /** The index of the file. */
  readonly file: number;
  /** The number of the hunk; undefined for the whole file. */
  readonly hunk: number | undefined;
}

/** Returns the changes of pending files: each hunk of a file with several, and any other file as a whole. */
export function unitsOf(files: readonly ProposalFile[]): ChangeUnit[] {
  return files.flatMap(({ path, operation, status, hunks }, file): ChangeUnit[] => {
    if (status !== "pending") return [];
    if (hunks.length < 2) return [{ name: `${operation} ${path}`, file, hunk: undefined }];
    const names = hunkNames(hunks);
    return hunks.map(({ number }, i) => ({ name: `${path} ${names[i]}`, file, hunk: number }));
  });
}

/** Returns the files of the included changes, as an approval names them. */
export function approvedFiles(
  files: readonly ProposalFile[],
  included: readonly ChangeUnit[],
): ApprovedFile[] {
  return files.flatMap(({ path, operation, version, hunks }, file) => {
    const units = included.filter((unit) => unit.file === file);
    if (units.length === 0) return [];
    const numbers = units.flatMap(({ hunk }) => hunk ?? []);
    return {
      path,
      operation: kindOf(operation),
      ...(numbers.length > 0 && numbers.length < hunks.length && { hunks: numbers }),
      ...(version !== null && { version }),
    };
  });
}

function kindOf(operation: ProposalFile["operation"]): NonNullable<ApprovedFile["operation"]> {
  return operation === "create" || operation === "delete" || operation === "rename" ? operation : "edit";
}

/**
 * Returns a name for each hunk, made of its changed lines. The person's choice stays valid when the document changes,
 * although line numbers and context change. Equal hunks get a number.
 */
export function hunkNames(hunks: readonly Hunk[]): string[] {
  const seen = new Map<string, number>();
  return hunks.map(({ diff }) => {
    const [, ...lines] = diff.split("\n");
    const changed = lines.filter((line) => /^[-+]/.test(line)).join("\n");
    const count = (seen.get(changed) ?? 0) + 1;
    seen.set(changed, count);
    return `${count} ${changed}`;
  });
}

/** Returns a set with the member added, or removed if it was there. */
export function toggleMember<T>(set: ReadonlySet<T>, member: T): ReadonlySet<T> {
  const out = new Set(set);
  if (!out.delete(member)) out.add(member);
  return out;
}
