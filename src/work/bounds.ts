/**
 * What the daemon does at once, and what it takes from one client at all (I14, I15). A request past one of these
 * bounds is refused with the bound and what to do instead; work past `INLINE_COST` goes to a worker.
 */

/** Work on the daemon's own thread, in UTF-16 units that are read about once: some 4 ms. */
export const INLINE_COST = 128 << 10;
/** Milliseconds of work between two turns of the event loop, where work is cut into slices. */
export const SLICE_MS = 5;

/** Threads of the pool. One token never holds all of them. */
export const WORKERS = 2;
/** Jobs of one token that wait for a worker. */
export const MOST_WAITING_JOBS = 256;
/** How long one job may take before its worker is given up; milliseconds. */
export const JOB_MS = 10_000;
/** How long a worker without a job is kept; milliseconds. */
export const WORKER_REST_MS = 30_000;

/** Bytes of a frame that is parsed on the daemon's own thread. */
export const INLINE_FRAME_BYTES = 64 << 10;
/** Bytes of a frame from a token that may write nowhere. */
export const READER_FRAME_BYTES = 4 << 20;
/** How deep the objects and arrays of a frame may be nested. */
export const MOST_DEPTH = 100;
/** Values in a frame: names of fields, items, strings, numbers. */
export const MOST_VALUES = 100_000;

/** Splices of one edit. */
export const MOST_SPLICES = 10_000;
/** Changes of whole lines in one edit. */
export const MOST_LINE_CHANGES = 10_000;
