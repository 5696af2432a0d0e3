import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { Proposals } from "../../src/workspace/proposals/proposals.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { ALICE, accepted, BOB, refused } from "./harness.ts";

/** Starts a process on a disk and a store, which remain as they are when it ends. */
function start(disk: FakeDisk, store: MemoryStore) {
  const { files, workspace } = onFakes(disk, store);
  onTestFinished(() => workspace.close());
  const text = async () => accepted(await workspace.open("a.md")).text.toString();
  return {
    files,
    text,
    proposals: new Proposals(workspace, new Editor(workspace), new FileBatches(workspace), 30),
  };
}

const outcomes: [kept: number, status: string, text: string][] = [
  [0, "pending", "name = Alice\n"],
  [1, "approved", "name = Bob\n"],
];
for (const [kept, status, text] of outcomes)
  test(`[PO10] a crash while an approval is stored leaves both it and its change, or neither: ${status}`, async () => {
    const disk = new FakeDisk(systemClock);
    disk.save("a.md", "name = Alice\n");
    const store = new MemoryStore();
    const first = start(disk, store);
    const wish = { operation: "replace", oldContent: "Alice", proposedValue: "Bob" } as const;
    const { id } = accepted(await first.proposals.create(ALICE, { path: "a.md", ...wish }));
    let left: MemoryStore | undefined;
    const append = store.append.bind(store);
    store.append = (...parts) => {
      const writing = append(...parts);
      left = store.crash(kept);
      return writing;
    };
    refused(await first.proposals.approve(BOB, { id }));
    first.files.crash();
    const second = start(disk, left!);
    expect([await second.text(), accepted(await second.proposals.get(ALICE, id)).status]).toEqual([
      text,
      status,
    ]);
    await expect.poll(() => disk.text("a.md")).toBe(text);
  });
