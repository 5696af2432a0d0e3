import koffi from "koffi";

// System calls for this process that Node does not offer.

/** Makes the C library release freed memory; does nothing where the library has no such call. */
export function freeMemory(): void {
  if (process.platform !== "linux") return;
  try {
    koffi.load(null).func("int malloc_trim(size_t pad)")(0);
  } catch {
    // The library is not glibc.
  }
}

let lastSize = 0;

/**
 * Returns the resident size of this process in bytes. While no descriptor is free, Node cannot read the size: then the
 * size of the last call, or 0.
 */
export function residentSize(): number {
  try {
    lastSize = process.memoryUsage.rss();
  } catch (error) {
    if (!NO_DESCRIPTOR.has((error as NodeJS.ErrnoException).code)) throw error;
  }
  return lastSize;
}

const NO_DESCRIPTOR: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE"]);

const M_ARENA_MAX = -8;

/**
 * Makes the threads of this process share `most` parts of the heap of the C library, where the library has such parts.
 * Each thread else has its own, and none of them uses what another has freed.
 */
export function shareHeap(most: number): void {
  if (process.platform !== "linux") return;
  try {
    koffi.load(null).func("int mallopt(int parameter, int value)")(M_ARENA_MAX, most);
  } catch {
    // The library is not glibc.
  }
}

const RLIMIT_NOFILE = process.platform === "darwin" ? 8 : 7;

/**
 * Returns the number of files that this process may have open; a huge number without a limit. Node's own report has the
 * number, too, but takes longer than all other work of a server's start.
 */
export function openFileLimit(): number {
  const limit = new BigUint64Array(2);
  const getrlimit = koffi.load(null).func("int getrlimit(int resource, _Out_ uint64_t *limit)");
  if (getrlimit(RLIMIT_NOFILE, limit) !== 0) throw new Error(`getrlimit failed: errno ${koffi.errno()}`);
  return Number(limit[0]);
}
