/** How many things of a kind, and of how many bytes together. */
export interface Bounds {
  readonly count: number;
  readonly bytes: number;
}

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
