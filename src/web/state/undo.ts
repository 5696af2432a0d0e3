import { RefusedError } from "../../client/browser.ts";
import type { Result } from "../../protocol/schemas.ts";
import { authorName } from "./authors.ts";
import type { HistoryChange } from "./changes.ts";
import { showError, showMessage } from "./messages.ts";
import { documentRoute, go } from "./route.ts";
import { theDaemon } from "./session.ts";

type UndoAnswer = Result<"undo">;

/** Takes one change back; all that came after it stays. */
export function undoChange(change: Pick<HistoryChange, "changeId" | "path" | "author">): Promise<void> {
  const { changeId, path, author } = change;
  const whose = `${authorName(author)}’s change of ${path}`;
  return runUndo(`Took back ${whose}`, path, () => theDaemon().undo({ changeId }), {
    what: `Made ${whose} again`,
    redo: () => theDaemon().redo({ changeId }),
  });
}

/** Takes back all of a batch, or nothing of it. */
export function undoBatch(batchId: string, paths: readonly string[]): Promise<void> {
  return runUndo(
    `Took the batch back, in ${paths.join(", ")}`,
    paths[0],
    () => theDaemon().undo({ batchId }),
    {
      what: "Made the batch again",
      redo: () => theDaemon().redo({ batchId }),
    },
  );
}

/** Takes back what an agent did last and is not undone yet, wherever that was. */
export function undoNewest(agent: string, name: string): Promise<void> {
  const whose = `the newest change of ${authorName(name)}`;
  return runUndo(`Took back ${whose}`, undefined, () => theDaemon().undo({ agent }), {
    what: `Made ${whose} again`,
    redo: () => theDaemon().redo({ agent }),
  });
}

/** Takes back changes that were made one after the other, the newest first; stops at one that cannot be. */
export async function undoRun(changes: readonly HistoryChange[]): Promise<void> {
  const { path, author } = changes[0]!;
  const whose = `${changes.length} changes of ${path} by ${authorName(author)}`;
  const each = async (order: readonly HistoryChange[], work: (changeId: string) => Promise<UndoAnswer>) => {
    let last: UndoAnswer | undefined;
    for (const { changeId } of order) last = await work(changeId);
    return last!;
  };
  await runUndo(
    `Took back ${whose}`,
    path,
    () => each(changes, (changeId) => theDaemon().undo({ changeId })),
    {
      what: `Made ${whose} again`,
      redo: () => each(changes.toReversed(), (changeId) => theDaemon().redo({ changeId })),
    },
  );
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
      showMessage("info", "You may only propose here: taking it back waits for approval.", result.summary);
    else showMessage("good", `${done}. Everything else stays.`, remarkOn(result), again);
  } catch (error) {
    showRefusal(error, path);
  }
}

async function runRedo(what: string, redo: () => Promise<UndoAnswer>): Promise<void> {
  try {
    showMessage("good", `${what}.`, remarkOn(await redo()));
  } catch (error) {
    showError("It could not be made again", error);
  }
}

/** What somebody should know of the result beyond that it was done. */
function remarkOn(result: UndoAnswer): string | undefined {
  const files = result.files ?? [result];
  const overlaps = files.reduce((sum, { conflicts }) => sum + conflicts.length, 0);
  if (overlaps > 0)
    return `Later edits had changed the same text in ${overlaps === 1 ? "one place" : `${overlaps} places`}; both stay there. Have a look.`;
  if (files.some(({ mirrored }) => !mirrored))
    return "The file could not be written yet; it is kept and tried again.";
  return undefined;
}

/** Where later edits stand in the way, older versions are one step away. */
function showRefusal(error: unknown, path: string | undefined): void {
  const inTheWay = error instanceof RefusedError && error.code === "CONFLICT" && path !== undefined;
  if (!inTheWay) showError("It was not taken back", error);
  else
    showMessage("bad", `It was not taken back: ${error.message}`, error.suggestion, {
      label: "Timeline",
      run: () => go(documentRoute(path, "timeline")),
    });
}
