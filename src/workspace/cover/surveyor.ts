import type { FileReader } from "../../mirror/disk/reader.ts";
import { type FileProblem, type Image, isFileProblem } from "../../mirror/files.ts";
import { decode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { IgnoreRules } from "../../paths/ignore-rules.ts";
import type { Content, Inventory } from "../../store/baselines.ts";
import { contentOf } from "../../store/content.ts";
import type { PatternFailure } from "../../text/find/regex.ts";
import type { Outcome } from "../outcome/refusal.ts";
import { type SearchJob, type SearchResult, searchFiles } from "../search/search-files.ts";
import type { WorkOwner } from "../workers/workers.ts";
import { type Comparison, compareFolder } from "./inventory.ts";

/** A file as the surveyor read it. */
export type SurveyedFile =
  | { readonly is: "text"; readonly path: DocPath; readonly image: Image; readonly content: Content }
  | { readonly is: "binary"; readonly path: DocPath; readonly image: Image }
  | { readonly is: "unread"; readonly path: DocPath; readonly problem: FileProblem };

/** A folder to list, and the inventory of its files. */
export interface KnownFolder {
  /** "" is the root. */
  readonly folder: string;
  /** The inventory; without one, every file differs. */
  readonly inventory?: Inventory | undefined;
}

/** A folder as the surveyor found it: its subfolders, and its files beside its inventory. */
export type SurveyedFolder = { readonly folder: string } & (
  | ({ readonly folders: readonly DocPath[] } & Comparison)
  | { readonly problem: FileProblem }
);

/**
 * Lists, reads and searches many files beside the daemon's own thread. This is a port: the daemon implements it with
 * threads.
 */
export interface Surveyor {
  /** Lists folders without their subfolders' content. A file of more than `maxBytes` bytes is no document. */
  list(folders: readonly KnownFolder[], maxBytes: number): Promise<readonly SurveyedFolder[]>;
  /** Reads whole files of up to `maxBytes` bytes each. */
  read(paths: readonly DocPath[], maxBytes: number): Promise<readonly SurveyedFile[]>;
  /** Searches documents, beside the work for the cover. It refuses a search that would wait in too long a queue. */
  search(owner: WorkOwner, job: SearchJob): Promise<Outcome<SearchResult | PatternFailure>>;
  close(): Promise<void>;
}

/** Returns a surveyor that works in this thread; the caller closes the files. */
export function surveyorOf(files: FileReader, ignored: IgnoreRules): Surveyor {
  return {
    list: async (folders, maxBytes) => {
      const found: SurveyedFolder[] = [];
      ignored.refresh();
      for (const { folder, inventory } of folders) {
        const list = await files.list(folder, ignored.skips);
        if (isFileProblem(list)) found.push({ folder, problem: list });
        else found.push({ folder, folders: list.folders, ...compareFolder(list.files, inventory, maxBytes) });
      }
      return found;
    },
    read: async (paths, maxBytes) => {
      const read: SurveyedFile[] = [];
      for (const path of paths) read.push(await readFile(files, path, maxBytes));
      return read;
    },
    search: (_owner, job) => searchFiles(files, job),
    close: async () => {},
  };
}

async function readFile(files: FileReader, path: DocPath, maxBytes: number): Promise<SurveyedFile> {
  const reading = await files.read(path, maxBytes);
  if (isFileProblem(reading)) return { is: "unread", path, problem: reading };
  const { image, bytes } = reading;
  return decode(bytes) === undefined
    ? { is: "binary", path, image }
    : { is: "text", path, image, content: contentOf(bytes) };
}
