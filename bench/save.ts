import { createHash } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { markerLine } from "./texts.ts";

/** One file that an editor saves over and over, a marker moving on by one. */
export class SavedFile {
  readonly path: string;
  readonly #before: string;
  readonly #after: string;
  readonly #byRename: boolean;
  #at = 0;

  /** Writes the file; `text` holds the first marker. */
  constructor(path: string, text: string, byRename: boolean) {
    this.path = path;
    this.#byRename = byRename;
    const [before, after] = text.split(markerLine(0));
    this.#before = before!;
    this.#after = after!;
    writeFileSync(path, text);
  }

  /** The next text. */
  next(): { readonly text: string; readonly sha256: string } {
    const text = this.#before + markerLine(++this.#at) + this.#after;
    return { text, sha256: createHash("sha256").update(text).digest("hex") };
  }

  save(text: string): void {
    const at = this.#byRename ? join(dirname(this.path), ".saving~") : this.path;
    writeFileSync(at, text);
    if (this.#byRename) renameSync(at, this.path);
  }
}

/** How long the editor rests between saves, so that events of one are not taken for the next's. */
const REST_MS = 20;
const PATIENCE_MS = 5_000;

/** Times `count` saves, from before each until `noticed` resolves; milliseconds. */
export async function timeSaves(
  file: SavedFile,
  count: number,
  noticed: (wanted: { text: string; sha256: string }) => Promise<unknown>,
): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < count; i++) {
    await wait(REST_MS);
    const wanted = file.next();
    const seen = noticed(wanted);
    const started = performance.now();
    file.save(wanted.text);
    await inTime(seen);
    took.push(performance.now() - started);
  }
  return took;
}

async function inTime(seen: Promise<unknown>): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const patience = new Promise((_, reject) => {
    late = setTimeout(
      () => reject(new Error(`a save was not noticed within ${PATIENCE_MS} ms`)),
      PATIENCE_MS,
    );
  });
  await Promise.race([seen, patience]).finally(() => clearTimeout(late));
}
