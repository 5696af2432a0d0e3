import { expect, test } from "vitest";
import { collect } from "../../src/link/collect.ts";
import { type LinkedDocument, LinkState } from "../../src/link/link-state.ts";
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

test("[MA16] after a crash, a change waits for the message of what it builds on", async () => {
  const store = new MemoryStore();
  const state = new LinkState(store, (machine) => machine);
  const path = "a.md" as DocPath;
  const bytes = Buffer.from("text");
  await store.create(
    { id: "doc", path, bom: false, landed: 0 },
    { seq: 0, form: "snapshot", bytes },
    change(0, "bob"),
  );
  const updates = { memory: bytes };
  const entries = [change(1, "bob"), change(2)].map((change) => ({ change, updates }));
  await store.append({ id: "doc", entries });
  const stamp = { lamport: 1, machine: "bob" };
  const known: LinkedDocument = {
    id: "doc",
    born: stamp,
    name: { path, isDeleted: false, stamp },
    sent: 0,
    last: { bob: { number: 1, seq: 0 } },
  };
  state.set(known);
  expect(collect(store, state, "doc", "ada", 1)).toBeUndefined();
  state.set({ ...known, last: { bob: { number: 2, seq: 1 } } });
  const items = collect(store, state, "doc", "ada", 1)?.items;
  expect(items?.map((item) => item.is === "change" && item.facts.id)).toEqual(["chg_2"]);
});
