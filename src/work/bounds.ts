/**
 * What the daemon does at once, and what it takes from one client at all (I14, I15). A request past one of these
 * bounds is refused with the bound and what to do instead; work past `INLINE_COST` goes to a worker.
 */

/** How many things of a kind, and of how many bytes together. */
export interface Bounds {
  readonly count: number;
  readonly bytes: number;
}

/** Work on the daemon's own thread, in UTF-16 units that are read about once: some 4 ms. */
export const INLINE_COST = 128 << 10;

/** Milliseconds of one turn of the event loop that the requests of one token take, as far as they do not wait. */
export const TURN_MS = 4;

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
/** Bytes of a frame from a token that may append nowhere. */
export const READER_FRAME_BYTES = 4 << 20;
/** How deep the objects and arrays of a frame may be nested. */
export const MOST_DEPTH = 100;
/** Values in a frame: names of fields, items, strings, numbers. */
export const MOST_VALUES = 100_000;

/** Splices that a client may send in one edit. */
export const MOST_SPLICES = 10_000;
/** Splices that one change is made of; the nearest of more are joined. Loro takes 30 µs for each. */
export const MOST_CHANGED_PLACES = 4_000;
/** UTF-16 units that one edit may put in, all splices together. Loro takes 40 ns for each. */
export const MOST_INSERTED = 4 << 20;
/** Changes of whole lines in one edit. */
export const MOST_LINE_CHANGES = 10_000;

/** Bytes of an answer that never waits for others of its token. */
export const FREE_ANSWER_BYTES = 64 << 10;
/** Bytes of the larger answers of one token that are made, or that its clients have not taken yet. */
export const MOST_ANSWER_BYTES = 64 << 20;
/** Items of a list in an answer that are encoded in one turn. */
export const ENCODED_AT_ONCE = 2_000;

/** Connections of one token, the owner's excepted. */
export const MOST_TOKEN_CONNECTIONS = 256;
/** The share of all connections that one token may have, and that all tokens may but the owner's. */
export const TOKEN_SHARE = 1 / 4;
export const TOKENS_SHARE = 3 / 4;
/** Connections in all, where the system allows so many open files. */
export const MOST_CONNECTIONS = 4_096;
/** The share of the process's file descriptors that connections may take; the rest is for files. */
export const DESCRIPTOR_SHARE = 0.5;
/** The share of all places past which the oldest connection without a token makes room for a newer one. */
export const STRANGERS_SHARE = 7 / 8;
/** How long a client has to take the refusal of its connection; milliseconds. */
export const REFUSED_MS = 1_000;
/** How long a connection has for the head of its request, and how often that is looked at; milliseconds. */
export const HEAD_MS = 5_000;
export const HEAD_CHECK_MS = 1_000;

/** Documents, and patterns, that one connection subscribes to. */
export const MOST_SUBSCRIBED_PATHS = 10_000;
export const MOST_SUBSCRIBED_PATTERNS = 100;
/** Patterns that all connections of one token subscribe to, and their UTF-16 units. */
export const MOST_TOKEN_PATTERNS: Bounds = { count: 4_000, bytes: 1_000_000 };

/** MCP sessions over HTTP of one token. */
export const MOST_MCP_SESSIONS = 32;
/** How long an MCP session over HTTP may rest; milliseconds. */
export const MCP_REST_MS = 60 * 60_000;

/** UTF-16 units that Loro takes in while one unit of `INLINE_COST` is worked on. */
export const APPLIED_AS_READ = 4;

// What one token may have the daemon keep at a time (I15). Bytes are those of the texts in UTF-8.

const MB = 1 << 20;
const DAY_MS = 24 * 60 * 60 * 1000;

/** One message of a thread, in bytes. */
export const MESSAGE_BYTES = MB;
/** The messages of one thread; a new message makes the oldest go. */
export const MESSAGES: Bounds = { count: 1000, bytes: 16 * MB };
/** The threads of one token. */
export const THREADS: Bounds = { count: 1000, bytes: 128 * MB };

/** The proposals of one token that wait for a review. */
export const PENDING_PROPOSALS: Bounds = { count: 1000, bytes: 256 * MB };
/** The proposals of one token that were reviewed; a new one makes the oldest go. */
export const CLOSED_PROPOSALS: Bounds = { count: 1000, bytes: 256 * MB };
/** How long a proposal is kept after its review, in milliseconds. */
export const CLOSED_PROPOSALS_MS = 90 * DAY_MS;
/** The proposals in one answer of a list, in bytes; one is answered in any case. */
export const PROPOSAL_PAGE_BYTES = 8 * MB;

/** The previews of one token that can be applied; a new one makes the oldest go. */
export const PREVIEWS: Bounds = { count: 500, bytes: 32 * MB };
