import type { Loaded } from "../../mirror/editors/loaded.ts";
import type { Files, Image, Readings, ReadWatch } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import { isSave } from "../access/actor.ts";
import { momentOf } from "../claims/claim.ts";
import type { FileText } from "../versions/file-text.ts";
import type { VersionHistory } from "../versions/version-history.ts";

/** A text that the file had, and the stamps of the file then. */
interface StampedText extends FileText {
  readonly ino: bigint;
  readonly mtimeNs: bigint;
  /** The time at which the file got this text, in milliseconds since the epoch. */
  readonly since: number;
}

/** The file's texts that are known when a document comes into memory. */
interface FirstTexts {
  readonly path: DocPath;
  /** The text of the file. Another program wrote one that is alone. */
  readonly text: FileText;
  /** The file as it is now; undefined without a file. */
  readonly image: Image | undefined;
  /** True where a power cut left a part of a text only. */
  readonly isDamaged?: boolean | undefined;
  /** The text that the file had before, where that is certain. */
  readonly before?: (FileText & Pick<StampedText, "since">) | undefined;
}

const UNSTAMPED = { ino: 0n, mtimeNs: 0n, since: 0 };

/** The texts that are remembered with their stamps. */
const REMEMBERED = 512;
/** The number of later texts after which the daemon expects no save from a text that the file had for an instant. */
const GLIMPSE_LASTS = 64;

/**
 * Owns the stamps of the texts that the file had, newest last. It finds the text that a program may have read: the
 * stamps are different for each, and the daemon watches for readings of the texts that it wrote.
 */
export class FileTexts {
  readonly #texts: StampedText[];
  #isDamaged = false;
  #glimpsed: FileText | undefined;
  /** The number of texts that the file had since then. */
  #sinceGlimpse = 0;
  /** The watches of the two newest texts. No program can begin to read an older one. */
  readonly #watches = new Map<StampedText, ReadWatch>();
  /** The known readings of a text when its watch ended. */
  readonly #readings = new Map<StampedText, Readings>();

  constructor(files: Files, { path, text, image, isDamaged = false, before }: FirstTexts) {
    this.#texts = [];
    if (before !== undefined) this.#add(before, { ...UNSTAMPED, since: before.since });
    if (image === undefined) this.#add(text, UNSTAMPED);
    else if (text.isAlone) this.found(text, image);
    else this.wrote(text.seq, image, files.watchReads(path, image));
    this.#isDamaged = isDamaged;
  }

  /** True while the file has no whole text: nobody has written it since a power cut damaged it. */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** The text of the file; after a power cut, that for which the daemon takes a damaged file. */
  get newest(): FileText {
    return this.#texts.at(-1)!;
  }

  /** The last text that was in the file for an instant only; undefined without one, and after many others. */
  get glimpsed(): FileText | undefined {
    return this.#sinceGlimpse > GLIMPSE_LASTS ? undefined : this.#glimpsed;
  }

  /** Notes that the text after a change was in the file for an instant. */
  exposed(seq: FileText["seq"]): void {
    this.#glimpsed = { seq, isAlone: false };
    this.#sinceGlimpse = 0;
  }

  /** Notes that the daemon wrote the text after a change; `watch` reports readings of it. */
  wrote(seq: FileText["seq"], image: Image, watch: ReadWatch | undefined): void {
    const text = this.#add({ seq, isAlone: false }, stampsOf(image));
    if (watch === undefined) return;
    this.#watches.set(text, watch);
    for (const watched of [...this.#watches.keys()].slice(0, -2)) this.#settle(watched);
  }

  /** Notes that another program wrote a text, and so has seen it. */
  found(text: FileText, image: Image): void {
    this.#add(text, stampsOf(image));
  }

  /** Notes that a look found the newest text; another program wrote it again if the stamps changed. */
  foundAgain(image: Image): void {
    this.#isDamaged = false;
    const { ino, mtimeNs } = this.#texts.at(-1)!;
    if (ino !== image.ino || mtimeNs !== image.mtimeNs) this.found(this.newest, image);
  }

  /** Returns the newest text that another process has read, or (`unclear`) may have read. */
  newestRead(...counted: readonly Exclude<Readings, "none">[]): FileText {
    const isRead = (text: StampedText) => counted.some((readings) => readings === this.#readingsOf(text));
    return this.#texts.findLast(isRead) ?? this.#texts[0]!;
  }

  /**
   * Returns the texts with the stamps that an editor noted, oldest first. Texts of one second may share them, because
   * the system gives the inode number of a former file to a new one.
   */
  withStamps({ mtimeMs, precisionMs, ino }: Exclude<Loaded, { editor: "emacs" }>): readonly FileText[] {
    return this.#texts.filter(
      (text) =>
        Math.floor(Number(text.mtimeNs / 1_000_000n) / precisionMs) === Math.floor(mtimeMs / precisionMs) &&
        (ino === undefined || Number(text.ino & 0xffff_ffffn) === ino),
    );
  }

  /** Returns the text that the file had at a time, in milliseconds since the epoch; undefined if that is forgotten. */
  at(time: number): FileText | undefined {
    return this.#texts.findLast(({ since }) => since <= time);
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
  }

  #add(text: FileText, stamps: Pick<StampedText, "ino" | "mtimeNs" | "since">): StampedText {
    const added = { seq: text.seq, isAlone: text.isAlone, ...stamps };
    this.#texts.push(added);
    this.#isDamaged = false;
    this.#sinceGlimpse++;
    if (this.#texts.length > 2 * REMEMBERED)
      for (const forgotten of this.#texts.splice(0, REMEMBERED)) this.#readings.delete(forgotten);
    return added;
  }

  /** Another program's text is read. */
  #readingsOf(text: StampedText): Readings {
    return this.#watches.get(text)?.readings() ?? this.#readings.get(text) ?? "some";
  }

  /** Ends the watch of a text that was replaced. */
  #settle(text: StampedText): void {
    const watch = this.#watches.get(text)!;
    this.#readings.set(text, watch.readings());
    watch.close();
    this.#watches.delete(text);
  }
}

function stampsOf(image: Image): Pick<StampedText, "ino" | "mtimeNs" | "since"> {
  return { ino: image.ino, mtimeNs: image.mtimeNs, since: momentOf(image).to };
}

/** Returns the text that the file had before `held`: that of a save right before it, which `held` was written over. */
export function savedBefore(versions: VersionHistory, held: FileText): FirstTexts["before"] {
  const save = held.isAlone || held.seq === 0 ? undefined : versions.change(held.seq - 1);
  if (save === undefined || !isSave(save)) return undefined;
  return { seq: save.seq, isAlone: save.beside !== undefined, since: save.time };
}
