import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { EventQueue } from "../../src/workspace/events/event-queue.ts";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { notifyEach } from "../../src/workspace/events/notify-each.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { PeerClaims } from "../../src/workspace/sharing/peer-claims.ts";
import { SharedDocument } from "../../src/workspace/sharing/shared-document.ts";
import { Threads } from "../../src/workspace/threads/threads.ts";
import { DirectExamination } from "../helpers/direct-examination.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { ALICE, accepted } from "./harness.ts";

const append = { kind: "test", path: "a.md", plan: planAppend("two\n") };

function broken(): never {
  throw new TypeError("a defect");
}

/** A workspace with `a.md` open on fakes, and its reports. */
async function opened() {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\n");
  const reports: string[] = [];
  const { workspace } = onFakes(disk, new MemoryStore(), (event) => reports.push(event));
  onTestFinished(() => workspace.close());
  const document = accepted(await workspace.open("a.md"));
  return { workspace, document, reports, editor: new Editor(workspace) };
}

describe("a listener that throws", () => {
  test("[LS1, LS2] is reported once, with what it was told and why, and the others are told", () => {
    const reports: unknown[] = [];
    const heard: string[] = [];
    const listeners = [broken, (event: string) => heard.push(event)];
    const report = (event: string, details: object) => void reports.push({ event, ...details });
    notifyEach(listeners, (listener) => listener("x"), { news: "changed", report });
    expect(heard).toEqual(["x"]);
    expect(reports).toEqual([{ event: "listener.failed", news: "changed", reason: "TypeError: a defect" }]);
  });

  test("[LS1] to a workspace keeps nobody from hearing of every change, and fails no edit", async () => {
    const { workspace, editor, reports } = await opened();
    const heard: string[] = [];
    workspace.listen(broken);
    workspace.listen(({ type }) => heard.push(type));
    for (let i = 0; i < 2; i++) accepted(await editor.edit(ALICE, append));
    expect(heard).toEqual(["changed", "changed"]);
    expect(reports).toEqual(["listener.failed", "listener.failed"]);
  });

  test("[LS1] to one document's events ends none of the later ones", async () => {
    const told: WorkspaceEvent[] = [];
    const reports: string[] = [];
    const emit = (event: WorkspaceEvent) => (event.type === "blocked" ? broken() : told.push(event));
    const outbox = new EventQueue(emit, (event) => reports.push(event));
    const problem = { kind: "full", message: "no space left" } as const;
    outbox.add({ type: "blocked", path: "a.md", problem }, Promise.resolve());
    outbox.add({ type: "recovered", path: "a.md" }, Promise.resolve());
    await outbox.settled();
    expect([told.map(({ type }) => type), reports]).toEqual([["recovered"], ["listener.failed"]]);
  });

  test("[LS1] to a document's changes as they are made does not fail the document", async () => {
    const { workspace, document, editor, reports } = await opened();
    workspace.updates.follow(document.id, broken);
    accepted(await editor.edit(ALICE, append));
    expect([document.failure, reports]).toEqual([undefined, ["listener.failed"]]);
  });

  test("[LS1] among the members of a shared document keeps no update from the others", async () => {
    const { workspace, document, editor, reports } = await opened();
    const claims = new PeerClaims(workspace.ports.store);
    const examination = new DirectExamination();
    const shared = new SharedDocument(document.id, { workspace, examination, claims });
    const got: number[] = [];
    const members = [
      { receive: broken },
      { receive: (updates: readonly unknown[]) => got.push(updates.length) },
    ];
    for (const member of members) accepted(await shared.join(member, document, new Map()));
    for (let i = 0; i < 2; i++) accepted(await editor.edit(ALICE, append));
    await expect.poll(() => got).toEqual([1, 1]);
    expect(reports).toEqual(["listener.failed", "listener.failed"]);
    await shared.close();
  });

  test("[LS1] to threads keeps nobody from hearing of a message, which is kept", async () => {
    const { workspace, reports } = await opened();
    const threads = new Threads(workspace);
    const heard: string[] = [];
    threads.listen(broken);
    threads.listen((event) => heard.push(event.type));
    const to = { docIds: [], bundle: "b" };
    const { thread } = accepted(await threads.append(ALICE, { to, role: "user", text: "hello" }));
    expect([heard, accepted(await threads.get(ALICE, thread)).messages.length, reports]).toEqual([
      ["message"],
      1,
      ["listener.failed"],
    ]);
  });
});
