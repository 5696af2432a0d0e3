import type { ReadWatch } from "../mirror/files.ts";
import type { Seq } from "../store/store.ts";
import type { Text } from "../text/text.ts";

/** A text that a lane's file had. The document has this whole text after the change `seq`. */
export interface ShownText {
  readonly seq: Seq;
  readonly text: Text;
}

interface Watched extends ShownText {
  /**
   * Reports whether another program has read the text; undefined for a text that the agent wrote, and without a watch.
   */
  watch: ReadWatch | undefined;
  wasRead: boolean;
}

/** The most texts to remember while no program reads the file. */
const REMEMBERED = 64;

/**
 * Owns the texts that a lane's file had, newest last. A program writes from a text that it has read. Its edit therefore
 * removes no text that came into the file later (I6).
 */
export class ShownTexts {
  #texts: Watched[];

  constructor(first: ShownText, watch: ReadWatch | undefined) {
    this.#texts = [{ ...first, watch, wasRead: watch === undefined }];
  }

  /** Notes a text that the daemon wrote into the file. */
  wrote(text: ShownText, watch: ReadWatch | undefined): void {
    this.#texts.push({ ...text, watch, wasRead: watch === undefined });
    // No program can begin to read a text that is older than the one just replaced.
    for (const replaced of this.#texts.slice(0, -2)) end(replaced);
    if (this.#texts.length > REMEMBERED) this.#texts = this.#texts.slice(-REMEMBERED);
  }

  /** Notes a text that the agent wrote. */
  found(text: ShownText): void {
    this.close();
    this.#texts = [{ ...text, watch: undefined, wasRead: true }];
  }

  /** Returns the newest text that a program has read, if it is not the newest of all texts. */
  get base(): ShownText | undefined {
    const at = this.#texts.findLastIndex((text) => isRead(text));
    return at === this.#texts.length - 1 ? undefined : this.#texts[Math.max(at, 0)];
  }

  close(): void {
    for (const text of this.#texts) end(text);
  }
}

function isRead({ watch, wasRead }: Watched): boolean {
  return wasRead || (watch !== undefined && watch.readings() !== "none");
}

function end(text: Watched): void {
  text.wasRead = isRead(text);
  text.watch?.close();
  text.watch = undefined;
}
