import { expect, test, vi } from "vitest";
import { decodeMessage, type Item } from "../../src/link/messages/message.ts";
import { documentsIn } from "../../src/link/snapshots/read-snapshot.ts";
import type { SnapshotDocument } from "../../src/link/snapshots/snapshot.ts";
import { Machines } from "./machines.ts";

/** Returns what a seal of the machines in memory holds. */
const opened = (bytes: Uint8Array) => bytes.subarray(8);

/** The time until a carrier notices that its way is cut, or whole again, and has sent everything. */
const AWHILE_MS = 30_000;

test("[MA131, M9] a change that comes while a snapshot brings a deletion, which had not seen it, brings the document back", async () => {
  const machines = new Machines();
  const [ada, bob, cem] = [machines.add("ada"), machines.add("bob"), machines.add("cem")];
  await machines.run(1_000);
  await ada.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  for (const machine of [bob, cem]) machine.carrier.cut("both");
  await cem.append("a.md", "two\n");
  await ada.remove("a.md");
  await machines.run(1_000);
  await machines.during(ada.link.storeSnapshot());
  const [, part] = [...machines.broker.memory.objects].find(([name]) => name.endsWith(".0"))!;
  const [deleted] = documentsIn(opened(part)) as readonly SnapshotDocument[];
  cem.carrier.cut(undefined);
  await machines.run(AWHILE_MS);
  const { number, bytes } = machines.broker.memory.log.findLast(({ machine }) => machine === "cem")!;
  const [change] = (decodeMessage(opened(bytes)) as { items: readonly Item[] }).items;
  bob.kill();
  machines.broker.stop();
  bob.start();
  await machines.run(1_000);
  const { workspace, link } = bob;
  const openedById = workspace.openedById.bind(workspace);
  const opening = vi.spyOn(workspace, "openedById").mockImplementationOnce(async (id) => {
    await new Promise<void>((done) => machines.clock.after(1_000, done));
    return openedById(id);
  });
  const adopting = link.applier.adopt(deleted!, { machine: "ada", number: 2, after: {} });
  await machines.run(100);
  expect(opening).toHaveBeenCalledTimes(1);
  const applying = link.applier.apply(change!, { machine: "cem", number, after: {} });
  await machines.during(Promise.all([adopting, applying]));
  await machines.run(1_000);
  expect(bob.files()).toEqual({ "a.md": "one\ntwo\n" });
  const ids = bob.store.everyChangeOf(deleted!.document.doc).map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});
