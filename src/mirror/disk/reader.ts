import type { FileProblem, FileReading, Files, FolderList, Skip } from "../files.ts";
import type { DocPath } from "../path.ts";
import { Beneath } from "./beneath.ts";
import { openToRead, readSteadily } from "./reading.ts";
import { listFolder } from "./walk.ts";

/** The part of `Files` that a thread needs which only lists and reads. */
export type FileReader = Pick<Files, "list" | "read" | "close">;

/** Opens a workspace folder to list and read it, with the checks of the sandbox (I12). @throws when it cannot be opened */
export function openReader(root: string): FileReader {
  return new Reader(root);
}

class Reader implements FileReader {
  readonly #beneath: Beneath;

  constructor(root: string) {
    this.#beneath = new Beneath(root);
  }

  list(folder: string, skip: Skip): Promise<FolderList | FileProblem> {
    return listFolder(this.#beneath, folder, skip);
  }

  async read(path: DocPath, maxBytes: number): Promise<FileReading | FileProblem> {
    const fd = this.#beneath.within(path, openToRead);
    return typeof fd === "number" ? readSteadily(fd, path, maxBytes) : fd;
  }

  close(): void {
    this.#beneath.close();
  }
}
