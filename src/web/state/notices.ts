import { computed, effect, signal, untracked } from "@preact/signals";
import type { Client } from "../../client/browser.ts";
import { counts } from "./counts.ts";
import { healthReport } from "./health.ts";
import { attempt, showError, showMessage } from "./messages.ts";
import {
  blockedNotice,
  conflictNotice,
  deletedNotice,
  historyNotice,
  rejectedNotice,
  rescueNotice,
  type UserNotice,
  undoneOutcome,
} from "./notice-text.ts";
import { daemon, theDaemon } from "./session.ts";

/** Kept while this window is open, through reloads. */
const NOTICES_KEY = "spliced.notices";
/** Saves that lacked others' edits are found in the history again; those dismissed in this browser stay so. */
const DISMISSED_KEY = "spliced.dismissed";
/** The oldest are forgotten beyond this (I15). */
const MOST_NOTICES = 100;
const MOST_DISMISSED = 500;
/** What is older than this is not news any more; milliseconds. */
const NOTICE_AGE_MS = 7 * 86_400_000;

/** Newest first. */
export const notices = signal<readonly UserNotice[]>(storedList<UserNotice>(sessionStorage, NOTICES_KEY));
const dismissed = new Set(storedList<string>(localStorage, DISMISSED_KEY));

const openNotices = computed(() => notices.value.filter(({ settled }) => settled === undefined));

effect(() => {
  sessionStorage.setItem(NOTICES_KEY, JSON.stringify(notices.value));
  const { length } = openNotices.value;
  counts.value = { ...counts.peek(), notices: length };
});

/** What is to be known of one document. */
export function noticesOf(path: string): readonly UserNotice[] {
  return openNotices.value.filter((notice) => notice.path === path);
}

export function dismiss(notice: UserNotice): void {
  const { id } = notice;
  notices.value = notices.value.filter((each) => each.id !== id);
  if (!("changeId" in notice)) return;
  dismissed.add(id);
  localStorage.setItem(DISMISSED_KEY, JSON.stringify([...dismissed].slice(-MOST_DISMISSED)));
}

export function dismissAll(): void {
  for (const notice of notices.value) dismiss(notice);
}

/** Lets a save stand that was merged, or brings back what one took out: both undo its change. */
export async function undoNotice(notice: UserNotice & { readonly changeId: string }): Promise<void> {
  const { changeId } = notice;
  const result = await attempt("It could not be undone", () => theDaemon().undo({ changeId }));
  if (result === undefined) return;
  const done = undoneOutcome(notice);
  const redo = () => void attempt("It could not be made again", () => theDaemon().redo({ changeId }));
  showMessage("good", done, undefined, { label: "Redo", run: redo });
}

/** Makes a deleted document's file again. */
export async function restoreDeleted({ id, path }: UserNotice): Promise<void> {
  const restored = await attempt("It could not be restored", () => theDaemon().doc.restore({ path }));
  if (restored === undefined) return;
  settle((notice) => notice.id === id, "Restored, with all its edits.");
  showMessage("good", `${path} is back, with all its edits.`);
}

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  void loadEarlierNotices(client);
  const ends = [
    client.on("doc.rescued", (told) => add(rescueNotice(told))),
    client.on("doc.conflict", (told) => add(conflictNotice(told))),
    client.on("edit.rejected", (told) => add(rejectedNotice(told))),
    client.on("mirror.blocked", (told) => add(blockedNotice(told))),
    client.on("mirror.recovered", ({ path }) => settle(isBlockedNotice(path), RECOVERED_TEXT)),
    client.on("doc.deleted", (told) => {
      if (told.unsaved > 0) add(deletedNotice(told));
    }),
    client.on("doc.created", ({ docId }) => settle(({ id }) => id === `deleted ${docId}`, "It is back.")),
    client.on("doc.changed", ({ undoes }) => {
      if (undoes !== undefined) settle(isOfChange(undoes), undoneOutcome);
    }),
    client.on("doc.renamed", ({ path, to }) => {
      notices.value = notices.value.map((notice) =>
        notice.path === path ? { ...notice, path: to } : notice,
      );
    }),
    client.on("resync", () => {
      showMessage("info", "The page had missed something and has read it again.");
      void loadEarlierNotices(client);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
});

const RECOVERED_TEXT = "The file can be written again, and holds everything.";

/** What could not be written when the page was loaded may have recovered while it was not there to hear of it. */
effect(() => {
  const { value } = healthReport;
  if (value === undefined) return;
  const blocked = new Set(value.problems.map(({ path }) => path));
  const over = ({ kind, path, time }: UserNotice) =>
    kind === "blocked" && !blocked.has(path) && Date.parse(time) < value.askedAt;
  untracked(() => settle(over, RECOVERED_TEXT));
});

function isBlockedNotice(path: string): (notice: UserNotice) => boolean {
  return (notice) => notice.kind === "blocked" && notice.path === path;
}

function isOfChange(changeId: string): (notice: UserNotice) => boolean {
  return (notice) => "changeId" in notice && notice.changeId === changeId;
}

/** The same that happens again counts up, and is new. */
function add(notice: UserNotice): void {
  if (dismissed.has(notice.id)) return;
  const before = notices.value.find(({ id }) => id === notice.id);
  const times = before === undefined ? 1 : before.times + 1;
  const others = notices.value.filter(({ id }) => id !== notice.id);
  notices.value = [{ ...notice, times }, ...others].slice(0, MOST_NOTICES);
}

function settle(
  isMeant: (notice: UserNotice) => boolean,
  outcome: string | ((notice: UserNotice) => string),
): void {
  const open = (notice: UserNotice) => notice.settled === undefined && isMeant(notice);
  const settled = (notice: UserNotice) => (typeof outcome === "string" ? outcome : outcome(notice));
  if (notices.value.some(open))
    notices.value = notices.value.map((notice) =>
      open(notice) ? { ...notice, settled: settled(notice) } : notice,
    );
}

/** Who made the changes that tell of edits which a save lacked: the rescuer, and the saves. */
const RESCUE_AUTHORS = ["spliced", "disk"];
const MOST_EARLIER = 100;

/** What this window was not open for. */
async function loadEarlierNotices(client: Client): Promise<void> {
  try {
    const lists = await Promise.all(
      RESCUE_AUTHORS.map((agent) => client.history.list({ agent, limit: MOST_EARLIER })),
    );
    const past = lists.flatMap(({ changes }) => changes).filter(({ lacked }) => lacked !== undefined);
    const known = new Set(notices.value.map(({ id }) => id));
    const news = past
      .filter(({ time, undone }) => !undone && Date.now() - Date.parse(time) < NOTICE_AGE_MS)
      .map(historyNotice)
      .filter(({ id }) => !known.has(id) && !dismissed.has(id));
    const all = [...notices.value, ...news].sort((a, b) => b.time.localeCompare(a.time));
    notices.value = all.slice(0, MOST_NOTICES);
    for (const { undone, changeId } of past) if (undone) settle(isOfChange(changeId), undoneOutcome);
  } catch (error) {
    showError("Earlier notices could not be looked up", error);
  }
}

/** A list that an earlier page left; none where it cannot be read. */
function storedList<T>(storage: Storage, name: string): T[] {
  try {
    const list: unknown = JSON.parse(storage.getItem(name) ?? "[]");
    return Array.isArray(list) ? (list as T[]) : [];
  } catch {
    return []; // of another version of the page
  }
}
