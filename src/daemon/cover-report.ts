import type { CoverStatus } from "../workspace/cover/cover-ports.ts";

/** The state of the cover, with sentences for a person. */
export interface CoverReport extends CoverStatus {
  readonly lines: readonly string[];
}

/** Describes which files the daemon covers, and which not (I16b). */
export function coverReport(status: CoverStatus): CoverReport {
  const { stage, files, bytes, leftOut } = status;
  const covered = `${count(files, "file")} (${size(bytes)})`;
  return {
    ...status,
    lines: [
      stage === "covered"
        ? `The daemon covers ${covered}: it records every change of them, opened or not.`
        : `The daemon is reading the files of the folder: ${covered} so far. It records changes of these files.`,
      ...(leftOut.tooLarge > 0
        ? [`It does not cover ${count(leftOut.tooLarge, "file")} above limits.maxFileBytes.`]
        : []),
      ...(leftOut.overLimit > 0
        ? [`It does not cover ${count(leftOut.overLimit, "file")} beyond cover.maxFiles or cover.maxBytes.`]
        : []),
      ...(leftOut.unsaved > 0
        ? [`It keeps no copy of ${count(leftOut.unsaved, "file")} until the disk has more room.`]
        : []),
      ...(leftOut.unreadable > 0 ? [`It cannot read ${count(leftOut.unreadable, "file or folder")}.`] : []),
    ],
  };
}

function count(number: number, noun: string): string {
  const nouns = noun.replace(/^(\w+)( or (\w+))?$/, (_, one, or, two) => `${one}s${or ? ` or ${two}s` : ""}`);
  // The first number that Node itself writes for a language takes 16 ms, in which a request waits.
  const digits = String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${digits} ${number === 1 ? noun : nouns}`;
}

function size(bytes: number): string {
  if (bytes < 1000) return count(bytes, "byte");
  return bytes < 100_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
