import type { Image, Listed } from "../../mirror/files.ts";
import type { Inventory } from "../../store/baselines.ts";

// An inventory is packed, so that a thread can compare a folder with it without an object for each file:
//
//     form, maxFileBytes, { the store's state, length of the name, ino, size, mtimeNs, ctimeNs, name }…

/** The store's state of a file: bits of a byte. */
const COVERED = 1;
const BASELINE = 2;
/**
 * Set while the file, with these stamps, is not yet compared with the store, or when the next pass has to compare it
 * again.
 */
const OPEN = 4;

/** An earlier version also stored inventories with baselines that were gone by then (form 1). */
const FORM = 2;
const HEAD = 1 + 8;
/** The places of numbers in a file's bytes, and the bytes before its name. */
const AT = { length: 1, ino: 3, size: 11, mtimeNs: 19, ctimeNs: 27, name: 35 } as const;

/** The stamps of a file by which an inventory knows it. */
export type Stamps = Pick<Image, "ino" | "size" | "mtimeNs" | "ctimeNs">;

/** Returns true when two looks show no write between them, as `sameImage` on one device. */
export function sameStamps(a: Stamps, b: Stamps): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}

/** A folder's files beside its inventory. */
export interface Comparison {
  /** The unchanged text files, their bytes, and the baselines of unchanged files. */
  readonly files: number;
  readonly bytes: number;
  readonly baselines: number;
  /** The new inventory, in which each file that differs is open; undefined if no file differs. */
  readonly inventory: Inventory | undefined;
}

/**
 * Compares a folder's files with its inventory. Without an inventory, or with one for another limit of a file's size,
 * all files differ.
 */
export function compareFolder(
  files: readonly Listed[],
  known: Inventory | undefined,
  maxFileBytes: number,
): Comparison {
  const before = new KnownFiles(known ?? new Uint8Array(), maxFileBytes);
  const names = files.map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
  const most = names.reduce((sum, name) => sum + AT.name + 3 * name.length, HEAD);
  const bytes = new Uint8Array(most);
  const view = viewOf(bytes);
  view.setUint8(0, FORM);
  view.setFloat64(1, maxFileBytes, true);
  const held = { files: 0, bytes: 0, baselines: 0 };
  let isSame = true;
  let at = HEAD;
  for (const [i, { image }] of files.entries()) {
    const end = write(bytes, view, at, names[i]!, image);
    const has = before.has(bytes, at, end);
    isSame &&= (has & OPEN) === 0;
    if ((has & COVERED) !== 0) {
      held.files++;
      held.bytes += image.size;
    }
    if ((has & BASELINE) !== 0) held.baselines++;
    view.setUint8(at, has);
    at = end;
  }
  return { ...held, inventory: isSame && known?.length === at ? undefined : bytes.slice(0, at) };
}

/** A file of an inventory that the cover has to compare with the store. */
export interface OpenFile {
  readonly name: string;
  readonly stamps: Stamps;
  /** True for an unchanged file that had a baseline; its folder's comparison counted that one. */
  readonly hadBaseline: boolean;
  /** Notes the store's state of the file; `isOpen`: the next pass has to compare it again. */
  decide(has: { readonly baseline: boolean; readonly covered: boolean; readonly isOpen: boolean }): void;
}

/** Yields the open files of an inventory, and those that `alsoThese` names. */
export function* openFiles(
  inventory: Inventory,
  alsoThese: ReadonlySet<string> = new Set(),
): Generator<OpenFile> {
  const view = viewOf(inventory);
  for (let at = HEAD; at < inventory.length; at += lengthAt(view, at)) {
    const has = view.getUint8(at);
    const isOpen = (has & OPEN) !== 0;
    if (!isOpen && (alsoThese.size === 0 || !alsoThese.has(nameAt(inventory, at)))) continue;
    const place = at;
    yield {
      name: nameAt(inventory, at),
      hadBaseline: (has & BASELINE) !== 0,
      stamps: {
        ino: view.getBigUint64(at + AT.ino, true),
        size: view.getFloat64(at + AT.size, true),
        mtimeNs: view.getBigInt64(at + AT.mtimeNs, true),
        ctimeNs: view.getBigInt64(at + AT.ctimeNs, true),
      },
      decide({ baseline, covered, isOpen }) {
        view.setUint8(place, (baseline ? BASELINE : 0) | (covered ? COVERED : 0) | (isOpen ? OPEN : 0));
      },
    };
  }
}

/** Returns the names of the files in an inventory. */
export function namesOf(inventory: Inventory): ReadonlySet<string> {
  return new Set(placesIn(inventory, inventory.length).keys());
}

/** Finds files in an inventory, fastest in the inventory's own order. */
class KnownFiles {
  readonly #bytes: Inventory;
  readonly #view: DataView;
  readonly #end: number;
  #at = HEAD;
  /** The places by name; made when a file is first not at the expected place. */
  #places: ReadonlyMap<string, number> | undefined;

  constructor(bytes: Inventory, maxFileBytes: number) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    const isUsable =
      bytes.length > HEAD && bytes[0] === FORM && this.#view.getFloat64(1, true) === maxFileBytes;
    this.#end = isUsable ? bytes.length : 0;
  }

  /** Returns the store's state of the file at the bytes `from` to `to` of another inventory. */
  has(other: Uint8Array, from: number, to: number): number {
    const at = this.#find(other, from, to);
    if (at === undefined) return OPEN;
    this.#at = at + lengthAt(this.#view, at);
    return equal(this.#bytes, at + AT.ino, other, from + AT.ino, AT.name - AT.ino) ? this.#bytes[at]! : OPEN;
  }

  #find(other: Uint8Array, from: number, to: number): number | undefined {
    if (this.#end === 0) return undefined;
    const [at, length] = [this.#at, to - from];
    const isNext =
      at < this.#end &&
      lengthAt(this.#view, at) === length &&
      equal(this.#bytes, at + AT.name, other, from + AT.name, length - AT.name);
    if (isNext) return at;
    this.#places ??= placesIn(this.#bytes, this.#end);
    return this.#places.get(nameAt(other, from));
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Writes a file at a place; returns the place after it. */
function write(bytes: Uint8Array, view: DataView, at: number, name: string, image: Image): number {
  const { written } = encoder.encodeInto(name, bytes.subarray(at + AT.name));
  view.setUint16(at + AT.length, written, true);
  view.setBigUint64(at + AT.ino, image.ino, true);
  view.setFloat64(at + AT.size, image.size, true);
  view.setBigInt64(at + AT.mtimeNs, image.mtimeNs, true);
  view.setBigInt64(at + AT.ctimeNs, image.ctimeNs, true);
  return at + AT.name + written;
}

function placesIn(bytes: Inventory, end: number): ReadonlyMap<string, number> {
  const view = viewOf(bytes);
  const places = new Map<string, number>();
  for (let at = HEAD; at < end; at += lengthAt(view, at)) places.set(nameAt(bytes, at), at);
  return places;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function lengthAt(view: DataView, at: number): number {
  return AT.name + view.getUint16(at + AT.length, true);
}

function nameAt(bytes: Uint8Array, at: number): string {
  const from = at + AT.name;
  return decoder.decode(bytes.subarray(from, from + viewOf(bytes).getUint16(at + AT.length, true)));
}

function equal(a: Uint8Array, atA: number, b: Uint8Array, atB: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[atA + i] !== b[atB + i]) return false;
  return true;
}
