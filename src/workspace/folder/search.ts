import type { Listed } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { LineQuery } from "../../text/find/find-lines.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { patternRefusal } from "../planners/regex.ts";
import type { FileMatch, SearchedFile } from "../search/search-files.ts";
import type { WorkOwner } from "../workers/workers.ts";
import type { Workspace } from "./workspace.ts";

/** A place in a search: the text up to this line of this document was searched; without a line, the whole document. */
export interface SearchPlace {
  readonly path: string;
  readonly line?: number | undefined;
}

export interface SearchOptions {
  readonly query: LineQuery;
  /** Returns true for a path to search. */
  readonly wanted: (path: string) => boolean;
  readonly context: number;
  readonly limit: number;
  readonly after: SearchPlace | undefined;
}

export interface SearchPage {
  readonly matches: readonly FileMatch[];
  /** True when documents may be left to search; `next` is where to continue. */
  readonly more: boolean;
  readonly next: SearchPlace | null;
  readonly tooLong: readonly string[];
}

/** The files and the bytes that one job searches. */
const FILES_AT_ONCE = 200;
const BYTES_AT_ONCE = 4 << 20;
/** Milliseconds after which the first page ends if it has matches, and after which every page ends (I14). */
const FIRST_PAGE_MS = 150;
const LONGEST_PAGE_MS = 1_000;
/** The most UTF-16 units of lines in one page. */
const PAGE_UNITS = 1 << 20;

/**
 * Searches the documents in the order of the walk: those in memory as they are there, the others in their files. A
 * thread reads and searches; the page ends when it has enough matches, or when its time is over.
 */
export async function search(
  workspace: Workspace,
  owner: WorkOwner,
  { query, wanted, context, limit, after }: SearchOptions,
): Promise<Outcome<SearchPage>> {
  const { clock, surveyor, files, ignored } = workspace.ports;
  const { maxFileBytes } = workspace.limits;
  const began = clock.elapsed();
  const matches: FileMatch[] = [];
  const tooLong: string[] = [];
  let units = 0;
  let next: SearchPlace | undefined = after;
  const isOver = () => {
    const ms = clock.elapsed() - began;
    // Each page walks past the documents of the pages before it, so many short pages would take longer.
    const isSoon = after === undefined && matches.length > 0;
    return matches.length >= limit || units > PAGE_UNITS || ms > (isSoon ? FIRST_PAGE_MS : LONGEST_PAGE_MS);
  };
  ignored.refresh();
  const skip = (path: string, isFolder: boolean) =>
    isBefore(path, isFolder, after) || ignored.skips(path, isFolder) || (!isFolder && !wanted(path));
  for await (const { batch, isLast } of batches(files.walk(skip), maxFileBytes)) {
    let rest = batch.map(({ path }) => searchedFile(workspace, path, after));
    while (rest.length > 0) {
      const most = limit - matches.length;
      const found = await surveyor.search(owner, { query, files: rest, context, most, maxFileBytes });
      if (isRefusal(found)) return found;
      if ("failed" in found) return patternRefusal(found, query.query, "query");
      matches.push(...found.matches);
      tooLong.push(...found.tooLong);
      units = found.matches.reduce((sum, match) => sum + unitsOf(match), units);
      const last = found.matches.at(-1);
      const whole = rest[found.searched - 1]?.path;
      const isCut = last !== undefined && last.path === rest[found.searched]?.path;
      if (isCut) next = { path: last.path, line: last.line };
      else if (whole !== undefined) next = { path: whole };
      rest = rest.slice(found.searched);
      const isAll = isLast && rest.length === 0;
      if (isCut || (isOver() && !isAll)) return { matches, more: true, next: next ?? null, tooLong };
    }
  }
  return { matches, more: false, next: null, tooLong };
}

function searchedFile(workspace: Workspace, path: DocPath, after: SearchPlace | undefined): SearchedFile {
  const afterLine = path === after?.path ? (after.line ?? 0) : 0;
  const document = workspace.loadedAt(path);
  const isUsable = document !== undefined && !document.deleted && document.mirror.problem === undefined;
  return isUsable ? { path, afterLine, text: document.text.toString() } : { path, afterLine };
}

/** Files for jobs one after the other. */
interface Batch {
  readonly batch: readonly Listed[];
  /** True when no file comes after it; where the walk has more to list, that is not known yet. */
  readonly isLast: boolean;
}

/** Collects files into jobs. Larger files than the limit are no documents. */
async function* batches(walk: AsyncIterable<Listed>, maxFileBytes: number): AsyncGenerator<Batch> {
  let batch: Listed[] = [];
  let bytes = 0;
  // The first results come soon if the first jobs are small.
  let most = 10;
  for await (const listed of walk) {
    if (listed.image.size > maxFileBytes) continue;
    bytes += listed.image.size;
    if (batch.push(listed) < most && bytes < BYTES_AT_ONCE) continue;
    yield { batch, isLast: false };
    batch = [];
    bytes = 0;
    most = Math.min(2 * most, FILES_AT_ONCE);
  }
  if (batch.length > 0) yield { batch, isLast: true };
}

/** Returns true for a path that a search has passed, in the order of the walk: by names, folder by folder. */
function isBefore(path: string, isFolder: boolean, after: SearchPlace | undefined): boolean {
  if (after === undefined) return false;
  if (path === after.path) return after.line === undefined;
  if (isFolder && after.path.startsWith(`${path}/`)) return false;
  const [names, passed] = [path.split("/"), after.path.split("/")];
  const differ = names.findIndex((name, i) => name !== passed[i]);
  return differ >= 0 && names[differ]! < (passed[differ] ?? "");
}

function unitsOf({ text, before, after }: FileMatch): number {
  return [text, ...before, ...after].reduce((sum, line) => sum + line.length, 0);
}
