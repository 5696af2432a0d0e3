import type { Result } from "../../../protocol/schemas/schemas.ts";
import { plural } from "../base/plural.ts";
import { authorName, DISK } from "./authors.ts";

export type HistoryChange = Result<"history.list">["changes"][number];

/** Changes that the page shows as one, newest first. */
export interface ChangeGroup {
  /** The id of the oldest change, so that newer ones that join leave the group the same for the page. */
  readonly key: string;
  /**
   * `batch`: the changes of one batch. `run`: consecutive changes of one author in one document. `series`: like changes
   * of one author in several documents.
   */
  readonly kind: "one" | "batch" | "run" | "series";
  readonly changes: readonly [HistoryChange, ...HistoryChange[]];
}

/** The changes of one day, in the reader's time zone. */
interface ChangeDay {
  readonly key: string;
  readonly groups: readonly ChangeGroup[];
}

/** The longest pause between two changes of a run, in milliseconds. */
const RUN_GAP_MS = 90_000;

/** Groups changes by day, and by batch, run or series within it. `changes` are newest first, and so is the result. */
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
    else day.groups.splice(-1, 1, { key: change.changeId, kind, changes: [...last.changes, change] });
  }
  return days;
}

/** Returns whether two groups are of the same changes in the same state. */
export function isSameGroup(a: ChangeGroup, b: ChangeGroup): boolean {
  const { length } = a.changes;
  return (
    a.kind === b.kind && length === b.changes.length && a.changes.every((each, i) => each === b.changes[i])
  );
}

/** Returns the message of a group, or a title for what it did. */
export function groupTitle(group: ChangeGroup): string {
  const { changes, kind } = group;
  const [newest] = changes;
  const message = messageOf(group);
  if (message !== undefined) return message;
  if (kind === "batch") {
    const documents = plural(documentsOf(changes).length, "document");
    return newest.undoes === undefined ? `Edited ${documents} together` : `Undid changes in ${documents}`;
  }
  if (kind === "one") return changeTitle(newest);
  if (kind === "series") {
    const documents = plural(documentsOf(changes).length, "document");
    return isSave(newest) ? `Saved ${documents} in an editor` : `Edited ${documents}`;
  }
  if (changes.every(isPatch)) return `${changes.length} patches`;
  return isSave(newest) ? `Saved ${changes.length} times in an editor` : `${changes.length} edits`;
}

/** Returns the paths of the documents that some changes changed, each once. */
export function documentsOf(changes: readonly HistoryChange[]): string[] {
  return [...new Set(changes.map(({ path }) => path))];
}

/** Returns the message that the changes of a group have, with their number in a run; undefined without a message. */
function messageOf({ changes, kind }: ChangeGroup): string | undefined {
  const [{ message }] = changes;
  return message !== undefined && kind === "run" ? `${message} (${changes.length} edits)` : message;
}

/** Returns whether a patch made a change. */
export function isPatch({ patch }: HistoryChange): boolean {
  return patch !== undefined;
}

/** Returns whether a change is a save of the file, on this machine or on another. */
function isSave({ origin, author }: HistoryChange): boolean {
  return origin === "disk" || (origin === "remote" && author === DISK);
}

/** Returns the kind of a group once an older change joins it; undefined if that change starts its own group. */
function joinedKind({ changes }: ChangeGroup, older: HistoryChange): ChangeGroup["kind"] | undefined {
  const last = changes.at(-1)!;
  if (older.batchId !== last.batchId) return undefined;
  if (older.batchId !== undefined) return "batch";
  const isAlike =
    older.agent === last.agent &&
    older.machine === last.machine &&
    older.origin === last.origin &&
    older.kind === last.kind &&
    older.message === last.message &&
    older.undone === last.undone &&
    isPatch(older) === isPatch(last) &&
    Date.parse(last.time) - Date.parse(older.time) <= RUN_GAP_MS;
  const isPlain = [older, last].every(
    ({ undoes, previous, origin, lacked }) =>
      undoes === undefined && lacked === undefined && previous !== null && origin !== "proposal",
  );
  if (!isAlike || !isPlain) return undefined;
  if (changes.some(({ docId }) => docId !== older.docId)) return "series";
  return older.version === last.previous ? "run" : undefined;
}

/**
 * Adds a new change, and marks the change that it undoes or redoes. Returns undefined if that change is not in the
 * list, so that the list has to be loaded again.
 */
export function withChange(
  changes: readonly HistoryChange[],
  added: HistoryChange,
): readonly HistoryChange[] | undefined {
  if (changes.some(({ changeId }) => changeId === added.changeId)) return changes;
  const at = changes.findIndex(({ time }) => time <= added.time);
  const all = at < 0 ? [...changes, added] : changes.toSpliced(at, 0, added);
  return added.undoes === undefined ? all : withUndone(all, added.undoes, true);
}

/**
 * Marks a change as undone or not. If that change is itself an undo, the change that it undoes gets the opposite mark.
 */
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

const FILE_TITLES: Readonly<Record<Exclude<HistoryChange["kind"], "edit">, string>> = {
  create: "Created the file",
  delete: "Deleted the file",
  rename: "Renamed the file",
};

/** Returns a title for a change without a message. */
export function changeTitle(change: HistoryChange): string {
  const { origin, previous, undoes, author, undone, certainty, kind } = change;
  if (author === "spliced") return "Restored edits that a save had removed";
  if (undoes !== undefined) return undone ? "Undid a change, then redid it" : "Undid a change";
  if (kind !== "edit") return FILE_TITLES[kind];
  if (previous === null) return origin === "disk" ? "Existing file" : "Created the document";
  switch (origin) {
    case "disk":
      return certainty === undefined ? "Saved in an editor" : "Saved the file";
    case "undo":
      return "Reverted to the file on disk";
    case "proposal":
      return "Approved proposal";
    case "remote":
      if (change.machine === undefined) return "Edited by a Loro client";
      return isSave(change) ? "Saved in an editor" : isPatch(change) ? "Patched" : "Edited";
    case "agent":
      return isPatch(change) ? "Patched" : "Edited";
  }
}

/** Returns the heading of a day, as `Today`. */
export function dayHeading(key: string, now: number): string {
  const day = new Date(key);
  const today = new Date(new Date(now).toDateString());
  const ago = Math.round((today.getTime() - day.getTime()) / 86_400_000);
  if (ago === 0) return "Today";
  if (ago === 1) return "Yesterday";
  const year = day.getFullYear() === today.getFullYear() ? undefined : "numeric";
  return day.toLocaleDateString("en", { weekday: "long", day: "numeric", month: "long", year });
}

/** Returns the names of authors as a list, as `editor (disk) and claude`. */
export function authorNames(authors: Iterable<string>): string {
  return new Intl.ListFormat("en").format([...new Set(authors)].map(authorName));
}
