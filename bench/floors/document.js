import { lstatSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import koffi from "koffi";
import { LoroDoc } from "loro-crdt";
import { piecesOf, Text } from "./text.js";

/** A larger file is written while other work goes on; UTF-16 units. */
const SMALL = 1 << 16;
/** The most documents that are loaded; WebAssembly gives no memory back. */
const LOADED = 128;

const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const renameat2 =
  process.platform === "linux"
    ? koffi.load(null).func("int renameat2(int, const char *, int, const char *, unsigned int)")
    : undefined;

/** The loaded documents; the one that was used last is last. @type {Set<Document>} */
const loaded = new Set();

/** A document: its text, and its Loro document, whose updates wait for the log. Its positions are UTF-16 units. */
export class Document {
  /** The edits of all versions: the version `n` has the first n of them. */
  edits = [];
  /** @type {Set<import("ws").WebSocket>} */
  subscribers = new Set();
  updates = [];
  isBehind = false;
  /** The time until which a file rests that took long to write. */
  #restsUntil = 0;
  #writes = 0;
  #folder;
  #log;
  /** The place of a snapshot in the log while the document rests. */
  #place;
  #doc;
  #text;

  constructor(folder, log, path) {
    this.#folder = folder;
    this.#log = log;
    this.path = path;
  }

  get version() {
    return this.edits.length;
  }

  get text() {
    this.#text ??= new Text(this.#loro.getText("content").toString());
    return this.#text;
  }

  /**
   * Applies the splices of a version, last first. Returns them in the positions of the newest version. `text` is the text
   * after splices of the newest version, where it is known.
   */
  splice(version, splices, text) {
    const isKnown = text !== undefined && version === this.version;
    if (isKnown) this.#text = undefined;
    const content = this.#loro.getText("content");
    const now = splices.map(({ from, to, insert }) => ({
      from: this.#moved(version, from),
      to: this.#moved(version, to),
      insert,
    }));
    for (const { from, to, insert } of now.toReversed()) {
      if (to > from) content.delete(from, to - from);
      // In the other order Loro joins the pieces, and then each edit takes time in proportion to the whole text.
      for (const piece of piecesOf(insert).toReversed()) content.insert(from, piece);
      this.#text?.splice(from, to, insert);
      this.edits.push({ from, grows: insert.length - (to - from) });
    }
    if (isKnown) this.#text = new Text(text);
    return now;
  }

  commit() {
    this.#loro.commit();
  }

  import(bytes) {
    this.#loro.import(bytes);
    this.#text = undefined;
  }

  write() {
    this.isBehind = false;
    this.#writes++;
    const temporary = join(this.#folder, `.${this.path}.tmp`);
    writeFileSync(temporary, this.text.toString());
    this.#swap(temporary);
  }

  /** Looks whether somebody else has written the file. A server that watches files takes in what it finds. */
  look() {
    return lstatSync(this.#file, { throwIfNoEntry: false });
  }

  /** Writes the file for nobody who waits. After the write of a large file, it rests for as long. */
  async writeBehind() {
    const started = performance.now();
    if (started < this.#restsUntil) return;
    if (this.text.length <= SMALL) return this.write();
    this.#restsUntil = Number.POSITIVE_INFINITY;
    this.isBehind = false;
    const write = ++this.#writes;
    const temporary = join(this.#folder, `.${this.path}.behind`);
    await writeFile(temporary, this.text.toString());
    if (write === this.#writes) this.#swap(temporary);
    this.#restsUntil = 2 * performance.now() - started;
  }

  /** Puts a new file in the place of the old one, unless the old one has a save of somebody, which the watcher takes in. */
  #swap(temporary) {
    const before = this.look();
    if (renameat2 === undefined || before === undefined) return renameSync(temporary, this.#file);
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, this.#file, RENAME_EXCHANGE) !== 0)
      throw new Error(`${this.path} cannot be exchanged`);
    const { ino, mtimeMs } = lstatSync(temporary);
    if (ino === before.ino && mtimeMs === before.mtimeMs) unlinkSync(temporary);
    else renameSync(temporary, this.#file);
  }

  get #file() {
    return join(this.#folder, this.path);
  }

  /** Leaves nothing of the document in memory but its place in the log. */
  rest() {
    loaded.delete(this);
    this.#place = this.#log.append([[this.path, this.#doc.export({ mode: "snapshot" })]]);
    this.#doc.free();
    this.#doc = undefined;
    this.#text = undefined;
  }

  get #loro() {
    loaded.delete(this);
    loaded.add(this);
    this.#doc ??= this.#load();
    return this.#doc;
  }

  #load() {
    const doc = new LoroDoc();
    if (this.#place !== undefined) doc.import(this.#log.read(this.#place)[0][1]);
    doc.subscribeLocalUpdates((bytes) => this.updates.push(bytes));
    return doc;
  }

  #moved(version, at) {
    for (let i = version; i < this.edits.length; i++) {
      const { from, grows } = this.edits[i];
      if (from <= at) at += grows;
    }
    return at;
  }
}

/** Lets the documents rest that were used least recently. None of them may have updates that wait. */
export function restMost() {
  for (const document of loaded) {
    if (loaded.size <= LOADED) return;
    document.rest();
  }
}
