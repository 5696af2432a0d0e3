import { expect, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { Moves } from "../../src/workspace/folder/moves.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { MemoryStore } from "../helpers/memory-store.ts";

test("[DC23] the daemon reads the notes of renames once, however many files it asks about", async () => {
  const store = new MemoryStore({});
  let readings = 0;
  const { shelf } = store;
  store.shelf = (...args) => {
    readings++;
    return shelf.apply(store, args) as never;
  };
  const moves = new Moves(store, new FakeFiles(new FakeDisk(systemClock)));
  await moves.begin("doc_a", "b.md" as DocPath);
  for (let i = 0; i < 100; i++) moves.from(`${i}.md` as DocPath);
  expect([moves.to("doc_a", "a.md" as DocPath), readings]).toEqual(["b.md", 1]);
  moves.end("doc_a");
  expect(moves.to("doc_a", "a.md" as DocPath)).toBeUndefined();
});
