import type { NotificationParams } from "../../protocol/schemas.ts";
import { authorNames, type HistoryChange } from "./changes.ts";

/** What happened, of each kind. */
type NoticeEvent =
  /** A save from an old copy was merged: what it lacked was given back. */
  | { readonly kind: "rescued"; readonly changeId: string; readonly authors: readonly string[] }
  /** A save stands that took out what others wrote. */
  | { readonly kind: "superseded"; readonly changeId: string; readonly authors: readonly string[] }
  /** A save and edits changed the same characters; both texts stayed. */
  | { readonly kind: "conflict"; readonly author: string; readonly sides: readonly ConflictSides[] }
  /** An agent's edit did not fit; nothing changed. */
  | {
      readonly kind: "rejected";
      readonly author: string;
      readonly method: string;
      readonly message: string;
      readonly suggestion: string | undefined;
    }
  | { readonly kind: "blocked"; readonly message: string }
  | { readonly kind: "deleted"; readonly author: string; readonly unsaved: number };

export interface ConflictSides {
  readonly ours: string;
  readonly theirs: string;
}

/** Something that a person should know of, until they dismiss it. */
export type UserNotice = NoticeEvent & {
  /** The same event, told again, has the same. */
  readonly id: string;
  readonly path: string;
  /** ISO 8601. */
  readonly time: string;
  /** How often it happened. */
  readonly times: number;
  /** What came of it, once nothing is left to do. */
  readonly settled: string | undefined;
};

/** Characters of a conflict's texts that are kept, and places; a window's storage holds some five million. */
const MOST_TEXT = 2_000;
const MOST_SIDES = 5;

export function rescueNotice({ path, changeId, authors }: NotificationParams<"doc.rescued">): UserNotice {
  return { ...noticeBase(path, `rescued ${changeId}`), kind: "rescued", changeId, authors };
}

/** A save that lacked others' edits, as the history tells of it: they were given back, or it stands. */
export function historyNotice({ path, changeId, time, author, lacked }: HistoryChange): UserNotice {
  const kind = author === "spliced" ? "rescued" : "superseded";
  return { ...noticeBase(path, `${kind} ${changeId}`), time, kind, changeId, authors: lacked?.authors ?? [] };
}

export function conflictNotice(told: NotificationParams<"doc.conflict">): UserNotice {
  const { path, version, author, conflicts, superseded } = told;
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

export function rejectedNotice(told: NotificationParams<"edit.rejected">): UserNotice {
  const { path, author, agent, method, reason, message, suggestion } = told;
  const id = `rejected ${agent} ${path} ${method} ${reason}`;
  return { ...noticeBase(path, id), kind: "rejected", author, method, message, suggestion };
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

/** What happened, in a sentence, and what it means for whoever reads it. */
export function noticeText(notice: UserNotice): { readonly title: string; readonly text: string } {
  switch (notice.kind) {
    case "rescued":
      return {
        title: `A save of ${notice.path} was merged`,
        text: `It was made from an older copy and lacked what ${namesOrOthers(notice.authors)} had written since. That was given back; what was saved is there, too.`,
      };
    case "superseded":
      return {
        title: `A save of ${notice.path} took out others’ edits`,
        text: `What ${namesOrOthers(notice.authors)} had written is not in it. Whether that was meant cannot be told, so the save stands.`,
      };
    case "conflict":
      return {
        title: `Two changed the same words of ${notice.path}`,
        text: `What ${authorNames([notice.author])} saved and what was edited meanwhile are both in the text, one after the other. Keep what you want.`,
      };
    case "rejected":
      return { title: `An edit by ${notice.author} did not fit ${notice.path}`, text: notice.message };
    case "blocked":
      return {
        title: `${notice.path} cannot be written`,
        text: `${notice.message}. Edits are kept and written as soon as it can be.`,
      };
    case "deleted":
      return {
        title: `${notice.path} was deleted with edits that its file did not hold yet`,
        text: `${notice.unsaved === 1 ? "One edit" : `${notice.unsaved} edits`} had not reached the file. Restoring brings the document back with all of them.`,
      };
  }
}

/** What came of it once the change that it is about was undone. */
export function undoneOutcome({ kind }: UserNotice): string {
  return kind === "rescued"
    ? "The rescue was undone: the save stands as it was made."
    : "The save was undone: what it took out is back.";
}

function namesOrOthers(authors: readonly string[]): string {
  return authors.length === 0 ? "others" : authorNames(authors);
}
