import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { writeChanges } from "../../src/daemon/log/change-lines.ts";
import type { WorkspaceEvent, WorkspaceListener } from "../../src/workspace/events/events.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("[TM15] the edits of one author that follow a line are one line a second", () => {
  const { edit, lines } = terminal();
  edit("a.md", "ada", { added: 1 });
  expect(lines()).toEqual(["a.md ada +1 -0"]);
  edit("a.md", "ada", { added: 1 });
  edit("a.md", "ada", { added: 2, removed: 1 });
  edit("a.md", "bob", { removed: 4 });
  edit("b.md", "ada", { added: 5 });
  expect(lines()).toEqual(["a.md bob +0 -4", "b.md ada +5 -0"]);
  vi.advanceTimersByTime(1000);
  expect(lines()).toEqual(["a.md ada +3 -1 edits=2"]);
  edit("a.md", "ada", { added: 1 });
  vi.advanceTimersByTime(1000);
  expect(lines()).toEqual(["a.md ada +1 -0"]);
  vi.advanceTimersByTime(1000);
  edit("a.md", "ada", { added: 7 });
  expect(lines()).toEqual(["a.md ada +7 -0"]);
});

test("[TM15] an edit with a message, another event and the end come after the edits that wait", () => {
  const { edit, event, end, lines } = terminal();
  edit("a.md", "ada", { added: 1 });
  edit("a.md", "ada", { added: 2 });
  edit("a.md", "ada", { added: 3, message: "why" });
  expect(lines()).toEqual(["a.md ada +1 -0", "a.md ada +2 -0", "a.md ada +3 -0 why"]);
  edit("a.md", "ada", { added: 4 });
  event({ type: "deleted", path: "a.md", author: "bob" });
  expect(lines()).toEqual(["a.md ada +4 -0", "deleted a.md bob"]);
  edit("a.md", "ada", { added: 5 });
  edit("a.md", "ada", { added: 6 });
  end();
  expect(lines()).toEqual(["a.md ada +11 -0 edits=2"]);
  expect(vi.getTimerCount()).toBe(0);
});

interface Edit {
  readonly added?: number;
  readonly removed?: number;
  readonly message?: string;
}

/** A terminal. `lines` returns those that were printed since its last call. */
function terminal() {
  const listeners = new Set<WorkspaceListener>();
  const printed: string[] = [];
  const listen = (listener: WorkspaceListener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const end = writeChanges({ listen }, ({ event, path, author, chars, edits, message }) => {
    const parts = [event === "changed" ? undefined : event, path, author, chars];
    printed.push(
      [...parts, edits && `edits=${edits}`, message].filter((part) => part !== undefined).join(" "),
    );
  });
  const event = (facts: object) => {
    for (const listener of listeners) listener(facts as WorkspaceEvent);
  };
  const edit = (path: string, author: string, { added = 0, removed = 0, message }: Edit) =>
    event({ type: "changed", docId: path, path, author, changeId: "chg_1", added, removed, message });
  return { edit, event, end, lines: () => printed.splice(0) };
}
