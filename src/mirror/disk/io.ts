import { ftruncateSync, read, readSync, writeSync, writev, writevSync } from "node:fs";
import { promisify } from "node:util";

const readAsync = promisify(read);
const writevAsync = promisify(writev);
/** The most bytes to read synchronously; more goes to the thread pool (I14). */
const READ_AT_ONCE = 256 * 1024;
/**
 * The most bytes of a new file to write synchronously, which is 0.2 ms: a way through the thread pool takes longer, and
 * the note of the file then misses the flush of the journal.
 */
export const WRITTEN_AT_ONCE = 1 << 20;
/** The most buffers of one writev (IOV_MAX). */
const MAX_PIECES = 1024;

/** Reads up to `size` bytes and one more, so that the length of the result shows a file that grows. */
export async function readWhole(fd: number, size: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(size + 1);
  let done = 0;
  while (done < buffer.length) {
    const want = buffer.length - done;
    const got =
      size <= READ_AT_ONCE
        ? readSync(fd, buffer, done, want, done)
        : (await readAsync(fd, buffer, done, want, done)).bytesRead;
    if (got === 0) break;
    done += got;
  }
  return buffer.subarray(0, done);
}

/** Writes all pieces from the start of the file, also when single writes fall short. Returns the size. */
export function writeAllSync(fd: number, pieces: readonly Uint8Array[]): number {
  let done = 0;
  for (const batch of batches(pieces)) {
    let left = batch;
    while (left.length > 0) {
      const wrote = writevSync(fd, left, done);
      done += wrote;
      left = skip(left, wrote);
    }
  }
  return done;
}

/**
 * Overwrites a file of `size` bytes. Writes the part beyond `size` first: without space for it, the file stays
 * unchanged.
 */
export function overwriteSync(fd: number, size: number, pieces: readonly Uint8Array[]): void {
  const whole = Buffer.concat(pieces);
  try {
    for (let at = size; at < whole.length; ) at += writeSync(fd, whole, at, whole.length - at, at);
  } catch (error) {
    ftruncateSync(fd, size);
    throw error;
  }
  writeAllSync(fd, [whole.subarray(0, size)]);
  ftruncateSync(fd, whole.length);
}

/** Does the same as writeAllSync in the thread pool. */
export async function writeAll(fd: number, pieces: readonly Uint8Array[]): Promise<number> {
  let done = 0;
  for (const batch of batches(pieces)) {
    let left = batch;
    while (left.length > 0) {
      const { bytesWritten } = await writevAsync(fd, left, done);
      done += bytesWritten;
      left = skip(left, bytesWritten);
    }
  }
  return done;
}

function* batches(pieces: readonly Uint8Array[]): Generator<Uint8Array[]> {
  const full = pieces.filter((piece) => piece.length > 0);
  for (let i = 0; i < full.length; i += MAX_PIECES) yield full.slice(i, i + MAX_PIECES);
}

function skip(pieces: Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  let i = 0;
  while (i < pieces.length && left >= pieces[i]!.length) left -= pieces[i++]!.length;
  const rest = pieces.slice(i);
  if (left > 0) rest[0] = rest[0]!.subarray(left);
  return rest;
}
