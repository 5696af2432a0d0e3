import { ftruncateSync, read, readSync, writeSync, writev, writevSync } from "node:fs";
import { promisify } from "node:util";

const readAsync = promisify(read);
const writevAsync = promisify(writev);
/** Up to this many bytes are moved at once; more goes to the thread pool, so that others go on (I14). */
export const AT_ONCE = 256 * 1024;
/** How many buffers one writev takes (IOV_MAX). */
const MAX_PIECES = 1024;

/** Reads up to `size` bytes and one more, so that a file that grows is noticed by its length. */
export async function readWhole(fd: number, size: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(size + 1);
  let done = 0;
  while (done < buffer.length) {
    const want = buffer.length - done;
    const got =
      size <= AT_ONCE
        ? readSync(fd, buffer, done, want, done)
        : (await readAsync(fd, buffer, done, want, done)).bytesRead;
    if (got === 0) break;
    done += got;
  }
  return buffer.subarray(0, done);
}

/** Writes everything from the start of the file, however short single writes fall; answers the size. */
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
 * Makes a file of `size` bytes hold something else, what it grows by first: where there is no space for that, it is
 * left as it was.
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

/** As writeAllSync, in the thread pool. */
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
