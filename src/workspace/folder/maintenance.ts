import { type Files, type Image, isFileProblem, onDevice, sameImage } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { DocumentRecord } from "../../store/store.ts";
import type { Document } from "../document/document.ts";
import { isBehind, isUnsettled } from "../document/recovery.ts";
import { isRefusal } from "../outcome/refusal.ts";
import { leaving } from "./resting.ts";
import type { Workspace } from "./workspace.ts";

/** The interval of maintenance, in milliseconds; a longer one while no document is in memory. */
const TICK_MS = 250;
const IDLE_TICK_MS = 1_000;
/** The number of documents that maintenance works on at the same time. */
const TENDED_AT_ONCE = 16;
/** The number of documents that are opened at the same time after a start. */
const OPENED_AT_ONCE = 100;
/**
 * The time for which answers are stored, and the number of newest answers stored for longer: the clock may have been
 * set ahead.
 */
const ANSWERS_KEPT_MS = 24 * 60 * 60 * 1000;
const ANSWERS_KEPT = 10_000;
/** The interval of chores, in milliseconds. */
const CHORES_MS = 60 * 60 * 1000;
/** The interval at which documents try again what the store refused; milliseconds. */
const LEFT_MS = 1_000;
/** The interval at which answers are packed, in milliseconds. */
const PACK_MS = 10_000;

/** The time between two passes of the cover, and the time while changes may go unseen; milliseconds. */
const COVER_MS = 60 * 60 * 1000;
const DOUBTFUL_MS = 5_000;

/** A feature's work after a start, and every hour. */
export interface Chore {
  /** The chore's name in the log. */
  readonly what: string;
  readonly run: () => Promise<unknown>;
}

/**
 * Runs beside requests until the signal aborts. It stores file records, compares files with their documents, compacts
 * and drops unused documents, forgets old answers, and runs chores.
 */
export async function maintain(
  workspace: Workspace,
  signal: AbortSignal,
  features: readonly Chore[] = [],
): Promise<void> {
  const { clock, store, passing } = workspace.ports;
  const failed = reporting(workspace);
  let verified = clock.elapsed();
  const sync = unlessRunning(() => syncDue(workspace));
  let covered = clock.elapsed();
  const pack = unlessRunning(() => store.packAnswers().catch(failed("answers")));
  let packed = clock.elapsed();
  const merge = unlessRunning(() => Promise.all(openLeft(workspace)).then(() => undefined));
  let merged = clock.elapsed();
  const caughtUp = catchUp(workspace, signal, tendLoaded);
  const cover = unlessRunning(async () => {
    passing?.(true);
    // Where the daemon stops meanwhile, the pass lacks what it needs; the next start makes another.
    await workspace.cover.pass(signal, caughtUp).catch((error) => signal.aborted || failed("cover")(error));
    passing?.(false);
    await workspace.cover.forgetContents().catch(failed("contents"));
    covered = clock.elapsed();
  });
  cover();
  await caughtUp;
  const answers = () => store.forgetAnswers(clock.now() - ANSWERS_KEPT_MS, ANSWERS_KEPT);
  const chores: readonly Chore[] = [{ what: "answers", run: answers }, ...features];
  await doChores();
  let done = clock.elapsed();
  while (!signal.aborted) {
    await clock.sleep(isIdle() ? IDLE_TICK_MS : TICK_MS, signal);
    if (signal.aborted) return;
    const now = clock.elapsed();
    if (now - verified >= workspace.limits.verifyMs) {
      verified = now;
      await workspace.verify().catch(failed("verify"));
    }
    if (now - packed >= PACK_MS) {
      packed = now;
      pack();
    }
    if (now - merged >= LEFT_MS) {
      merged = now;
      merge();
    }
    if (now - covered >= (workspace.cover.isDoubtful ? DOUBTFUL_MS : COVER_MS)) cover();
    if (now - done >= CHORES_MS) {
      done = now;
      await doChores();
    }
    sync();
    await tendLoaded();
  }

  function isIdle(): boolean {
    return workspace.loaded.size === 0;
  }

  async function tendLoaded(): Promise<void> {
    const unused = leaving(workspace);
    await inGroups([...workspace.loaded], (document) => tend(document, unused.has(document)));
  }

  async function tend(document: Document, isUnused: boolean): Promise<void> {
    if (document.failure !== undefined) return;
    void document.mirror.sweep();
    const { lastUsed } = document;
    const resting = isUnused && document.restful;
    await document.compact({ leaving: resting }).catch(failed(document.path));
    await document.saveRecord().catch(failed(document.path));
    await document.fold().catch(failed(document.path));
    if (resting && document.restful && document.lastUsed === lastUsed) await workspace.drop(document);
  }

  async function doChores(): Promise<void> {
    for (const { what, run } of chores) await run().catch(failed(what));
  }
}

/** Returns a function that makes a handler for failures of some work: the log gets them, and other work goes on. */
function reporting({ ports: { report } }: Workspace) {
  return (what: string) => (error: unknown) => report("housekeeping.failed", { what, reason: String(error) });
}

/** Does work on documents, on a few at a time; their waiting writes are stored together. */
async function inGroups(documents: Document[], work: (document: Document) => Promise<void>): Promise<void> {
  while (documents.length > 0) await Promise.all(documents.splice(0, TENDED_AT_ONCE).map(work));
}

/** Syncs one file at a time, so that no client waits for a sync. */
async function syncDue(workspace: Workspace): Promise<void> {
  for (const document of [...workspace.loaded]) if (document.syncDue) await document.sync();
}

/** Returns a function that starts the work, unless the last run has not ended. */
function unlessRunning(work: () => Promise<void>): () => void {
  let running = false;
  return () => {
    if (running) return;
    running = true;
    void work().finally(() => {
      running = false;
    });
  };
}

/**
 * Catches up after a start: writes documents to files that do not hold everything, and merges files that changed while
 * the daemon was away. All other documents stay unloaded. `tendLoaded` drops the opened ones, while it opens the next.
 */
async function catchUp(
  workspace: Workspace,
  signal: AbortSignal,
  tendLoaded: () => Promise<void>,
): Promise<void> {
  const { store, clock, files } = workspace.ports;
  const known = store.documents();
  const failed = reporting(workspace);
  const opening = openLeft(workspace);
  let looked = 0;
  let tending = Promise.resolve();
  for (const record of known) {
    if (signal.aborted) return tending;
    if (++looked % 100 === 0) await clock.sleep(0, signal);
    if (record.deletedAt !== undefined) continue;
    const behind = isBehind(store, record);
    const seen = seenAsRecorded(files, record);
    if (seen !== undefined) workspace.rest(record.path as DocPath, seen);
    if (seen !== undefined && !behind && !isUnsettled(record)) continue;
    opening.push(workspace.openBriefly(record.path as DocPath).catch(failed(record.path)));
    // Side by side, because each document whose file is missing takes its grace time.
    if (opening.length < OPENED_AT_ONCE) continue;
    await Promise.all([...opening.splice(0), tending]);
    tending = tendLoaded();
    tending.catch(() => undefined); // the next wait throws it
  }
  await Promise.all([...opening, tending]);
}

/**
 * Opens the documents that displaced files wait for: each merges its files then. Also opens those anew that failed, whose
 * files may lack edits that the store has. A store with trouble would refuse the merges.
 */
function openLeft(workspace: Workspace): Promise<void>[] {
  const refused = [...workspace.loaded].filter(({ failure }) => failure);
  const failed = reporting(workspace);
  if (workspace.ports.store.trouble !== undefined) return [];
  return [...workspace.left.docIds, ...refused.map(({ id }) => id)].map(async (docId) => {
    await mergeLeft(workspace, docId).catch(failed(`displaced files of ${docId}`));
  });
}

/** Gives a document its displaced files; discards those of a document that the store does not have. */
async function mergeLeft(workspace: Workspace, docId: string): Promise<void> {
  const { left } = workspace;
  await left.noted(docId); // after a refusal the files wait on
  const document = await workspace.openedById(docId);
  if (document === undefined) left.discard(docId);
  else if (!isRefusal(document)) left.giveTo(document);
}

/** Looks at a stored document's file; undefined unless it has the stamps of the record. */
function seenAsRecorded(files: Files, { path, image }: DocumentRecord): Image | undefined {
  if (image === undefined) return undefined;
  const seen = files.look(path as DocPath);
  return !isFileProblem(seen) && sameImage(seen, onDevice(image, seen.dev)) ? seen : undefined;
}
