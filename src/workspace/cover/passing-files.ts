import type { Clock } from "../../mirror/clock.ts";
import { fileBeside } from "../../mirror/editors/editor-files.ts";
import { type Files, isFileProblem } from "../../mirror/files.ts";
import { type DocPath, fileNameOf, folderOf } from "../../mirror/path.ts";
import type { CoverPorts } from "./cover-ports.ts";
import { isTemporaryName, STAYS_MS } from "./habits.ts";

/** Returns true for the path of a backup, a lock or a swap file whose own file is beside it. */
function isBackup(files: Files, path: DocPath): boolean {
  const folder = folderOf(path);
  const file = fileBeside(fileNameOf(path));
  const own = folder === "" ? file : `${folder}/${file}`;
  return file !== undefined && !isFileProblem(files.look(own as DocPath));
}

/** Returns true for the path of a backup beside its own file, and of a file that a program made for a moment just now. */
export function isPassing(files: Files, clock: Clock, path: DocPath, ctimeNs: bigint): boolean {
  return isTemporaryName(fileNameOf(path)) && (isBackup(files, path) || isYoung(clock, ctimeNs));
}

function isYoung(clock: Clock, ctimeNs: bigint): boolean {
  const age = clock.now() - Number(ctimeNs / 1_000_000n);
  // A clock that was set back must not exclude a file for long.
  return age < STAYS_MS && age >= -STAYS_MS;
}

/**
 * Excludes files from the cover that programs make for a moment while they save another file. The cover looks again at
 * such a file after its time, and then treats it as any other file. It always excludes a backup beside its file, which
 * is opened only by name.
 */
export class PassingFiles {
  readonly #ports: Pick<CoverPorts, "files" | "clock" | "report">;
  readonly #lookAgain: (path: DocPath) => void;
  readonly #waiting = new Set<DocPath>();
  readonly #closed = new AbortController();

  constructor(ports: Pick<CoverPorts, "files" | "clock" | "report">, lookAgain: (path: DocPath) => void) {
    this.#ports = ports;
    this.#lookAgain = lookAgain;
  }

  /** Returns true for a file that the cover excludes, for now or always. */
  has(path: DocPath, ctimeNs: bigint): boolean {
    const { files, clock } = this.#ports;
    if (!isPassing(files, clock, path, ctimeNs)) return false;
    if (isYoung(clock, ctimeNs) && !this.#waiting.has(path)) void this.#wait(path);
    return true;
  }

  close(): void {
    this.#closed.abort();
  }

  async #wait(path: DocPath): Promise<void> {
    this.#waiting.add(path);
    await this.#ports.clock.sleep(STAYS_MS, this.#closed.signal);
    this.#waiting.delete(path);
    if (this.#closed.signal.aborted) return;
    try {
      this.#lookAgain(path);
    } catch (error) {
      this.#ports.report("cover.failed", { path, reason: String(error) });
    }
  }
}
