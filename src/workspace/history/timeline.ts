import { setImmediate } from "node:timers/promises";
import type { ChangeRecord, DocumentRecord, Seq, Store } from "../../store/store.ts";

/** A change in its place among all others. */
export interface TimelineEntry {
  readonly record: DocumentRecord;
  readonly change: ChangeRecord;
  /** The one before it of the same document. */
  readonly previous: ChangeRecord | undefined;
  /** Taken back by a later change that was not taken back itself. */
  readonly undone: boolean;
}

interface Line {
  readonly record: DocumentRecord;
  /** Read and not yet told, newest last. */
  readonly waiting: ChangeRecord[];
  before: Seq;
}

/** Changes of one document that are read at once. */
const PAGE = 32;
/** Documents looked at before others get a turn (I14). */
const YIELD_EVERY = 100;

/** The changes of these documents, newest first. */
export async function* timeline(
  store: Store,
  records: readonly DocumentRecord[],
): AsyncGenerator<TimelineEntry> {
  const undone = new Set<string>();
  const lines: Line[] = [];
  for (const [i, record] of records.entries()) {
    if (i % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
    const line: Line = { record, waiting: [], before: Number.MAX_SAFE_INTEGER };
    if (fill(store, line)) lines.push(line);
  }
  lines.sort((a, b) => newest(a).time - newest(b).time);
  for (let told = 0; lines.length > 0; told++) {
    if (told % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
    const line = lines.pop()!;
    const change = line.waiting.pop()!;
    const taken = undone.has(change.id);
    if (!taken && change.undoes !== undefined) undone.add(change.undoes);
    if (line.waiting.length > 0 || fill(store, line)) lines.splice(placeOf(lines, newest(line)), 0, line);
    yield { record: line.record, change, previous: line.waiting.at(-1), undone: taken };
  }
}

/** Reads a document's next older changes; false when there are none. */
function fill(store: Store, line: Line): boolean {
  const page = [...store.changes(line.record.id, { before: line.before, limit: PAGE })];
  line.waiting.push(...page.reverse());
  line.before = line.waiting[0]?.seq ?? 0;
  return line.waiting.length > 0;
}

function newest(line: Line): ChangeRecord {
  return line.waiting.at(-1)!;
}

/** Where a line goes among those in the order of their newest changes. */
function placeOf(lines: readonly Line[], { time }: ChangeRecord): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (newest(lines[middle]!).time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
