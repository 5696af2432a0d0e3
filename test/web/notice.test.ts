import { describe, expect, test } from "vitest";
import {
  conflictNotice,
  deletedNotice,
  historyNotice,
  noticeText,
  rescueNotice,
} from "../../src/web/state/health/notice-text.ts";

describe("notices", () => {
  test("[WP58] a merged save has the same notice from the event and from the history", () => {
    const lacked = { base: "1-a", authors: ["ann", "disk"] };
    const notice = rescueNotice({ path: "a.md", version: "3-c", changeId: "c3", conflicts: [], ...lacked });
    const fromHistory = historyNotice({
      changeId: "c3",
      path: "a.md",
      docId: "a",
      version: "3-c",
      previous: "2-b",
      author: "spliced",
      agent: "spliced",
      origin: "undo",
      time: "2026-05-05T12:00:00.000Z",
      kind: "edit",
      added: 1,
      removed: 0,
      undone: false,
      lacked,
    });
    expect({ ...fromHistory, time: notice.time }).toEqual(notice);
    expect(noticeText(notice).text).toContain("Newer edits by ann and editor (disk) were kept");
  });

  test("[WP58] a conflict shows both texts, cut to a readable length", () => {
    const splice = (insert: string) => ({ from: 0, to: 1, insert });
    const notice = conflictNotice({
      path: "a.md",
      version: "2-b",
      author: "disk",
      conflicts: [{ ours: splice("mine"), theirs: splice("x".repeat(5000)) }],
    });
    expect(notice).toMatchObject({ kind: "conflict", sides: [{ ours: "mine", theirs: "x".repeat(2000) }] });
    expect(noticeText(notice).text).toContain("editor (disk) and another author changed");
  });

  test("[WP58] a deleted document names the number of edits that its file lacked", () => {
    const notice = deletedNotice({ path: "a.md", docId: "a", author: "disk", unsaved: 2 });
    expect(noticeText(notice).text).toContain("2 edits were not in the file yet");
  });
});
