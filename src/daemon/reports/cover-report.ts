import type { Rights } from "../../workspace/access/rights.ts";
import type { CoverStatus } from "../../workspace/cover/cover-ports.ts";

type Counts = Pick<CoverStatus, "files" | "bytes" | "leftOut">;

/** The state of the cover, with sentences for a person. */
export interface CoverReport extends Pick<CoverStatus, "stage" | "unread">, Partial<Counts> {
  readonly lines: readonly string[];
}

/**
 * Describes which files the daemon covers, and which not (I16b). The numbers count all files, so only a caller who sees
 * every file gets them (RI7). Any other caller gets the stage, and of the files that cannot be read those that it may see.
 */
export function coverReport(status: CoverStatus, asking: Rights | undefined): CoverReport {
  if (asking?.seesEverything) return { ...status, lines: linesOf(status) };
  const { stage, unread } = status;
  const line =
    stage === "covered"
      ? "The daemon covers the files of the folder: it records every change of them, opened or not."
      : "The daemon is reading the files of the folder. It records changes of the files that it has read.";
  return { stage, unread: unread.filter((path) => asking?.allows(path, "read")), lines: [line] };
}

function linesOf({ stage, files, bytes, leftOut }: CoverStatus): string[] {
  const covered = `${count(files, "file")} (${size(bytes)})`;
  return [
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
  ];
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
