import { setImmediate } from "node:timers/promises";
import type { DocumentRecord, Seq } from "../../store/store.ts";
import { isRefusal } from "../outcome/refusal.ts";
import { keepFrom } from "./retention.ts";
import type { Workspace } from "./workspace.ts";

/** The numbers of removed changes, or of changes that a prune would remove. */
export interface Pruned {
  readonly documents: number;
  readonly changes: number;
  /** The approximate bytes of these changes in the store. */
  readonly bytes: number;
  /** The number of documents whose old history stays for now, because a client uses them or their file is behind. */
  readonly kept: number;
}

/** The number of documents that are looked at before other clients get a turn (I14). */
const YIELD_EVERY = 50;

/**
 * Drops the changes older than `keepMs` of all documents, as a rest with the setting keepHistoryDays does. Checkpoints,
 * proposals and the present texts need is preserved. With `dryRun` it only counts.
 */
export async function prune(workspace: Workspace, keepMs: number, dryRun: boolean): Promise<Pruned> {
  const { store } = workspace.ports;
  let [documents, changes, bytes, kept] = [0, 0, 0, 0];
  for (const [i, record] of store.documents().entries()) {
    if (i % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
    const first = keepFrom(workspace.ports, workspace.pins, record.id, keepMs);
    const old = [...store.changes(record.id, { before: first })];
    if (old.length === 0) continue;
    const size = old.reduce((sum, change) => sum + JSON.stringify(change).length, 0);
    if (!dryRun && !(await pruneDocument(workspace, record, keepMs, first))) {
      kept++;
      continue;
    }
    documents++;
    changes += old.length;
    bytes += size;
  }
  return { documents, changes, bytes, kept };
}

/** Resolves with true once a document has no change before `first`; with false if it cannot rest now. */
async function pruneDocument(
  workspace: Workspace,
  { id }: DocumentRecord,
  keepMs: number,
  first: Seq,
): Promise<boolean> {
  const document = await workspace.openedById(id);
  if (document === undefined || isRefusal(document)) return false;
  await document.mirror.reached(document.head.seq);
  if (!document.restful || workspace.updates.has(id)) return false;
  await document.compact({ leaving: true, keepMs });
  // A loaded document would remember the changes that the store has no more.
  if (document.restful) await workspace.drop(document);
  const oldest = workspace.ports.store.oldest(id);
  return oldest !== undefined && oldest.seq >= first;
}
