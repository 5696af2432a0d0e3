import type { Result } from "../../protocol/schemas.ts";
import { authorName } from "./authors.ts";

export type HistoryChange = Result<"history.list">["changes"][number];

/** Changes that are shown as one, newest first. */
export interface ChangeGroup {
  readonly key: string;
  /** `batch`: made together, over one or several documents. `run`: one after the other, by one author, in one. */
  readonly kind: "one" | "batch" | "run";
  readonly changes: readonly [HistoryChange, ...HistoryChange[]];
}

/** A day, in the reader's own time, and what was done in it. */
export interface ChangeDay {
  readonly key: string;
  readonly groups: readonly ChangeGroup[];
}

/** Between two changes of a run there is at most this; milliseconds. */
const RUN_GAP_MS = 90_000;

/** Puts together what was done together, by day; `changes` are newest first, and so is the answer. */
export function daysOf(changes: readonly HistoryChange[]): ChangeDay[] {
  const days: { key: string; groups: ChangeGroup[] }[] = [];
  for (const change of changes) {
    const key = new Date(change.time).toDateString();
    let day = days.at(-1);
    if (day?.key !== key) {
      day = { key, groups: [] };
      days.push(day);
    }
    const last = day.groups.at(-1);
    const kind = last && joinedKind(last, change);
    if (last === undefined || kind === undefined)
      day.groups.push({ key: change.changeId, kind: change.batchId ? "batch" : "one", changes: [change] });
    else day.groups.splice(-1, 1, { key: last.key, kind, changes: [...last.changes, change] });
  }
  return days;
}

/** As what an older change goes with a group; undefined when it stands by itself. */
function joinedKind({ changes }: ChangeGroup, older: HistoryChange): ChangeGroup["kind"] | undefined {
  const last = changes.at(-1)!;
  if (older.batchId !== last.batchId) return undefined;
  if (older.batchId !== undefined) return "batch";
  const follows =
    older.docId === last.docId &&
    older.version === last.previous &&
    older.agent === last.agent &&
    older.origin === last.origin &&
    older.undone === last.undone &&
    Date.parse(last.time) - Date.parse(older.time) <= RUN_GAP_MS;
  const plain = [older, last].every(
    ({ message, undoes, previous, origin, lacked }) =>
      message === undefined &&
      undoes === undefined &&
      lacked === undefined &&
      previous !== null &&
      origin !== "proposal",
  );
  return follows && plain ? "run" : undefined;
}

/** Adds a change that was just made; what it takes back, or makes again, is marked. Undefined when that cannot be known. */
export function withChange(
  changes: readonly HistoryChange[],
  made: HistoryChange,
): readonly HistoryChange[] | undefined {
  if (changes.some(({ changeId }) => changeId === made.changeId)) return changes;
  const at = changes.findIndex(({ time }) => time <= made.time);
  const added = at < 0 ? [...changes, made] : changes.toSpliced(at, 0, made);
  return made.undoes === undefined ? added : withUndone(added, made.undoes, true);
}

/** A change that was an undo itself gives back what it had taken, once it is taken back. */
function withUndone(
  changes: readonly HistoryChange[],
  id: string,
  undone: boolean,
): readonly HistoryChange[] | undefined {
  const at = changes.findIndex(({ changeId }) => changeId === id);
  if (at < 0) return undefined;
  const change = changes[at]!;
  const marked = changes.with(at, { ...change, undone });
  return change.undoes === undefined ? marked : withUndone(marked, change.undoes, !undone);
}

/** What was done, in a few words, where nobody said why. */
export function changeTitle({ origin, previous, undoes, author, undone }: HistoryChange): string {
  if (author === "spliced") return "Gave back what a save lacked";
  if (undoes !== undefined) return undone ? "Took back a change, then made it again" : "Took a change back";
  if (previous === null)
    return origin === "disk" ? "Was there when the daemon first looked" : "Made the document";
  switch (origin) {
    case "disk":
      return "Saved in an editor";
    case "undo":
      return "Went back to what the file held";
    case "proposal":
      return "Approved proposal";
    case "remote":
      return "Came from another machine";
    case "agent":
      return "Edited";
  }
}

/** The heading of a day, as people say it. */
export function dayHeading(key: string, now: number): string {
  const day = new Date(key);
  const today = new Date(new Date(now).toDateString());
  const ago = Math.round((today.getTime() - day.getTime()) / 86_400_000);
  if (ago === 0) return "Today";
  if (ago === 1) return "Yesterday";
  const year = day.getFullYear() === today.getFullYear() ? undefined : "numeric";
  return day.toLocaleDateString("en", { weekday: "long", day: "numeric", month: "long", year });
}

/** Whose changes they are, as `editor (disk) and claude`. */
export function authorNames(authors: Iterable<string>): string {
  return new Intl.ListFormat("en").format([...new Set(authors)].map(authorName));
}
