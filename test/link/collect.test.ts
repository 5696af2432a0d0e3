import { expect, test } from "vitest";
import type { Vector } from "../../src/link/base/vector.ts";
import type { RecordExchange } from "../../src/link/messages/record-exchange.ts";
import { collect } from "../../src/link/sending/collect.ts";
import { documentsIn } from "../../src/link/snapshots/read-snapshot.ts";
import { makeSnapshot, type SnapshotDocument } from "../../src/link/snapshots/snapshot.ts";
import { type LinkedDocument, LinkState } from "../../src/link/state/link-state.ts";
import { broughtAgain, Traces } from "../../src/link/state/traces.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import type { ChangeRecord } from "../../src/store/store.ts";
import { MemoryStore } from "../helpers/memory-store.ts";

function change(seq: number, machine?: string): ChangeRecord {
  return {
    seq,
    id: `chg_${seq}`,
    author: "ada",
    agent: "owner/ada",
    origin: "agent",
    time: seq,
    splices: [],
    removed: [],
    ...(machine !== undefined && { machine }),
  };
}

const path = "a.md" as DocPath;
const bytes = Buffer.from("text");
const stamp = { lamport: 1, machine: "bob" };
const ADA = { machine: "ada", mayWrite: () => true };
const KNOWN: LinkedDocument = {
  id: "doc",
  born: stamp,
  name: { path, isDeleted: false, stamp },
  sent: 0,
  last: { bob: { number: 1, seq: 0 } },
};

/** A store with a document whose journal has these changes, and the state of the link that has none of them. */
async function journalOf(...changes: readonly ChangeRecord[]) {
  const store = new MemoryStore();
  const state = new LinkState(store, (machine) => machine);
  const snapshot = { seq: 0, form: "snapshot", bytes } as const;
  await store.create({ id: "doc", path, bom: false, landed: 0 }, snapshot, change(0, "bob"));
  const updates = { memory: bytes };
  await store.append({ id: "doc", entries: changes.map((change) => ({ change, updates })) });
  state.set(KNOWN);
  const sent = () => {
    const items = collect(store, state, "doc", ADA, 1)?.items;
    return items?.map((item) => item.is === "change" && item.facts.id);
  };
  return { store, state, sent };
}

test("[MA16] after a crash, a change waits for the message of what it builds on", async () => {
  const { state, sent } = await journalOf(change(1, "bob"), change(2));
  expect(sent()).toBeUndefined();
  state.set({ ...KNOWN, last: { bob: { number: 2, seq: 1 } } });
  expect(sent()).toEqual(["chg_2"]);
});

test("[MA16] it waits for this message also after messages of others, and after a second crash", async () => {
  const found = [change(1, "bob"), change(2, "bob"), change(3)];
  const { store, state, sent } = await journalOf(...found, change(4, "cem"));
  new Traces(store, state).set(KNOWN, { seq: 4, as: "new" }, { cem: 1 });
  expect(sent()).toBeUndefined();
  const traces = new Traces(store, state);
  const come = (seq: number, as: "new" | "again", last: Vector) =>
    traces.set(state.document("doc")!, { seq, as }, last);
  come(5, "new", { cem: 2 });
  expect(sent()).toBeUndefined();
  come(1, "again", { bob: 2 });
  expect(sent()).toEqual([]);
  come(2, "again", { bob: 3 });
  expect(sent()).toEqual(["chg_3"]);
});

test("[MA16] operations that a message brought without a new change count for all that it may have brought", async () => {
  const { store, state, sent } = await journalOf(change(1, "bob"), change(2));
  const traces = new Traces(store, state);
  traces.set(KNOWN, { seq: 3, as: "new" }, { cem: 1 });
  expect(sent()).toBeUndefined();
  traces.set(state.document("doc")!, { seq: 3, as: "known" }, { bob: 2 });
  expect(sent()).toEqual(["chg_2"]);
});

test("[MA150] a document that comes again brings its own changes, and none after them", async () => {
  const { store, state, sent } = await journalOf(
    change(1, "bob"),
    change(2, "bob"),
    change(3, "bob"),
    change(4),
  );
  const traces = new Traces(store, state);
  traces.set(KNOWN, { seq: 5, as: "new" }, { cem: 1 });
  traces.set(state.document("doc")!, broughtAgain([0, 1, 2], { seq: 5, as: "known" }), { bob: 2 });
  expect(sent()).toEqual([]);
  expect(state.document("doc")?.found).toEqual([3]);
  traces.set(state.document("doc")!, broughtAgain([undefined], { seq: 5, as: "known" }), { bob: 3 });
  expect(sent()).toEqual(["chg_4"]);
});

/** Returns the ids of the changes that a snapshot of the store's document has. */
async function inSnapshot({ store, state }: { store: MemoryStore; state: LinkState }): Promise<string[]> {
  const records = { all: async function* () {} } as unknown as RecordExchange;
  const parts: Uint8Array[] = [];
  const having = { store, state, records, machine: "ada", now: 0, breathe: async () => {} };
  await makeSnapshot(having, async (_, __, bytes) => void parts.push(bytes));
  const [document] = documentsIn(parts[0]!)!;
  return (document as SnapshotDocument).changes.map(({ facts }) => facts.id);
}

test("[MA115] a snapshot ends before a change that the store will roll back, because it refused one before", async () => {
  const { store, state } = await journalOf(change(1, "bob"), change(3));
  state.set({ ...KNOWN, last: { bob: { number: 2, seq: 1 } } });
  expect(await inSnapshot({ store, state })).toEqual(["chg_1"]);
});

test("[MA180] a snapshot has no change that no message has, or whose message is not known", async () => {
  const { store, state } = await journalOf(change(1), change(2, "bob"), change(3), change(4, "cem"));
  state.set({ ...KNOWN, sent: 1, last: { bob: { number: 2, seq: 2 } } });
  expect(await inSnapshot({ store, state })).toEqual(["chg_1", "chg_2"]);
  state.set({ ...KNOWN, sent: 3, last: { bob: { number: 2, seq: 2 }, cem: { number: 1, seq: 4 } } });
  expect(await inSnapshot({ store, state })).toEqual(["chg_1", "chg_2", "chg_3", "chg_4"]);
});

test("[MA116] a deletion has not seen a message that is applied in part", async () => {
  const deletion = { ...change(2), file: { kind: "delete" as const } };
  for (const [applied, seen] of [
    [{}, 1],
    [{ bob: 2 }, 2],
  ] as const) {
    const { store, state } = await journalOf(change(1, "bob"), deletion);
    state.stand({ received: { bob: 1 } });
    state.applied = applied;
    state.set({ ...KNOWN, sent: 1, last: { bob: { number: 2, seq: 1 } } });
    const [item] = collect(store, state, "doc", ADA, 1)!.items;
    expect(item?.is === "change" && item.name?.seen).toEqual({ bob: seen });
  }
});
