import { expect, test } from "vitest";
import { inOrder } from "../../src/doc/updates.ts";
import type { Link } from "../../src/link/link.ts";
import { readLink, trustOf } from "../../src/link/members/link-file.ts";
import { MemberSealer } from "../../src/link/members/seal.ts";
import { encodeMessage, type Item } from "../../src/link/messages/message.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import type { JournalEntry } from "../../src/store/store.ts";
import type { AccessRule } from "../../src/workspace/access/rights.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { Proposals } from "../../src/workspace/proposals/proposals.ts";
import type { GivenProposal } from "../../src/workspace/proposals/shared.ts";
import { accepted, EXPIRE_DAYS } from "../workspace/harness.ts";
import { ADA } from "./machines.ts";
import { type SharedFolder, SharedFolders } from "./shared-folders.ts";

/** Time in which machines exchange everything. */
const AWHILE_MS = 10_000;

const RULES: AccessRule[] = [
  { glob: "open/**", level: "write" },
  { glob: "**", level: "read" },
];

/** Two machines that may change everything, and one that may change one folder. */
async function limited() {
  const folders = new SharedFolders();
  const ada = await folders.found("ada");
  await ada.create("open/a.md", "one\n");
  await ada.create("shut/b.md", "two\n");
  const cem = await folders.join(ada, "cem");
  const bob = await folders.joinWith(await folders.invite(ada, RULES), "bob", ada.files());
  await folders.run(AWHILE_MS);
  const denied = () => folders.reports.filter((report) => report.startsWith("ada: link.denied"));
  const opened = async (folder: SharedFolder, path: string) =>
    accepted(await folders.during(folder.workspace.open(path)));
  const remove = async (folder: SharedFolder, path: string) =>
    accepted(await folders.during(folder.workspace.remove(ADA, await opened(folder, path))));
  return { folders, ada, bob, cem, denied, opened, remove };
}

test("[MA169] a machine moves no document out of a folder that it may not change, and deletes none there", async () => {
  const { folders, ada, bob, denied, remove } = await limited();
  await bob.rename("shut/b.md", "open/b.md");
  await folders.run(AWHILE_MS);
  await bob.append("open/b.md", "bob's\n");
  await folders.run(AWHILE_MS);
  await remove(bob, "open/b.md");
  await folders.run(AWHILE_MS);
  expect(ada.files()).toEqual({ "open/a.md": "one\n", "shut/b.md": "two\n" });
  expect(denied()).toHaveLength(3);
});

/** A machine whose program was altered: it sends what it likes. */
async function altered({ folders, bob }: Awaited<ReturnType<typeof limited>>) {
  const record = readLink(bob.file)!;
  const sealer = new MemberSealer({ ...record, ...trustOf(record) });
  await folders.during(bob.machines.close());
  const own = () => folders.broker.memory.log.filter(({ machine }) => machine === bob.id);
  return async (...items: readonly Item[]) => {
    const number = 1 + Math.max(0, ...own().map((one) => one.number));
    folders.broker.store(bob.id, number, sealer.seal(number, encodeMessage({ after: {}, items })));
    await folders.run(AWHILE_MS);
  };
}

test("[MA169] a machine changes no document by sending it once more under a name that it may change", async () => {
  const all = await limited();
  const { ada, bob, opened } = all;
  const send = await altered(all);
  await bob.append("shut/b.md", "bob's\n");
  const { id: doc } = await opened(bob, "shut/b.md");
  const [{ change, updates }] = [...bob.workspace.ports.store.journal(doc)].slice(-1) as [JournalEntry];
  const snapshot = { seq: change.seq, form: "update", bytes: inOrder(updates)[0]! } as const;
  const born = { lamport: 1, machine: bob.id };
  const name = { path: "open/b.md" as DocPath, isDeleted: false, stamp: born };
  await send({ is: "document", doc, bom: false, born, name, snapshot, changes: [change] });
  expect(ada.files()).toEqual({ "open/a.md": "one\n", "shut/b.md": "two\n" });
});

test("[MA169] a snapshot changes no document that its machine may not change where the document is", async () => {
  const { folders, ada, bob } = await limited();
  folders.broker.stop();
  await bob.rename("shut/b.md", "open/b.md");
  await bob.append("open/b.md", "bob's\n");
  await folders.during((bob.workspace.linked as Link).settled());
  folders.broker.start();
  await folders.run(AWHILE_MS);
  for (const name of folders.broker.memory.objects.keys())
    if (name.startsWith("snapshot")) folders.broker.memory.objects.delete(name);
  await folders.during((bob.workspace.linked as Link).storeSnapshot());
  await folders.during((ada.workspace.linked as Link).snapshots.take());
  await folders.run(AWHILE_MS);
  expect(ada.files()).toEqual({ "open/a.md": "one\n", "shut/b.md": "two\n" });
});

test("[MA170] a later rename of who may not change the earlier name does not count, in whatever order they come", async () => {
  const { folders, ada, bob, cem } = await limited();
  ada.carrier.cut("both");
  await ada.rename("open/a.md", "shut/a.md");
  await bob.rename("open/a.md", "open/b.md");
  await bob.rename("open/b.md", "open/c.md");
  await folders.run(AWHILE_MS);
  expect(cem.files()).toEqual({ "open/c.md": "one\n", "shut/b.md": "two\n" });
  ada.carrier.cut(undefined);
  await folders.run(2 * AWHILE_MS);
  for (const folder of [ada, cem])
    expect(folder.files()).toEqual({ "shut/a.md": "one\n", "shut/b.md": "two\n" });
});

/** A proposal on the first machine for a document, and what its record says. */
async function proposed({ folders, ada }: Awaited<ReturnType<typeof limited>>, path: string) {
  const { workspace } = ada;
  const editor = new Editor(workspace);
  const proposals = new Proposals(workspace, editor, new FileBatches(workspace), EXPIRE_DAYS);
  const request = { path, operation: "replace", oldContent: "two", proposedValue: "TWO" } as const;
  const { id } = accepted(await folders.during(proposals.create(ADA, request)));
  const shown = async () => accepted(await folders.during(proposals.get(ADA, id)));
  return { id, shown, given: (await workspace.shared.of("proposal")!.give(id)) as GivenProposal };
}

test("[MA97] a machine decides no proposal for a document that it may not change, whatever its record says", async () => {
  const all = await limited();
  const { id, shown, given } = await proposed(all, "shut/b.md");
  const send = await altered(all);
  const stamp = { lamport: 100, machine: all.bob.id };
  const rejected = { ...given, docs: [], places: [], status: "rejected" as const };
  await send({ is: "record", kind: "proposal", id, stamp, given: rejected });
  expect(await shown()).toMatchObject({ status: "pending" });
});

test("[MA97] a proposal whose record leaves out one of its documents is refused", async () => {
  const all = await limited();
  const { shown, given } = await proposed(all, "shut/b.md");
  const send = await altered(all);
  const stamp = { lamport: 100, machine: all.bob.id };
  await send({ is: "record", kind: "proposal", id: "prop_other", stamp, given: { ...given, docs: [] } });
  expect(await shown()).toMatchObject({ status: "pending" });
  expect(all.folders.reports.filter((one) => /^ada: link.(defect|refused)/.test(one))).toHaveLength(1);
});
