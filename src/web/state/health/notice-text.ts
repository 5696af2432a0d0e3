import type { NotificationParams } from "../../../protocol/schemas/schemas.ts";
import { sentence } from "../base/sentence.ts";
import { authorNames, type HistoryChange } from "../changes/changes.ts";

/** The kinds of events that a notice can report. */
type NoticeEvent =
  /** A save of an older copy was merged: the edits that it lacked were rescued. */
  | { readonly kind: "rescued"; readonly changeId: string; readonly authors: readonly string[] }
  /** A save removed edits of others, and they stayed removed. */
  | { readonly kind: "superseded"; readonly changeId: string; readonly authors: readonly string[] }
  /** Two authors changed the same words, or words beside each other; the document contains both texts. */
  | { readonly kind: "conflict"; readonly author: string; readonly sides: readonly ConflictSides[] }
  /** An agent's edit did not fit; the document did not change. */
  | {
      readonly kind: "rejected";
      readonly author: string;
      readonly message: string;
      /** Whether the edit was a patch. */
      readonly isPatch?: boolean;
    }
  | { readonly kind: "blocked"; readonly message: string }
  | { readonly kind: "deleted"; readonly author: string; readonly unsaved: number };

interface ConflictSides {
  readonly ours: string;
  readonly theirs: string;
}

/** An event that the page shows to a person until they dismiss it. */
export type UserNotice = NoticeEvent & {
  /** The same for repeated reports of one event. */
  readonly id: string;
  readonly path: string;
  /** ISO 8601. */
  readonly time: string;
  /** The number of reports of the event. */
  readonly times: number;
  /** The outcome, once nothing is left to do. */
  readonly settled: string | undefined;
};

/** Characters of a conflict's text in a notice; the storage of a window holds some five million. */
const MOST_TEXT = 2_000;
/** Places of a conflict in a notice. */
const MOST_SIDES = 5;

export function rescueNotice({ path, changeId, authors }: NotificationParams<"doc.rescued">): UserNotice {
  return { ...noticeBase(path, `rescued ${changeId}`), kind: "rescued", changeId, authors };
}

/** Returns the notice of a save in the history that lacked edits of others, whether or not spliced rescued them. */
export function historyNotice({ path, changeId, time, author, lacked }: HistoryChange): UserNotice {
  const kind = author === "spliced" ? "rescued" : "superseded";
  return { ...noticeBase(path, `${kind} ${changeId}`), time, kind, changeId, authors: lacked?.authors ?? [] };
}

export function conflictNotice(conflict: NotificationParams<"doc.conflict">): UserNotice {
  const { path, version, author, conflicts, superseded } = conflict;
  if (superseded !== undefined) {
    const { changeId, authors } = superseded;
    return { ...noticeBase(path, `superseded ${changeId}`), kind: "superseded", changeId, authors };
  }
  const sides = conflicts.slice(0, MOST_SIDES).map(({ ours, theirs }) => ({
    ours: ours.insert.slice(0, MOST_TEXT),
    theirs: theirs.insert.slice(0, MOST_TEXT),
  }));
  return { ...noticeBase(path, `conflict ${path} ${version}`), kind: "conflict", author, sides };
}

export function rejectedNotice(rejected: NotificationParams<"edit.rejected">): UserNotice {
  const { path, author, agent, method, reason, message } = rejected;
  const id = `rejected ${agent} ${path} ${method} ${reason}`;
  return { ...noticeBase(path, id), kind: "rejected", author, message, isPatch: method === "edit.patch" };
}

export function blockedNotice({ path, problem }: NotificationParams<"mirror.blocked">): UserNotice {
  return { ...noticeBase(path, `blocked ${path}`), kind: "blocked", message: problem.message };
}

export function deletedNotice({
  path,
  docId,
  author,
  unsaved,
}: NotificationParams<"doc.deleted">): UserNotice {
  return { ...noticeBase(path, `deleted ${docId}`), kind: "deleted", author, unsaved };
}

function noticeBase(
  path: string,
  id: string,
): Pick<UserNotice, "id" | "path" | "time" | "times" | "settled"> {
  return { id, path, time: new Date().toISOString(), times: 1, settled: undefined };
}

/** Returns the title and the text of a notice. */
export function noticeText(notice: UserNotice): { readonly title: string; readonly text: string } {
  switch (notice.kind) {
    case "rescued":
      return {
        title: `A save of ${notice.path} was merged`,
        text: `Your editor saved an older copy. Newer edits by ${namesOrOthers(notice.authors)} were kept, and so was your save.`,
      };
    case "superseded":
      return {
        title: `A save of ${notice.path} removed others’ edits`,
        text: `The saved text lacks edits by ${namesOrOthers(notice.authors)}. spliced cannot know whether that was intended, so it kept the save.`,
      };
    case "conflict":
      return {
        title: `Two authors changed the same words in ${notice.path}`,
        text: `${authorNames([notice.author])} and another author changed the same words, or words beside each other. The document now contains both changes. Look at the place, and delete the text that you do not want.`,
      };
    case "rejected":
      return {
        title: `${notice.isPatch ? "A patch" : "An edit"} by ${notice.author} did not fit ${notice.path}`,
        text: sentence(notice.message),
      };
    case "blocked":
      return {
        title: `${notice.path} cannot be written`,
        text: `${sentence(notice.message)} spliced stores all edits and writes the file as soon as it can.`,
      };
    case "deleted":
      return {
        title: `${notice.path} was deleted before all edits were saved`,
        text: `${notice.unsaved === 1 ? "One edit was" : `${notice.unsaved} edits were`} not in the file yet. Restore the document to get all edits back.`,
      };
  }
}

/** Returns the outcome of a notice whose change was undone. */
export function undoneOutcome({ kind }: UserNotice): string {
  return kind === "rescued"
    ? "The merge was undone. The document has the text of the save."
    : "The save was undone. The removed edits are back.";
}

function namesOrOthers(authors: readonly string[]): string {
  return authors.length === 0 ? "others" : authorNames(authors);
}
