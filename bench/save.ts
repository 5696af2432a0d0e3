import { createHash } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { inTime } from "./in-time.ts";
import { markerLine } from "./texts.ts";

/** A file that an editor saves repeatedly; each save raises the number in its marker by one. */
export class SavedFile {
  readonly path: string;
  readonly #before: string;
  readonly #after: string;
  readonly #byRename: boolean;
  #at = 0;

  /** Writes the file. `text` contains the first marker. */
  constructor(path: string, text: string, byRename: boolean) {
    this.path = path;
    this.#byRename = byRename;
    const [before, after] = text.split(markerLine(0));
    this.#before = before!;
    this.#after = after!;
    writeFileSync(path, text);
  }

  /** Returns the text of the next save, with its digest. */
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

/** The pause between saves, which keeps the events of two saves apart. */
const PAUSE_MS = 20;
const PATIENCE_MS = 5_000;

/** Returns the milliseconds of `count` saves, each from before the save until `noticed` resolves. */
export async function timeSaves(
  file: SavedFile,
  count: number,
  noticed: (save: { text: string; sha256: string }) => Promise<unknown>,
): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < count; i++) {
    await wait(PAUSE_MS);
    const next = file.next();
    const isNoticed = noticed(next);
    const started = performance.now();
    file.save(next.text);
    await inTime(isNoticed, PATIENCE_MS, () => `a save was not noticed within ${PATIENCE_MS} ms`);
    took.push(performance.now() - started);
  }
  return took;
}
