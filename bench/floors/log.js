import { closeSync, existsSync, fdatasyncSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";

const BYTES = 64 << 20;
const HEAD = 8;

/** @typedef {readonly [name: string, bytes: Uint8Array]} Entry */

/** A log whose place on the disk is taken first. A record has a checksum, its length, and entries of named bytes. */
export class Log {
  #file;
  #end = 0;

  constructor(folder) {
    const path = join(folder, "floor.log");
    if (!existsSync(path)) create(path);
    this.#file = openSync(path, "r+");
  }

  /** Appends a record; returns its place. @param {readonly Entry[]} entries */
  append(entries) {
    const payload = packed(entries);
    const head = Buffer.alloc(HEAD);
    head.writeUInt32LE(crc32(payload));
    head.writeUInt32LE(payload.length, 4);
    const at = this.#end;
    if (at + HEAD + payload.length > BYTES) throw new Error("the log is full");
    this.#end += writeSync(this.#file, Buffer.concat([head, payload]), 0, HEAD + payload.length, at);
    return at;
  }

  flush() {
    fdatasyncSync(this.#file);
  }

  /** Returns the entries of all records of an earlier process; records are appended after them. */
  *recover() {
    for (let entries = this.read(this.#end); entries !== undefined; entries = this.read(this.#end)) {
      this.#end += this.#sizeAt(this.#end);
      yield* entries;
    }
  }

  /** Returns the entries of the record at a place; undefined when there is none. */
  read(at) {
    const record = Buffer.alloc(this.#sizeAt(at));
    readSync(this.#file, record, 0, record.length, at);
    const payload = record.subarray(HEAD);
    if (payload.length === 0 || crc32(payload) !== record.readUInt32LE()) return undefined;
    return unpacked(payload);
  }

  #sizeAt(at) {
    const head = Buffer.alloc(HEAD);
    readSync(this.#file, head, 0, HEAD, at);
    return HEAD + Math.min(head.readUInt32LE(4), BYTES);
  }
}

function create(path) {
  const file = openSync(path, "w");
  for (let at = 0; at < BYTES; at += 1 << 20) writeSync(file, Buffer.alloc(1 << 20), 0, 1 << 20, at);
  fdatasyncSync(file);
  closeSync(file);
}

function framed(bytes) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return [length, bytes];
}

/** Packs entries into bytes. @param {readonly Entry[]} entries */
export function packed(entries) {
  return Buffer.concat(entries.flatMap(([name, bytes]) => [...framed(Buffer.from(name)), ...framed(bytes)]));
}

/** Returns the entries of packed bytes. @returns {Entry[]} */
export function unpacked(payload) {
  const parts = [];
  for (let from = 0; from < payload.length; ) {
    const end = from + 4 + payload.readUInt32LE(from);
    parts.push(payload.subarray(from + 4, end));
    from = end;
  }
  return parts.flatMap((name, i) => (i % 2 === 0 ? [[name.toString(), parts[i + 1]]] : []));
}
