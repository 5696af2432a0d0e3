import { expect, test } from "vitest";
import { packer } from "../../src/link/base/packing.ts";
import { decodeMessage, encodeMessage, type Item } from "../../src/link/messages/message.ts";
import { fitsStore } from "../../src/link/messages/schemas.ts";
import { applyMessage } from "../../src/link/receiving/apply-message.ts";
import { Outbox } from "../../src/link/sending/outbox.ts";
import { documentsIn } from "../../src/link/snapshots/read-snapshot.ts";
import { LinkState } from "../../src/link/state/link-state.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { isTooLong } from "../../src/store/lmdb/record-key.ts";
import type { ChangeRecord } from "../../src/store/store.ts";
import { pathWithout } from "../../src/workspace/document/file-record.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { Machines, sealedBy } from "./machines.ts";

const stamp = { lamport: 1, machine: "bob" };
const name = { path: "a.md" as DocPath, isDeleted: false, stamp };

function change(id: string, seq: number): ChangeRecord {
  const who = { author: "ada", agent: "owner/ada", origin: "agent", time: seq } as const;
  return { id, seq, ...who, splices: [], removed: [] };
}

function changeItem(doc: string, i: number): Item {
  const {
    seq: _seq,
    origin: _origin,
    splices: _splices,
    removed: _removed,
    ...facts
  } = change(`chg_${i}`, i);
  return { is: "change", doc, facts, updates: [] };
}

/** Has a machine send an unreadable item `times` in one message to another one, which has a document. */
async function unreadable(times: number, level: "read" | "write") {
  const machines = new Machines();
  const [ada, mal] = [machines.add("ada"), machines.add("mal")];
  machines.levels.set("mal", level);
  await machines.run(1_000);
  await ada.create("a.md", "one\n");
  await machines.run(1_000);
  mal.kill();
  const { id } = ada.store.documents()[0]!;
  const items = Array.from({ length: times }, (_, i) => ({ is: "change", doc: i === 0 ? id : "doc_x" }));
  const message = encodeMessage({ after: {}, items: items as never });
  machines.broker.store("mal", 1, sealedBy("mal", 1, message));
  await machines.run(5_000);
  return {
    id,
    state: ada.link.state,
    reports: machines.reports.filter((one) => !one.includes("link.lacks")),
  };
}

test("[MA205] a message with more items than any version sends is refused, and reported once", async () => {
  const { state, reports } = await unreadable(4_001, "write");
  expect(reports).toEqual([
    'ada: link.refused {"machine":"mal","number":1,"reason":"the message has too many items"}',
  ]);
  expect(state.isPartial).toBe(false);
});

test("[MA205] a document of a snapshot may have more changes than a message", () => {
  const snapshot = { seq: 0, form: "snapshot", bytes: Buffer.from("x") } as const;
  const changes = [change("chg_0", 0)];
  const document = { is: "document", doc: "doc", bom: false, born: stamp, name, snapshot, changes } as const;
  const later = Array.from({ length: 5_000 }, (_, i) => changeItem("doc", i + 1));
  const message = encodeMessage({ after: {}, items: [document, ...later] });
  const [entry] = documentsIn(packer.encode([packer.encode({ message })]))!;
  expect(entry).not.toHaveProperty("unreadable");
  expect(entry).toHaveProperty("changes.length", 5_000);
});

test("[MA205] the fullest message of an outbox is one that others read", async () => {
  const store = new MemoryStore();
  const state = new LinkState(store, (machine) => machine);
  const of = async (doc: string, count: number) => {
    const record = { id: doc, path: `${doc}.md` as DocPath, bom: false, landed: 0 };
    await store.create(record, { seq: 0, form: "snapshot", bytes: Buffer.from("x") }, change(`${doc}_0`, 0));
    const entries = Array.from({ length: count }, (_, i) => ({
      change: change(`${doc}_${i + 1}`, i + 1),
      updates: {},
    }));
    await store.append({ id: doc, entries });
    state.set({ id: doc, born: stamp, name, sent: 0, last: {} });
  };
  const ids = Array.from({ length: 14 }, (_, i) => `doc_${i}`);
  for (const id of ids) await of(id, id === ids.at(-1) ? 2_000 : 100);
  const sent: Uint8Array[] = [];
  const seal = (_number: number, payload: Uint8Array) => sent[sent.push(payload) - 1];
  const outbox = new Outbox({
    store,
    state,
    sealer: { machine: "ada", seal, mayWrite: () => true },
    carrier: {},
    clock: new FakeClock(),
    report() {},
    place() {},
    copied() {},
    mostWaiting: undefined,
  } as never);
  for (const id of ids) outbox.mark(id);
  await outbox.collected();
  const counts = sent
    .map((payload) => decodeMessage(payload))
    .map((one) => typeof one === "object" && one.items.length);
  expect(counts).toEqual([2_300, 1_000]);
});

test("[MA163] the unreadable items of a message are one report with their number, and each is noted", async () => {
  const { id, state, reports } = await unreadable(3, "write");
  expect(reports).toEqual([
    `ada: link.defect {"machine":"mal","doc":"${id}","reason":"facts: Invalid input: expected object, received undefined","items":3}`,
  ]);
  expect(state.document(id)?.lacks?.messages).toEqual({ mal: 1 });
  expect(state.standing.lacks).toEqual({ mal: 1 });
});

test("[MA187] the unreadable items of a machine that may not change them are one report with their number", async () => {
  const { id, reports } = await unreadable(3, "read");
  expect(reports).toEqual([`ada: link.denied {"machine":"mal","doc":"${id}","items":3}`]);
});

test("[MA206] other requests have their turn while the items of one message are applied", async () => {
  const clock = new FakeClock();
  let applied = 0;
  const apply = () => {
    applied++;
    clock.step(1);
    return undefined;
  };
  const parts = { applier: { apply }, clock, state: {}, sealer: {}, places: {}, report() {} } as never;
  const items = Array.from({ length: 1_000 }, (_, i) => changeItem("doc", i));
  const opened = { machine: "bob", number: 1, message: { after: {}, items }, after: {} };
  let appliedBefore = 0;
  setImmediate(() => (appliedBefore = applied));
  await applyMessage(parts, opened, async () => {}, new AbortController().signal);
  expect(appliedBefore).toBeGreaterThan(0);
  expect(appliedBefore).toBeLessThan(20);
  expect(applied).toBe(1_000);
});

test("[MA209] a name that no store can have as a key delays no later message", async () => {
  const machines = new Machines();
  const [ada, mal, cem] = [machines.add("ada"), machines.add("mal"), machines.add("cem")];
  await machines.run(1_000);
  mal.kill();
  const given = { docs: [], places: [], user: "mal", status: "open", created: 1 };
  const record = { is: "record", kind: "thread", id: "一".repeat(990), stamp, given };
  const path = Array(4).fill("\x01".repeat(250)).join("/");
  const snapshot = { seq: 0, form: "update", bytes: Buffer.from("x") };
  const named = { is: "document", doc: "doc_x", bom: false, born: stamp, name: { ...name, path }, snapshot };
  const items = [record, { ...named, changes: [change("chg_0", 0)] }];
  for (const [i, item] of items.entries()) {
    const message = encodeMessage({ after: {}, items: [item as never] });
    machines.broker.store("mal", i + 1, sealedBy("mal", i + 1, message));
  }
  await machines.run(100);
  await cem.create("c.md", "cem\n");
  await machines.run(10_000);
  expect(ada.files()).toEqual({ "c.md": "cem\n" });
  expect(ada.link.state.standing.received).toMatchObject({ mal: 2 });
});

test("[MA209] every store can have the longest names that are read as keys", () => {
  const longest = "\x01".repeat(867);
  expect([fitsStore(longest), fitsStore(`${longest}\x01`)]).toEqual([true, false]);
  expect(isTooLong(["told", `checkpoint ${longest}`])).toBe(false);
  expect(isTooLong(pathWithout(longest as DocPath, "一".repeat(64)))).toBe(false);
});
