import { RefusedError } from "../../../client/browser.ts";
import type { Result } from "../../../protocol/schemas/schemas.ts";
import { showError, showMessage, suggestionForPeople } from "../base/messages.ts";
import { plural } from "../base/plural.ts";
import { documentRoute, go } from "../base/route.ts";
import { theDaemon } from "../base/session.ts";
import { authorName, whoOf } from "./authors.ts";
import type { HistoryChange } from "./changes.ts";

type UndoAnswer = Result<"undo">;

/** The fields of a change that the page needs to undo it. */
type Undoable = Pick<HistoryChange, "changeId" | "path" | "author" | "machine">;

/** Undoes one change. Later changes stay. */
export function undoChange(change: Undoable): Promise<void> {
  const { changeId, path } = change;
  const whose = `${whoOf(change)}’s change in ${path}`;
  return runUndo(`Undid ${whose}`, path, () => theDaemon().undo({ changeId }), {
    what: `Redid ${whose}`,
    redo: () => theDaemon().redo({ changeId }),
  });
}

/** Undoes a whole batch, or nothing of it. */
export function undoBatch(batchId: string, paths: readonly string[]): Promise<void> {
  return runUndo(`Undid the batch in ${paths.join(", ")}`, paths[0], () => theDaemon().undo({ batchId }), {
    what: "Redid the batch",
    redo: () => theDaemon().redo({ batchId }),
  });
}

/** Undoes the newest change of an agent that is not undone yet, in any document. */
export function undoNewest(agent: string, name: string): Promise<void> {
  const whose = `the newest change by ${authorName(name)}`;
  return runUndo(`Undid ${whose}`, undefined, () => theDaemon().undo({ agent }), {
    what: `Redid ${whose}`,
    redo: () => theDaemon().redo({ agent }),
  });
}

/** Undoes changes as one: all of them or none. */
export function undoRun(changes: readonly HistoryChange[]): Promise<void> {
  const changeIds = changes.map(({ changeId }) => changeId);
  const whose = ofRun(changes);
  return runUndo(`Undid ${whose}`, changes[0]!.path, () => theDaemon().undo({ changeIds }), {
    what: `Redid ${whose}`,
    redo: () => theDaemon().redo({ changeIds }),
  });
}

/** Makes undone changes again, as one. */
export function redoRun(changes: readonly HistoryChange[]): Promise<void> {
  const changeIds = changes.map(({ changeId }) => changeId);
  return runRedo(`Redid ${ofRun(changes)}`, () => theDaemon().redo({ changeIds }));
}

function ofRun(changes: readonly HistoryChange[]): string {
  const { path } = changes[0]!;
  const documents = new Set(changes.map(({ docId }) => docId)).size;
  const where = documents === 1 ? path : plural(documents, "document");
  return `${plural(changes.length, "change")} in ${where} by ${whoOf(changes[0]!)}`;
}

async function runUndo(
  done: string,
  path: string | undefined,
  work: () => Promise<UndoAnswer>,
  { what, redo }: { readonly what: string; readonly redo: () => Promise<UndoAnswer> },
): Promise<void> {
  try {
    const result = await work();
    const again = { label: "Redo", run: () => void runRedo(what, redo) };
    if (result.proposal !== undefined)
      showMessage(
        "info",
        "You can only propose changes here. The undo is now a proposal and needs approval.",
        result.summary,
      );
    else showMessage("good", `${done}. All other edits stay.`, remarkOn(result), again);
  } catch (error) {
    showRefusal(error, path);
  }
}

async function runRedo(what: string, redo: () => Promise<UndoAnswer>): Promise<void> {
  try {
    showMessage("good", `${what}.`, remarkOn(await redo()));
  } catch (error) {
    showError("Could not redo the change", error);
  }
}

/** Returns a remark on the result that the person should read, if there is one. */
function remarkOn(result: UndoAnswer): string | undefined {
  const files = result.files ?? [result];
  const overlaps = files.reduce((sum, { conflicts }) => sum + conflicts.length, 0);
  if (overlaps > 0)
    return `Later edits had changed the same text in ${overlaps === 1 ? "one place" : `${overlaps} places`}. Both texts are there now. Please check.`;
  if (files.some(({ mirrored }) => !mirrored))
    return "The file could not be written yet. spliced keeps trying.";
  return undefined;
}

/** Shows why a change could not be undone. If later edits prevent it, the message links to the timeline. */
function showRefusal(error: unknown, path: string | undefined): void {
  const isConflict = error instanceof RefusedError && error.code === "CONFLICT" && path !== undefined;
  if (!isConflict) showError("Could not undo the change", error);
  else
    showMessage("bad", `Could not undo the change: ${error.message}`, suggestionForPeople(error.suggestion), {
      label: "Timeline",
      run: () => go(documentRoute(path, "timeline")),
    });
}
