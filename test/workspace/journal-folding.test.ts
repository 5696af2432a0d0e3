import { describe, expect, test } from "vitest";
import { isFileProblem } from "../../src/mirror/files.ts";
import { StoreError } from "../../src/store/store.ts";
import { Text } from "../../src/text/text.ts";
import { ALICE, accepted } from "./harness.ts";
import { opened } from "./opened.ts";

const LONG = [{ from: 0, to: 0, insert: "a line that outgrows the snapshot\n".repeat(9) }];

/** Edits a document; resolves once its file holds the edit. */
async function edited({ document }: Awaited<ReturnType<typeof opened>>): Promise<void> {
  await accepted(document.commit(ALICE, document.draft(ALICE, LONG, { origin: "agent" }))).durable;
  await expect.poll(() => document.mirror.sweep() ?? document.restful, { timeout: 5_000 }).toBe(true);
}

describe("folding a journal", () => {
  test("[DO11] waits while a save of the file is on its way into the store", async () => {
    const stage = await opened();
    const { disk, store, workspace, document } = stage;
    await edited(stage);
    const append = store.append.bind(store);
    let arrive = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    store.append = async (...parts) => {
      await arrival;
      await append(...parts);
    };
    const folding = document.compact({ leaving: true }); // waits for the journal, which has everything so far
    disk.save("a.md", "a person's text\n");
    const image = workspace.ports.files.look(document.path);
    if (isFileProblem(image)) throw new Error(image.message);
    document.saved({ bom: false, text: Text.of("a person's text\n") }, image, true);
    await folding;
    arrive();
    await document.durable;
    const { seq } = store.snapshot(document.id)!;
    expect(store.journal(document.id).map(({ change }) => change.seq > seq)).toEqual([true, true]);
  });

  test("[DO12] updates that a fold left behind hide no later change", async () => {
    const stage = await opened();
    const { disk, store, workspace, document } = stage;
    await edited(stage);
    const left = store.journal(document.id);
    await document.compact({ leaving: true });
    expect(store.journal(document.id)).toEqual([]);
    await store.append({ id: document.id, entries: left });
    await edited(stage);
    const { version, text } = document;
    await workspace.drop(document);
    const again = accepted(await workspace.open("a.md"));
    expect([again.version, again.text.toString()]).toEqual([version, text.toString()]);
    expect(disk.text("a.md")).toBe(text.toString());
  });

  test("[DO14] counts the updates that the journal had when the document was loaded", async () => {
    const stage = await opened();
    const { store, workspace, document } = stage;
    await edited(stage);
    await workspace.drop(document);
    const again = accepted(await workspace.open("a.md"));
    await again.compact({ leaving: true });
    expect(store.journal(again.id)).toEqual([]);
  });

  test("[DO19] is tried again at the next rest after the store refused it", async () => {
    const stage = await opened();
    const { store, document } = stage;
    await edited(stage);
    const compact = store.compact.bind(store);
    store.compact = () => Promise.reject(new StoreError("full", "no space left on the disk"));
    await expect(document.compact({ leaving: true })).rejects.toThrow("no space left");
    store.compact = compact;
    await document.compact({ leaving: true });
    expect(store.journal(document.id)).toEqual([]);
  });
});
