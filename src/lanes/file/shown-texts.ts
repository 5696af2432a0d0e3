import type { Readings, ReadWatch } from "../../mirror/files.ts";
import type { Seq } from "../../store/store.ts";
import type { Text } from "../../text/text.ts";

/**
 * A text that a lane's file had. The document has everything of it after the change `seq`. It has the changes of others up
 * to the change `since`; a text that the agent wrote may lack their later ones.
 */
export interface ShownText {
  readonly seq: Seq;
  readonly since: Seq;
  readonly text: Text;
}

interface Watched extends ShownText {
  /**
   * Reports whether another program has read the text; undefined for a text that the agent wrote, and without a watch.
   */
  watch: ReadWatch | undefined;
  /** The readings that are known without a watch. */
  readings: Readings;
}

/** The most texts to remember while no program reads the file. */
const REMEMBERED = 64;

/**
 * Owns the texts that a lane's file had, newest last. A program writes from a text that it has read. Its edit therefore
 * removes no text that came into the file later (I6).
 */
export class ShownTexts {
  #texts: Watched[];

  /** `readings` tells who may have read the file's text without a watch; `earlier` are texts that it had before. */
  constructor(
    shown: ShownText,
    watch: ReadWatch | undefined,
    readings: Readings,
    earlier: readonly ShownText[],
  ) {
    const known = earlier.map((text) => ({ ...text, watch: undefined, readings: "some" as const }));
    this.#texts = [...known, { ...shown, watch, readings }];
  }

  /** The newest text, and the one before all that the agent may not have read. */
  get newest(): ShownText {
    return this.#texts.at(-1)!;
  }

  get oldest(): ShownText {
    return this.#texts[0]!;
  }

  /** Notes a text that the daemon wrote into the file. */
  wrote(text: ShownText, watch: ReadWatch | undefined): void {
    this.#texts.push({ ...text, watch, readings: "some" });
    // No program can begin to read a text that is older than the one just replaced.
    for (const replaced of this.#texts.slice(0, -2)) end(replaced);
    if (this.#texts.length > REMEMBERED) this.#texts = this.#texts.slice(-REMEMBERED);
  }

  /** Notes a text that the agent wrote. */
  found(text: ShownText): void {
    this.close();
    this.#texts = [{ ...text, watch: undefined, readings: "some" }];
  }

  /**
   * Returns the newest text that a program has read, or may have read (`unclear`), if that is not the newest one of all.
   */
  newestRead(...counted: readonly Exclude<Readings, "none">[]): ShownText | undefined {
    const at = this.#texts.findLastIndex((text) => counted.some((readings) => readings === readingsOf(text)));
    return at === this.#texts.length - 1 ? undefined : this.#texts[Math.max(at, 0)];
  }

  close(): void {
    for (const text of this.#texts) end(text);
  }
}

function readingsOf({ watch, readings }: Watched): Readings {
  return watch?.readings() ?? readings;
}

function end(text: Watched): void {
  text.readings = readingsOf(text);
  text.watch?.close();
  text.watch = undefined;
}
