import type { FileReader } from "../../mirror/disk/reader.ts";
import { isFileProblem } from "../../mirror/files.ts";
import { decode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import { Exhausted } from "../../text/find/counted-text.ts";
import { type FoundLine, type LineFinder, type LineQuery, lineFinder } from "../../text/find/find-lines.ts";
import type { PatternFailure } from "../../text/find/regex.ts";

/** A document to search: its text if it is in memory, otherwise its file. */
export interface SearchedFile {
  readonly path: DocPath;
  readonly text?: string;
  /** Only lines after this one; 0 for all. */
  readonly afterLine: number;
}

/** Documents to search in one turn. It is plain data, so that a thread can receive it. */
export interface SearchJob {
  readonly query: LineQuery;
  readonly files: readonly SearchedFile[];
  /** The lines to show before and after each match. */
  readonly context: number;
  readonly most: number;
  readonly maxFileBytes: number;
}

export interface FileMatch extends FoundLine {
  readonly path: DocPath;
}

export interface SearchResult {
  readonly matches: readonly FileMatch[];
  /** The number of files that were searched whole. The next one was searched up to the last match at most. */
  readonly searched: number;
  /** The files in which the regex needs too many steps. */
  readonly tooLong: readonly DocPath[];
}

/** Milliseconds after which a job ends with the results that it has; it searches one file at least. */
const SLICE_MS = 100;

/** Searches documents in their order, until there are enough matches or the time is over. */
export async function searchFiles(
  files: FileReader,
  { query, files: wanted, context, most, maxFileBytes }: SearchJob,
): Promise<SearchResult | PatternFailure> {
  const began = performance.now();
  const find = lineFinder(query);
  if (typeof find !== "function") return find;
  const matches: FileMatch[] = [];
  const tooLong: DocPath[] = [];
  let searched = 0;
  for (const { path, text: loaded, afterLine } of wanted) {
    const text = loaded ?? (await textOf(files, path, maxFileBytes));
    const lines = { context, afterLine, most: most - matches.length };
    const found = text === undefined ? NOTHING : search(find, text, lines);
    if (found === undefined) tooLong.push(path);
    for (const match of found?.found ?? []) matches.push({ path, ...match });
    if (found?.more) break;
    searched++;
    if (performance.now() - began > SLICE_MS) break;
  }
  return { matches, searched, tooLong };
}

const NOTHING = { found: [], more: false };

/** Returns the text of a file; undefined for a file that cannot be read or is no text. */
async function textOf(files: FileReader, path: DocPath, maxFileBytes: number): Promise<string | undefined> {
  const reading = await files.read(path, maxFileBytes);
  return isFileProblem(reading) ? undefined : decode(reading.bytes)?.text.toString();
}

/** Searches one text; returns undefined when the regex needs too many steps in it. */
function search(
  find: LineFinder,
  text: string,
  options: Parameters<LineFinder>[1],
): ReturnType<LineFinder> | undefined {
  try {
    return find(text, options);
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    return undefined;
  }
}
