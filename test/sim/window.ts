import { apply, changeOfFile } from "./prose.ts";
import type { Moment } from "./stale.ts";
import type { World } from "./world.ts";

const KINDS = [
  [2, "open"],
  [5, "save"],
  [1, "revert"],
] as const;

/**
 * A person who has the file open in an editor. The person saves the buffer with a change, even an old buffer, or
 * returns to an older version on purpose.
 */
export class Window {
  readonly #world: World;
  /** The buffer of the editor, and when it was read or saved; undefined while it is closed. */
  #buffer: { readonly text: string; readonly moment: Moment } | undefined;
  /** The buffers before, which the editor's undo restores. */
  #earlier: string[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  turn(): void {
    const { disk, path, say } = this.#world;
    const text = disk.text(path);
    if (text === undefined || disk.isOpenForWriting(path) || !this.#world.settled()) return;
    const kind = this.#buffer === undefined ? "open" : this.#world.weighted(KINDS);
    say(`window: ${kind}`);
    switch (kind) {
      case "open":
        this.#hold(disk.read(path) ?? text);
        break;
      case "save":
        this.#change(this.#buffer?.text ?? text);
        break;
      case "revert":
        this.#revert();
        break;
    }
  }

  #hold(text: string): void {
    this.#buffer = { text, moment: this.#world.stale.now };
    this.#earlier.push(text);
  }

  #revert(): void {
    const { random, document } = this.#world;
    const text = random.pick(this.#earlier);
    // The daemon owes no report for a return to a text that it never knew: the text may have been there for an instant.
    const isSeen = this.#world.hasKnown(text);
    // It may also know that text as the file's now, and never see what was in between.
    const isKnown = document?.known().text.toString() === text;
    this.#save(text, isSeen && !isKnown ? this.#buffer?.moment : undefined);
  }

  #change(text: string): void {
    const { ledger, random } = this.#world;
    const mark = ledger.open("window", random);
    this.#save(apply(text, changeOfFile(random, text, mark)), this.#buffer?.moment);
    ledger.close(mark, "kept");
  }

  #save(text: string, read: Moment | undefined): void {
    const { disk, random, path, stale } = this.#world;
    stale.saved(disk.text(path) ?? "", text, read);
    disk[random.pick(["save", "write"] as const)](path, text);
    this.#hold(text);
  }
}
