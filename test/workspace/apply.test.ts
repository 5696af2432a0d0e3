import { linkSync, symlinkSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { StoreError } from "../../src/store/store.ts";
import type { AppliedEdits } from "../../src/workspace/edits/editor.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { Seeded } from "../helpers/seeded.ts";
import { ALICE, Bench, BOB, DiskBench } from "./harness.ts";

const append = (path: string, text: string) => ({ kind: "append", path, plan: planAppend(text) });
const replace = (path: string, old: string, updated: string) => ({
  kind: "replace",
  path,
  plan: planReplace(old, updated, "unique"),
});

/** Returns the indexes and codes of the refused edits. */
const codes = (result: AppliedEdits) =>
  "refused" in result ? result.refused.map(({ index, refusal }) => [index, refusal.code]) : "made";

describe("edits made together", () => {
  test("[BA1] are all made, with one answer each, and stored by one write", async () => {
    const bench = new Bench({ "a.md": "one\n", "b.md": "two\n", "c.md": "three\n" });
    await Promise.all(["a.md", "b.md", "c.md"].map((path) => bench.document(path)));
    const { store } = bench.workspace.ports;
    const parts: number[] = [];
    const { append: real } = store;
    store.append = (...args) => {
      parts.push(args.length);
      return real.call(store, ...args);
    };
    const requests = [append("a.md", "1\n"), append("b.md", ""), append("c.md", "3\n")];
    const result = await bench.editor.apply(ALICE, requests, { batch: { id: "batch_1" } });
    expect(result).toMatchObject({
      made: [
        { path: "a.md", mirrored: true, splices: [{ from: 4, to: 4, insert: "1\n" }] },
        { path: "b.md", changeId: null, splices: [] },
        { path: "c.md", mirrored: true },
      ],
    });
    expect(parts).toEqual([2]);
    expect(["a.md", "b.md", "c.md"].map((path) => bench.read(path))).toEqual([
      "one\n1\n",
      "two\n",
      "three\n3\n",
    ]);
    expect((await bench.document("c.md")).head.batch).toEqual({ id: "batch_1", size: 2 });
  });

  test("[BA1, BA15] are not made when one of them cannot be, and each reason is told", async () => {
    const bench = new Bench({ "a.md": "one\n", "b.md": "two\n", "c.md": "three\n" });
    const requests = [
      append("a.md", "x"),
      replace("b.md", "2", "x"),
      append("none.md", "x"),
      append("../x", ""),
    ];
    expect(codes(await bench.editor.apply(ALICE, requests))).toEqual([
      [1, "NO_MATCH"],
      [2, "NOT_FOUND"],
      [3, "PATH_ESCAPE"],
    ]);
    expect((await bench.document("a.md")).head.seq).toBe(0);
    expect(bench.read("a.md")).toBe("one\n");
  });

  test("[BA1] see what was saved to any of the files while the others were opened", async () => {
    const bench = new Bench({ "a.md": "one\n", "b.md": "two\n" });
    await bench.document("a.md");
    const { store } = bench.workspace.ports;
    const { create } = store;
    store.create = (...args) => {
      bench.save("a.md", "zero\n");
      return create.call(store, ...args);
    };
    const result = await bench.editor.apply(ALICE, [replace("a.md", "zero", "0"), append("b.md", "3\n")]);
    expect(codes(result)).toBe("made");
    expect(bench.read("a.md")).toBe("0\n");
  });

  test("[BA1] leave nothing behind when the store refuses, nor when a defect comes up on the way", async () => {
    const bench = new Bench({ "a.md": "one\n", "b.md": "two\n" });
    const [a, b] = [await bench.document("a.md"), await bench.document("b.md")];
    const { store } = bench.workspace.ports;
    const { append: real } = store;
    store.append = () => setImmediate().then(() => Promise.reject(new StoreError("full", "no space left")));
    const both = [append("a.md", "1\n"), append("b.md", "2\n")];
    expect(codes(await bench.editor.apply(ALICE, both))).toEqual([[undefined, "STORAGE_FULL"]]);
    store.append = real;
    expect([await bench.document("a.md"), await bench.document("b.md")]).not.toContain(a);
    const broken = (await bench.document("b.md")) as { commit: unknown };
    broken.commit = () => {
      throw new Error("a planted defect");
    };
    await expect(bench.editor.apply(ALICE, both)).rejects.toThrow("planted");
    await expect.poll(() => bench.workspace.loadedAt(a.path)?.failure).toBeTruthy();
    await bench.workspace.drop(b);
    expect([await bench.text("a.md"), bench.read("a.md"), bench.read("b.md")]).toEqual([
      "one\n",
      "one\n",
      "two\n",
    ]);
    expect(bench.events).toEqual([]);
  });

  test("[BA2] name a file once, links and hard links included", async () => {
    const bench = new DiskBench({ "a.md": "one\n" });
    symlinkSync("a.md", bench.path("link.md"));
    linkSync(bench.path("a.md"), bench.path("hard.md"));
    for (const twin of ["a.md", "./a.md", "link.md", "hard.md"])
      expect(codes(await bench.editor.apply(ALICE, [append("a.md", "1"), append(twin, "2")]))).toEqual([
        [1, "INVALID_ARGUMENT"],
      ]);
    expect(bench.read("a.md")).toBe("one\n");
  });

  test("[BA3] are made before what was sent later to any of their documents", async () => {
    const bench = new Bench({ "a.md": "", "b.md": "" });
    await Promise.all([
      bench.editor.apply(ALICE, [append("a.md", "1"), append("b.md", "1")]),
      bench.editor.edit(BOB, append("a.md", "2")),
      bench.editor.apply(ALICE, [append("b.md", "3"), append("a.md", "3")]),
      bench.editor.edit(BOB, append("b.md", "4")),
    ]);
    expect([bench.read("a.md"), bench.read("b.md")]).toEqual(["123", "134"]);
  });
});

describe("a store that fails at random", () => {
  for (const seed of [1, 2, 3, 4])
    test(`[BA1] keeps all of a batch over three files or none of it (seed ${seed})`, async () => {
      const random = new Seeded(seed);
      const paths = ["a.md", "b.md", "c.md"];
      const bench = new Bench(Object.fromEntries(paths.map((path) => [path, ""])));
      const fail = () => {
        const { store } = bench.workspace.ports;
        const { append: real } = store;
        store.append = async (...args) => {
          for (let wait = random.int(4); wait > 0; wait--) await setImmediate();
          if (random.chance(0.4)) throw new StoreError("full", "no space left");
          return real.call(store, ...args);
        };
      };
      const made = new Map<string, boolean>();
      const batch = async (mark: string) => {
        const result = await bench.editor.apply(
          ALICE,
          paths.map((path) => append(path, mark)),
        );
        made.set(mark, "made" in result);
      };
      for (let round = 0; round < 12; round++) {
        fail();
        const path = random.pick(paths);
        await Promise.all([
          batch(`<${round}>`),
          bench.editor.edit(BOB, append(path, `(${round})`)),
          ...(random.chance(0.5) ? [batch(`<${round}b>`)] : []),
          ...(random.chance(0.5) ? [bench.editor.edit(BOB, append(random.pick(paths), "."))] : []),
        ]);
        await bench.restart(() => {
          const saved = random.pick(paths);
          if (random.chance(0.3)) bench.save(saved, `${bench.read(saved)}!`);
        });
        const texts = await Promise.all(paths.map((path) => bench.text(path)));
        for (const [mark, whole] of made)
          expect(
            texts.map((text) => text.split(mark).length - 1),
            mark,
          ).toEqual(whole ? [1, 1, 1] : [0, 0, 0]);
        await expect.poll(() => paths.map((path) => bench.read(path))).toEqual(texts);
      }
      expect(new Set(made.values()).size).toBe(2);
    });
});
