import { computed, effect, signal, untracked } from "@preact/signals";
import type { Client } from "../../../client/browser.ts";
import { counts } from "../base/counts.ts";
import { attempt, showError, showMessage } from "../base/messages.ts";
import { daemon, theDaemon } from "../base/session.ts";
import { storedList, storedStrings } from "../base/stored-list.ts";
import { healthReport } from "./health.ts";
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

/** The key in the session storage, which lasts as long as this window. */
const NOTICES_KEY = "spliced.notices";
/** The key of the dismissed notices. The history would bring them back, so the browser remembers them. */
const DISMISSED_KEY = "spliced.dismissed";
/** Most notices; the oldest go first (I15). */
const MOST_NOTICES = 100;
const MOST_DISMISSED = 500;
/** The age, in milliseconds, up to which changes of the history become notices. */
const NOTICE_AGE_MS = 7 * 86_400_000;

/** All notices, newest first. */
export const notices = signal<readonly UserNotice[]>(storedList<UserNotice>(sessionStorage, NOTICES_KEY));
/** Whether the notices of earlier changes were loaded, or failed to load. */
export const noticesAreLoaded = signal(false);
const dismissed = new Set(storedStrings(localStorage, DISMISSED_KEY));

const openNotices = computed(() => notices.value.filter(({ settled }) => settled === undefined));

effect(() => {
  sessionStorage.setItem(NOTICES_KEY, JSON.stringify(notices.value));
  const { length } = openNotices.value;
  counts.value = { ...counts.peek(), notices: length };
});

/** Returns the open notices of one document. */
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

/** Undoes the change of a notice: the merge of a save, or a save that removed edits. */
export async function undoNotice(notice: UserNotice & { readonly changeId: string }): Promise<void> {
  const { changeId } = notice;
  const result = await attempt("Could not undo the change", () => theDaemon().undo({ changeId }));
  if (result === undefined) return;
  const outcome = undoneOutcome(notice);
  const redo = () => void attempt("Could not redo the change", () => theDaemon().redo({ changeId }));
  showMessage("good", outcome, undefined, { label: "Redo", run: redo });
}

/** Restores a deleted document and its file. */
export async function restoreDeleted({ id, path }: UserNotice): Promise<void> {
  const restored = await attempt("Could not restore the document", () => theDaemon().doc.restore({ path }));
  if (restored === undefined) return;
  settle((notice) => notice.id === id, "Restored with all edits.");
  showMessage("good", `${path} was restored with all edits.`);
}

effect(() => {
  const client = daemon.value;
  if (client === undefined) return;
  void loadEarlierNotices(client);
  const ends = [
    client.on("doc.rescued", (rescue) => add(rescueNotice(rescue))),
    client.on("doc.conflict", (conflict) => add(conflictNotice(conflict))),
    client.on("edit.rejected", (rejected) => add(rejectedNotice(rejected))),
    client.on("mirror.blocked", (blocked) => add(blockedNotice(blocked))),
    client.on("mirror.recovered", ({ path }) => settle(isBlockedNotice(path), RECOVERED_TEXT)),
    client.on("doc.deleted", (deleted) => {
      if (deleted.unsaved > 0) add(deletedNotice(deleted));
    }),
    client.on("doc.created", ({ docId }) =>
      settle(({ id }) => id === `deleted ${docId}`, "The document is back."),
    ),
    client.on("doc.changed", ({ undoes }) => {
      if (undoes !== undefined) settle(isOfChange(undoes), undoneOutcome);
    }),
    client.on("doc.renamed", ({ path, to }) => {
      notices.value = notices.value.map((notice) =>
        notice.path === path ? { ...notice, path: to } : notice,
      );
    }),
    client.on("resync", () => {
      showMessage("info", "The page missed some changes and has loaded them now.");
      void loadEarlierNotices(client);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
});

const RECOVERED_TEXT = "The file can be written again and contains all edits.";

// A file may have recovered while the page was not open.
effect(() => {
  const { value } = healthReport;
  if (value === undefined) return;
  const blocked = new Set(value.problems.map(({ path }) => path));
  const recovered = ({ kind, path, time }: UserNotice) =>
    kind === "blocked" && !blocked.has(path) && Date.parse(time) < value.askedAt;
  untracked(() => settle(recovered, RECOVERED_TEXT));
});

function isBlockedNotice(path: string): (notice: UserNotice) => boolean {
  return (notice) => notice.kind === "blocked" && notice.path === path;
}

function isOfChange(changeId: string): (notice: UserNotice) => boolean {
  return (notice) => "changeId" in notice && notice.changeId === changeId;
}

/** Adds a notice. A repeated report moves its notice to the top and raises the number of reports. */
function add(notice: UserNotice): void {
  if (dismissed.has(notice.id)) return;
  const before = notices.value.find(({ id }) => id === notice.id);
  const times = before === undefined ? 1 : before.times + 1;
  const others = notices.value.filter(({ id }) => id !== notice.id);
  notices.value = [{ ...notice, times }, ...others].slice(0, MOST_NOTICES);
}

function settle(
  matches: (notice: UserNotice) => boolean,
  outcome: string | ((notice: UserNotice) => string),
): void {
  const open = (notice: UserNotice) => notice.settled === undefined && matches(notice);
  const settled = (notice: UserNotice) => (typeof outcome === "string" ? outcome : outcome(notice));
  if (notices.value.some(open))
    notices.value = notices.value.map((notice) =>
      open(notice) ? { ...notice, settled: settled(notice) } : notice,
    );
}

/** The authors of changes that report edits missing from a save: the rescuer, and saves of the file. */
const RESCUE_AUTHORS = ["spliced", "disk"];
const MOST_EARLIER = 100;

/** Adds notices for changes that happened while this window was not open. */
async function loadEarlierNotices(client: Client): Promise<void> {
  try {
    const lists = await Promise.all(
      RESCUE_AUTHORS.map((agent) => client.history.list({ agent, limit: MOST_EARLIER })),
    );
    const earlier = lists.flatMap(({ changes }) => changes).filter(({ lacked }) => lacked !== undefined);
    const known = new Set(notices.value.map(({ id }) => id));
    const unknown = earlier
      .filter(({ time, undone }) => !undone && Date.now() - Date.parse(time) < NOTICE_AGE_MS)
      .map(historyNotice)
      .filter(({ id }) => !known.has(id) && !dismissed.has(id));
    const all = [...notices.value, ...unknown].sort((a, b) => b.time.localeCompare(a.time));
    notices.value = all.slice(0, MOST_NOTICES);
    for (const { undone, changeId } of earlier) if (undone) settle(isOfChange(changeId), undoneOutcome);
  } catch (error) {
    showError("Could not load earlier notices", error);
  } finally {
    noticesAreLoaded.value = true;
  }
}
