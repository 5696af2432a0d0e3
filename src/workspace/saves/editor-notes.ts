import type { Clock } from "../../mirror/clock.ts";
import { editedBeside } from "../../mirror/editors/editor-files.ts";
import type { Editors } from "../../mirror/editors/editors.ts";
import type { Loaded } from "../../mirror/editors/loaded.ts";
import type { DocPath } from "../../mirror/path.ts";

/** An editor may remove its files just before or after a save; milliseconds. */
const REMEMBERED_MS = 5_000;
/** The shortest time between two looks at one document's editors for its changes; a look takes some 0.2 ms. */
const HINTED_MS = 250;
const NOTHING: Note = { loaded: [], seenAt: 0 };
/** The most files whose editors are remembered. */
const MOST = 1_000;

/**
 * The versions of a file that editors had loaded. `seenAt` is the time at which their files were last there, and
 * `goneAt` that at which they were first missing, by the elapsed clock.
 */
interface Note {
  readonly loaded: readonly Loaded[];
  readonly seenAt: number;
  readonly goneAt?: number;
}

/**
 * Remembers the versions that editors have loaded. An editor that ends, or that saves, removes the files that name
 * them, perhaps before the daemon takes in the save.
 */
export class EditorNotes {
  readonly #editors: Editors;
  readonly #clock: Clock;
  /** The file that was looked at longest ago comes first. */
  readonly #notes = new Map<DocPath, Note>();
  /** The times of the looks for changes of documents; the oldest comes first. */
  readonly #hinted = new Map<DocPath, number>();

  constructor(editors: Editors, clock: Clock) {
    this.#editors = editors;
    this.#clock = clock;
  }

  /** Looks again when a path may have changed: it is a document's, or that of an editor's file beside documents. */
  hinted(path: DocPath, isDocument: boolean): void {
    // VS Code may remove its backup before the daemon has read the save.
    if (isDocument && this.#isDue(path)) this.#look(path);
    for (const edited of editedBeside(path)) this.#look(edited);
  }

  #isDue(path: DocPath): boolean {
    const now = this.#clock.elapsed();
    const last = this.#hinted.get(path);
    if (last !== undefined && now - last < HINTED_MS) return false;
    this.#hinted.delete(path);
    this.#hinted.set(path, now);
    if (this.#hinted.size > MOST) this.#hinted.delete(this.#hinted.keys().next().value!);
    return true;
  }

  /** Looks at the files of editors beside a file. */
  #look(path: DocPath): void {
    const loaded = this.#editors.look(path);
    const noted = this.#notes.get(path);
    const now = this.#clock.elapsed();
    if (loaded.length > 0) this.#note(path, { loaded, seenAt: now });
    else if (noted !== undefined && noted.goneAt === undefined) this.#note(path, { ...noted, goneAt: now });
  }

  /** Returns the versions that editors have loaded of a file, or had until a moment ago. */
  loadedOf(path: DocPath): readonly Loaded[] {
    this.#look(path);
    const { loaded, seenAt, goneAt } = this.#notes.get(path) ?? NOTHING;
    if (goneAt === undefined) return loaded;
    const isRecent = (time: number) => this.#clock.elapsed() - time <= REMEMBERED_MS;
    // VS Code's backups are in the home folder, where the daemon hears of no removal.
    return loaded.filter(({ editor }) => isRecent(editor === "vscode" ? seenAt : goneAt));
  }

  #note(path: DocPath, note: Note): void {
    this.#notes.delete(path);
    this.#notes.set(path, note);
    if (this.#notes.size > MOST) this.#notes.delete(this.#notes.keys().next().value!);
  }
}
