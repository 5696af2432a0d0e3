import { setImmediate } from "node:timers/promises";
import {
  type ChangeRecord,
  type DocumentRecord,
  firstSeqOf,
  type Seq,
  type Store,
} from "../../store/store.ts";

/** One entry among the entries of all documents. */
export interface TimelineEntry {
  readonly record: DocumentRecord;
  readonly change: ChangeRecord;
  /** The entry before it of the same document. */
  readonly previous: ChangeRecord | undefined;
  /** True if a later change undid it and was not undone itself. */
  readonly undone: boolean;
}

/** The changes of one document that the timeline has not yielded yet. */
interface DocumentQueue {
  readonly record: DocumentRecord;
  /** The changes read from the store, newest last. */
  readonly changes: ChangeRecord[];
  /** Only older changes remain in the store. */
  before: Seq;
}

/** The `before` of a document of which nothing was read. */
const NONE_READ = Number.MAX_SAFE_INTEGER;
/** The changes of one document that are read at once. */
const PAGE = 32;
/** The documents or changes that are processed before other requests continue (I14). */
const YIELD_EVERY = 100;

/** Yields the changes of documents, newest first. */
export async function* timeline(
  store: Store,
  records: readonly DocumentRecord[],
): AsyncGenerator<TimelineEntry> {
  const undone = new Set<string>();
  const queues: DocumentQueue[] = [];
  for (const [i, record] of records.entries()) {
    if (i % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
    const queue: DocumentQueue = { record, changes: [], before: NONE_READ };
    if (readMore(store, queue)) queues.push(queue);
  }
  queues.sort((a, b) => newest(a).time - newest(b).time);
  for (let yielded = 0; queues.length > 0; yielded++) {
    if (yielded % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
    const queue = queues.pop()!;
    const change = queue.changes.pop()!;
    const isUndone = undone.has(change.id);
    if (!isUndone && change.undoes !== undefined)
      for (const id of [change.undoes, ...(change.alsoUndoes ?? [])]) undone.add(id);
    if (queue.changes.length > 0 || readMore(store, queue))
      queues.splice(indexFor(queues, newest(queue)), 0, queue);
    yield { record: queue.record, change, previous: queue.changes.at(-1), undone: isUndone };
  }
}

/** Reads a document's next older changes; returns false if there are none. */
function readMore(store: Store, queue: DocumentQueue): boolean {
  const { record, before } = queue;
  const page = [...store.changes(record.id, { before, limit: PAGE })].reverse();
  const isGap = before > 0 && before < NONE_READ && page.at(-1)?.seq !== before - 1;
  queue.changes.push(...((isGap && foldedMeanwhile(store, record.id, before)) || page));
  const [oldest] = queue.changes;
  queue.before = oldest === undefined ? 0 : firstSeqOf(oldest);
  return queue.changes.length > 0;
}

/** Returns the changes before a change, oldest first, that were folded with it since it was read. */
function foldedMeanwhile(store: Store, docId: string, before: Seq): ChangeRecord[] | undefined {
  const entry = store.entry(docId, before - 1);
  if (entry === undefined || entry.seq < before) return undefined;
  const seqs = Array.from({ length: before - firstSeqOf(entry) }, (_, i) => firstSeqOf(entry) + i);
  return seqs.flatMap((seq) => store.change(docId, seq) ?? []);
}

function newest(queue: DocumentQueue): ChangeRecord {
  return queue.changes.at(-1)!;
}

/** Returns the index for a queue among queues that ascend by the times of their newest changes. */
function indexFor(queues: readonly DocumentQueue[], { time }: ChangeRecord): number {
  let low = 0;
  let high = queues.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (newest(queues[middle]!).time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
