/**
 * The bounds on work that the daemon does at once, and on the resources of one client (I14, I15). The daemon refuses a
 * request beyond a bound; the refusal names the bound and an alternative. Work beyond `INLINE_COST` goes to a worker.
 */

/** A bound on the number of things of a kind, and on their bytes together. */
export interface Bounds {
  readonly count: number;
  readonly bytes: number;
}

/** The most work on the daemon's own thread, in UTF-16 units read about once: some 4 ms. */
export const INLINE_COST = 128 << 10;

/** Milliseconds of one turn of the event loop for the requests of one token, as long as those do not wait. */
export const TURN_MS = 4;

/** The threads of the pool. One token never occupies all of them. */
export const WORKERS = 2;
/** The most jobs of one token that wait for a worker. */
export const MOST_WAITING_JOBS = 256;
/** Milliseconds after which the daemon abandons a job and its worker. */
export const JOB_MS = 10_000;
/** Milliseconds after which the daemon ends a worker without a job. */
export const WORKER_REST_MS = 30_000;

/** The largest frame parsed on the daemon's own thread, in bytes; a larger one takes no longer if it has few values. */
export const INLINE_FRAME_BYTES = 64 << 10;
export const INLINE_PLAIN_BYTES = 256 << 10;
export const FEW_VALUES = 1_000;
/** The largest frame, in bytes, from a token that may append nowhere. */
export const READER_FRAME_BYTES = 4 << 20;
/** The deepest nesting of objects and arrays in a frame. */
export const MOST_DEPTH = 100;
/** The most values in a frame: names of fields, items, strings, numbers. */
export const MOST_VALUES = 100_000;

/** The most splices that a client may send in one edit. */
export const MOST_SPLICES = 10_000;
/** The most splices of one change; beyond it, the nearest ones are joined. Loro takes some 8 µs for each. */
export const MOST_CHANGED_PLACES = 4_000;
/** The most UTF-16 units that one edit may insert, all splices together. Loro takes 40 ns for each. */
export const MOST_INSERTED = 4 << 20;
/** The most changes of whole lines in one edit. */
export const MOST_LINE_CHANGES = 10_000;

/** The largest answer, in bytes, that never waits for other answers of its token. */
export const FREE_ANSWER_BYTES = 64 << 10;
/** The most bytes of larger answers of one token that are being encoded or that its clients have not yet received. */
export const MOST_ANSWER_BYTES = 64 << 20;
/** The number of list items encoded in one turn. */
export const ENCODED_AT_ONCE = 2_000;

/** The most connections of one token other than the owner's. */
export const MOST_TOKEN_CONNECTIONS = 256;
/** The largest share of all connections for one token, and for all tokens other than the owner's together. */
export const TOKEN_SHARE = 1 / 4;
export const TOKENS_SHARE = 3 / 4;
/** The most connections in total, if the system allows that many open files. */
export const MOST_CONNECTIONS = 4_096;
/** The largest share of the process's file descriptors for connections; the rest is for files. */
export const DESCRIPTOR_SHARE = 0.5;
/** The share of all connections beyond which the oldest connection without a token is closed for a newer one. */
export const STRANGERS_SHARE = 7 / 8;
/** Milliseconds that a client has to receive the refusal of its connection. */
export const REFUSED_MS = 1_000;
/** Milliseconds that a connection has for the head of its request, and between two checks of that. */
export const HEAD_MS = 5_000;
export const HEAD_CHECK_MS = 1_000;

/** The most documents, and patterns, that one connection subscribes to. */
export const MOST_SUBSCRIBED_PATHS = 10_000;
export const MOST_SUBSCRIBED_PATTERNS = 100;
/** The most patterns that all connections of one token subscribe to, and their UTF-16 units. */
export const MOST_TOKEN_PATTERNS: Bounds = { count: 4_000, bytes: 1_000_000 };

/** The most documents whose seen versions a session remembers. */
export const MOST_SEEN_DOCUMENTS = 1_000;
/** The most of these documents that are stored for a lasting session, and the most such sessions of one token. */
export const MOST_LASTING_DOCUMENTS = 200;
export const MOST_LASTING_SESSIONS = 32;

/** The most MCP sessions over HTTP of one token. */
export const MOST_MCP_SESSIONS = 32;
/** Milliseconds without a request after which an MCP session over HTTP ends. */
export const MCP_REST_MS = 60 * 60_000;

/** The number of UTF-16 units that Loro imports in the time of one unit of `INLINE_COST`. */
export const APPLIED_AS_READ = 4;

// Bounds on the data that the daemon stores for one token at a time (I15). Bytes are of the texts in UTF-8.

const MB = 1 << 20;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The largest message of a thread, in bytes. */
export const MESSAGE_BYTES = MB;
/** The messages of one thread. */
export const MESSAGES: Bounds = { count: 10_000, bytes: 16 * MB };
/** The threads that one token writes in, and the bytes of its messages there. */
export const THREADS: Bounds = { count: 1000, bytes: 128 * MB };
/** The most messages and bytes of one answer of `thread.get`; the answer contains at least one message. */
export const MESSAGE_PAGE: Bounds = { count: 1000, bytes: 4 * MB };
/** The most documents of one thread, and the most anchors. */
export const MOST_THREAD_DOCUMENTS = 100;
export const MOST_ANCHORS = 200;
/** The parts of one answer under way; its texts together are at most one message. */
export const MOST_ANSWER_PARTS = 100_000;
/** The most changes, and the most proposals, that the daemon notes for one message. */
export const MOST_LINKS = 1000;
/** Milliseconds for which a lease is valid without renewal. */
export const LEASE_MS = 60_000;

/** The proposals of one token that wait for a review. */
export const PENDING_PROPOSALS: Bounds = { count: 1000, bytes: 256 * MB };
/** The reviewed proposals of one token; a new one removes the oldest. */
export const CLOSED_PROPOSALS: Bounds = { count: 1000, bytes: 256 * MB };
/** Milliseconds from a proposal's review to its removal. */
export const CLOSED_PROPOSALS_MS = 90 * DAY_MS;
/** The most bytes of proposals in one answer of a list; the answer contains at least one proposal. */
export const PROPOSAL_PAGE_BYTES = 8 * MB;

/** Milliseconds from the last time that a lasting session saw a document to the removal of its record. */
export const SEEN_MS = 30 * DAY_MS;

/** The previews of one token that can be applied; a new one removes the oldest. */
export const PREVIEWS: Bounds = { count: 500, bytes: 32 * MB };

/** The most claims of one token, open or closed lately; a closed one makes room for a new one. */
export const MOST_CLAIMS = 1000;
/** Milliseconds after which an open claim expires. */
export const CLAIM_MS = 10 * 60_000;
/** Milliseconds for which a closed claim stays known: the daemon sees some saves late. */
export const CLAIM_KEPT_MS = 2 * 60_000;
/** The most sessions of agents whose prompts the daemon remembers until their turns end. */
export const MOST_TURNS = 1000;
/** The most reads that the daemon remembers of one token. */
export const MOST_READS = 5000;
/** The most sentences that wait for one agent, and the most agents that have any. */
export const MOST_NEWS = 10;
export const MOST_NEWS_AGENTS = 1000;
/** The most files that one batch or one proposal may name (BA4), and the most changes that an answer shows as diffs. */
export const MOST_FILES = 200;
