import { RefusedError } from "../../client/browser.ts";
import type { Result } from "../../protocol/schemas.ts";
import { authorName } from "./authors.ts";
import type { Change } from "./changes.ts";
import { documentRoute, go } from "./route.ts";
import { theDaemon } from "./session.ts";
import { complain, say } from "./messages.ts";

type Undone = Result<"undo">;

/** Takes one change back; all that came after it stays. */
export function takeBack(change: Pick<Change, "changeId" | "path" | "author">): Promise<void> {
  const { changeId, path, author } = change;
  const whose = `${authorName(author)}’s change of ${path}`;
  return told(`Took back ${whose}`, path, () => theDaemon().undo({ changeId }), {
    what: `Made ${whose} again`,
    redo: () => theDaemon().redo({ changeId }),
  });
}

/** Takes back all of a batch, or nothing of it. */
export function takeBatchBack(batchId: string, paths: readonly string[]): Promise<void> {
  return told(`Took the batch back, in ${paths.join(", ")}`, paths[0], () => theDaemon().undo({ batchId }), {
    what: "Made the batch again",
    redo: () => theDaemon().redo({ batchId }),
  });
}

/** Takes back what an agent did last and is not undone yet, wherever that was. */
export function takeNewestBack(agent: string, name: string): Promise<void> {
  const whose = `the newest change of ${authorName(name)}`;
  return told(`Took back ${whose}`, undefined, () => theDaemon().undo({ agent }), {
    what: `Made ${whose} again`,
    redo: () => theDaemon().redo({ agent }),
  });
}

/** Takes back changes that were made one after the other, the newest first; stops at one that cannot be. */
export async function takeRunBack(changes: readonly Change[]): Promise<void> {
  const { path, author } = changes[0]!;
  const whose = `${changes.length} changes of ${path} by ${authorName(author)}`;
  const each = async (order: readonly Change[], work: (changeId: string) => Promise<Undone>) => {
    let last: Undone | undefined;
    for (const { changeId } of order) last = await work(changeId);
    return last!;
  };
  await told(`Took back ${whose}`, path, () => each(changes, (changeId) => theDaemon().undo({ changeId })), {
    what: `Made ${whose} again`,
    redo: () => each(changes.toReversed(), (changeId) => theDaemon().redo({ changeId })),
  });
}

async function told(
  done: string,
  path: string | undefined,
  work: () => Promise<Undone>,
  { what, redo }: { readonly what: string; readonly redo: () => Promise<Undone> },
): Promise<void> {
  try {
    const result = await work();
    const again = { label: "Redo", run: () => void remade(what, redo) };
    if (result.proposal !== undefined)
      say("info", "You may only propose here: taking it back waits for approval.", result.summary);
    else say("good", `${done}. Everything else stays.`, restOf(result), again);
  } catch (error) {
    refused(error, path);
  }
}

async function remade(what: string, redo: () => Promise<Undone>): Promise<void> {
  try {
    say("good", `${what}.`, restOf(await redo()));
  } catch (error) {
    complain("It could not be made again", error);
  }
}

/** What somebody should know of the result beyond that it was done. */
function restOf(result: Undone): string | undefined {
  const files = result.files ?? [result];
  const overlaps = files.reduce((sum, { conflicts }) => sum + conflicts.length, 0);
  if (overlaps > 0)
    return `Later edits had changed the same text in ${overlaps === 1 ? "one place" : `${overlaps} places`}; both stay there. Have a look.`;
  if (files.some(({ mirrored }) => !mirrored))
    return "The file could not be written yet; it is kept and tried again.";
  return undefined;
}

/** Where later edits stand in the way, older versions are one step away. */
function refused(error: unknown, path: string | undefined): void {
  const inTheWay = error instanceof RefusedError && error.code === "CONFLICT" && path !== undefined;
  if (!inTheWay) complain("It was not taken back", error);
  else
    say("bad", `It was not taken back: ${error.message}`, error.suggestion, {
      label: "Timeline",
      run: () => go(documentRoute(path, "timeline")),
    });
}
