import { appendFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { Text } from "../../src/text/text.ts";
import type { Document } from "../../src/workspace/document/document.ts";
import { maintain } from "../../src/workspace/folder/maintenance.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, Bench, DiskBench, refused, TimedBench } from "./harness.ts";

const append = (path: string, text: string) => ({ path, plan: planAppend(text) });
const told = (bench: Bench, type: string) => bench.events.filter((event) => event.type === type);

/** Makes the daemon look at every file, and waits until a condition holds. */
async function looked(bench: Bench, done: () => boolean): Promise<void> {
  await expect
    .poll(() => {
      void bench.workspace.verify();
      return done();
    })
    .toBe(true);
}

/** Opens this number of small files in a folder. */
async function many(count: number): Promise<{ bench: DiskBench; documents: Document[] }> {
  const paths = Array.from({ length: count }, (_, i) => `notes/${i}.md`);
  const bench = new DiskBench(Object.fromEntries(paths.map((path) => [path, `${path}\n`])));
  const documents: Document[] = [];
  for (const path of paths) documents.push(await bench.document(path));
  return { bench, documents };
}

describe("files that are moved from outside", () => {
  test("[I10] the document goes along, with its history, and the next edit lands there", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { id } = await bench.document("a.md");
    accepted(await bench.edit(ALICE, append("a.md", "two\n")));
    bench.rename("a.md", "b.md");
    await looked(bench, () => told(bench, "renamed").length > 0);
    expect(told(bench, "renamed")).toMatchObject([{ path: "a.md", to: "b.md", docId: id, author: "disk" }]);
    accepted(await bench.edit(ALICE, append("b.md", "three\n")));
    expect(bench.read("b.md")).toBe("one\ntwo\nthree\n");
    expect((await bench.document("b.md")).head).toMatchObject({ seq: 3, author: "alice" });
    expect(refused(await bench.workspace.open("a.md")).code).toBe("NOT_FOUND");
    expect(told(bench, "deleted")).toEqual([]);
  });

  test("[I10] and so it does when somebody asks for it there before the move was noticed", async () => {
    const bench = new DiskBench({ "a.md": "one\n" });
    const { id } = await bench.document("a.md");
    mkdirSync(bench.path("deep"));
    renameSync(bench.path("a.md"), bench.path("deep/b.md"));
    expect((await bench.document("deep/b.md")).id).toBe(id);
  });

  test("[I10g] a deleted document reads its file where that comes back, edited elsewhere", async () => {
    const bench = new DiskBench({ "a.md": "one\n" });
    const document = await bench.document("a.md");
    await bench.workspace.drop(document);
    const elsewhere = `${bench.root}-elsewhere`;
    renameSync(bench.path("a.md"), elsewhere);
    refused(await bench.workspace.open("a.md"));
    await looked(bench, () => told(bench, "deleted").length > 0);
    appendFileSync(elsewhere, "two\n");
    renameSync(elsewhere, bench.path("b.md"));
    const back = await bench.document("b.md");
    expect([back.id, back.text.toString()]).toEqual([document.id, "one\ntwo\n"]);
    accepted(await bench.edit(ALICE, append("b.md", "three\n")));
    expect(bench.read("b.md")).toBe("one\ntwo\nthree\n");
  });

  test.each(["a.md", "b.md"])(
    "[I10h] a deleted one that comes back as it was, at %s, gets its edits",
    async (path) => {
      const bench = new DiskBench({ "a.md": "one\n" });
      const document = await bench.document("a.md");
      await bench.workspace.drop(document); // the daemon looks for files of resting documents also later
      const elsewhere = `${bench.root}-elsewhere`;
      await goneBefore(bench, () => renameSync(bench.path("a.md"), elsewhere));
      renameSync(elsewhere, bench.path(path));
      const { id } = await bench.document(path);
      let polls = 0;
      await expect.poll(() => bench.read(path) !== "one\n" || ++polls > 40).toBe(true);
      expect([id, bench.read(path)]).toEqual([document.id, "one\ntwo\n"]);
    },
  );

  test("[I10] and one that rests", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const document = await bench.document("a.md");
    await bench.workspace.drop(document);
    bench.rename("a.md", "b.md");
    expect((await bench.document("b.md")).id).toBe(document.id);
  });

  test("[I10b] also to the path of a deleted document that is still in memory", async () => {
    const bench = new Bench({ "a.md": "one\n", "b.md": "gone\n" });
    const [a, b] = [await bench.document("a.md"), await bench.document("b.md")];
    accepted(await bench.workspace.remove(ALICE, b));
    bench.rename("a.md", "b.md");
    const there = await bench.document("b.md");
    expect([there.id, there.text.toString()]).toEqual([a.id, "one\n"]);
    expect(b.closed).toBeDefined();
  });

  test("[I10] with edits that were not written yet: they land where the file is now", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    await bench.document("a.md");
    const edit = bench.edit(ALICE, append("a.md", "two\n"));
    bench.rename("a.md", "b.md");
    accepted(await edit);
    await looked(bench, () => bench.read("b.md") === "one\ntwo\n");
  });

  test("[I10] a folder that is moved takes all of its documents along", async () => {
    const { bench, documents } = await many(30);
    renameSync(bench.path("notes"), bench.path("moved"));
    await looked(bench, () => told(bench, "renamed").length === 30);
    for (const [i, { id }] of documents.entries())
      expect((await bench.document(`moved/${i}.md`)).id).toBe(id);
    expect(told(bench, "deleted")).toEqual([]);
  });

  test("[I10] a folder that is moved while no daemon runs, too", async () => {
    const { bench, documents } = await many(30);
    await bench.restart(() => renameSync(bench.path("notes"), bench.path("moved")));
    const abort = new AbortController();
    const house = maintain(bench.workspace, abort.signal);
    await expect.poll(() => told(bench, "renamed").length).toBe(30);
    abort.abort();
    await house;
    for (const [i, { id }] of documents.entries())
      expect((await bench.document(`moved/${i}.md`)).id).toBe(id);
  });

  test("[I10] a copy is a document of its own", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { id } = await bench.document("a.md");
    bench.write("b.md", "one\n");
    expect((await bench.document("b.md")).id).not.toBe(id);
    expect((await bench.document("a.md")).id).toBe(id);
  });
});

/** Deletes the file of a document, as `remove` does, before an edit reaches it. */
async function goneBefore(bench: Bench, remove = () => bench.remove("a.md")): Promise<void> {
  const document = await bench.document("a.md");
  const splice = { from: 4, to: 4, insert: "two\n" };
  const { durable } = accepted(document.commit(ALICE, document.draft(ALICE, [splice], { origin: "agent" })));
  remove();
  await durable;
  await looked(bench, () => told(bench, "deleted").length > 0);
}

describe("many missing files that nobody opened", () => {
  const signal = new AbortController().signal;

  async function covered(count: number, textOf = (path: string) => `${path}\n`) {
    const paths = Array.from(
      { length: count },
      (_, i) => `${i % 2 === 0 ? "even" : "odd"}/${i}.md` as DocPath,
    );
    const bench = new Bench(Object.fromEntries(paths.map((path) => [path, textOf(path)])));
    await bench.workspace.cover.pass(signal);
    const { files } = bench.workspace.ports;
    const counts = { walks: 0, most: 0 };
    const walk = files.walk.bind(files);
    files.walk = (skip, ...inside) => {
      if (inside.length === 0) counts.walks++;
      return walk(skip, ...inside);
    };
    bench.workspace.listen(() => {
      counts.most = Math.max(
        counts.most,
        [...bench.workspace.loaded].filter(({ deleted }) => !deleted).length,
      );
    });
    const lose = async (lost: readonly DocPath[], to?: (path: DocPath) => string) => {
      for (const path of lost) to === undefined ? bench.remove(path) : bench.rename(path, to(path));
      for (const path of lost) bench.workspace.cover.look(path);
      await bench.workspace.cover.settled();
    };
    return { bench, paths, counts, lose };
  }

  test("[I10f] are looked for together, and few of their documents are in memory at once", async () => {
    const { bench, paths, counts, lose } = await covered(240);
    const lost = paths.slice(0, 100);
    await lose(lost);
    expect(new Set(told(bench, "deleted").map(({ path }) => path))).toEqual(new Set(lost));
    expect(counts.walks).toBe(1);
    expect(counts.most).toBeLessThanOrEqual(32);
    accepted(await bench.workspace.restore(ALICE, lost[7]!));
    expect(bench.read(lost[7]!)).toBe(`${lost[7]}\n`);
  });

  test("[I10b] that were moved keep their history, and none counts as deleted", async () => {
    const { bench, paths, lose } = await covered(100);
    const lost = paths.filter((path) => path.startsWith("odd/"));
    await lose(lost, (path) => path.replace("odd/", "even/from-odd-"));
    expect(
      told(bench, "renamed")
        .map(({ path }) => path)
        .sort(),
    ).toEqual([...lost].sort());
    expect(told(bench, "deleted")).toEqual([]);
  });

  test("[I10j] are deleted, however many are empty, if few have text", async () => {
    const { bench, paths, lose } = await covered(40, (path) => (path.startsWith("even") ? "" : "text\n"));
    const lost = [...paths.filter((path) => path.startsWith("even")), "odd/1.md" as DocPath];
    await lose(lost);
    const deleted = told(bench, "deleted").map(({ path }) => path);
    expect(deleted.sort()).toEqual(lost.sort());
  });

  test("[I10c] wait for a person, who accepts the deletion or brings the files back", async () => {
    const { bench, paths, lose } = await covered(300);
    const texts = new Map(paths.map((path) => [path, bench.read(path)]));
    const lost = paths.slice(0, 200);
    await lose(lost);
    expect(told(bench, "deleted")).toEqual([]);
    const waiting = [...bench.workspace.loaded].filter(({ mirror }) => mirror.problem?.kind === "missing");
    expect(waiting).toHaveLength(100);
    const back = lost.slice(150, 160);
    for (const path of back) {
      bench.write(path, texts.get(path)!);
      bench.workspace.hint(`${bench.workspace.ports.files.root}/${path}`);
    }
    await bench.workspace.lookAtAll();
    expect(await bench.workspace.resume()).toBe(lost.length - back.length);
    await bench.workspace.cover.settled();
    const deleted = new Set(told(bench, "deleted").map(({ path }) => path));
    expect(deleted).toEqual(new Set(lost.filter((path) => !back.includes(path))));
  });
});

test("[I14b] a file that is back although its document fails to open ends nothing", async () => {
  const paths = Array.from({ length: 110 }, (_, i) => `${i}.md`);
  const bench = new Bench(Object.fromEntries(paths.map((path) => [path, `${path}\n`])));
  for (const path of paths) await bench.workspace.drop(await bench.document(path));
  for (const path of paths) bench.remove(path);
  await looked(bench, () => told(bench, "blocked").length === 100);
  const { files, store } = bench.workspace.ports;
  const reported: string[] = [];
  Object.assign(bench.workspace.ports, { report: (event: string) => reported.push(event) });
  const snapshot = store.snapshot.bind(store);
  store.snapshot = () => {
    throw new Error("a page of the store is damaged");
  };
  for (const path of paths.slice(100)) {
    bench.write(path, "back\n");
    bench.workspace.hint(`${files.root}/${path}`);
  }
  await expect.poll(() => reported.filter((event) => event === "document.defect").length).toBe(10);
  store.snapshot = snapshot;
});

describe("files of documents that stay out of memory after a restart", () => {
  const hint = (bench: DiskBench, path: string) => bench.workspace.hint(bench.path(path));
  const look = (bench: DiskBench) => void bench.workspace.verify();
  for (const [what, notice] of [
    ["a hint", hint],
    ["the regular look", look],
  ] as const)
    test(`[CV27] are noticed by ${what} when they are saved, deleted and moved`, async () => {
      const paths = ["a.md", "b.md", "c.md", "d.md"];
      const bench = new DiskBench(Object.fromEntries(paths.map((path) => [path, `${path}\n`])));
      await bench.workspace.cover.pass(new AbortController().signal);
      for (const path of paths) {
        accepted(await bench.edit(ALICE, append(path, "more\n")));
        await (await bench.document(path)).sync();
      }
      await bench.restart();
      const abort = new AbortController();
      const house = maintain(bench.workspace, abort.signal);
      await bench.workspace.cover.pass(abort.signal);
      expect([...bench.workspace.loaded]).toEqual([]);
      bench.events.length = 0;
      bench.write("a.md", "a.md\nmore\nsaved\n");
      rmSync(bench.path("b.md"));
      renameSync(bench.path("c.md"), bench.path("e.md"));
      const seen = (["changed", "deleted", "renamed"] as const).map(
        (type) => () => told(bench, type).map(({ path }) => path),
      );
      let looks = 0;
      await expect
        .poll(() => {
          for (const path of ["a.md", "b.md", "c.md", "e.md"]) notice(bench, path);
          return seen.every((paths) => paths().length > 0) || ++looks > 100;
        })
        .toBe(true);
      expect(seen.map((paths) => paths())).toEqual([["a.md"], ["b.md"], ["c.md"]]);
      expect(bench.workspace.loadedAt("d.md" as DocPath)).toBeUndefined();
      abort.abort();
      await house;
    });
});

describe("files that are gone", () => {
  test("[I10e] a dozen of many files that went missing while no daemon ran are deleted", async () => {
    const paths = Array.from({ length: 40 }, (_, i) => `notes/${i}.md`);
    const bench = new DiskBench(Object.fromEntries(paths.map((path) => [path, `${path}\n`])));
    await bench.workspace.cover.pass(new AbortController().signal);
    for (const path of paths.slice(0, 12)) await bench.document(path);
    await bench.restart(() => {
      for (const path of paths.slice(0, 12)) rmSync(bench.path(path));
    });
    const abort = new AbortController();
    const house = maintain(bench.workspace, abort.signal);
    await expect.poll(() => told(bench, "deleted").length).toBe(12);
    abort.abort();
    await house;
  });

  test("[I10] edits that the file never held are kept, told of, and brought back", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    await goneBefore(bench);
    expect(told(bench, "deleted")).toMatchObject([{ path: "a.md", author: "disk", unsaved: 1 }]);
    expect(refused(await bench.workspace.open("a.md")).message).toContain("1 edits");
    const document = accepted(await bench.workspace.restore(ALICE, "a.md"));
    expect(bench.read("a.md")).toBe("one\ntwo\n");
    accepted(await bench.edit(ALICE, append("a.md", "three\n")));
    expect(bench.read("a.md")).toBe("one\ntwo\nthree\n");
    expect(document.pendingWrites).toBe(0);
  });

  test("[DC4] made anew, a document holds just what it is given, and its history what it held", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    await goneBefore(bench);
    const content = { bom: false, text: Text.of("new\n") };
    const document = accepted(await bench.workspace.create(ALICE, "a.md", content));
    await document.mirror.reached(document.head.seq);
    expect([document.text.toString(), bench.read("a.md")]).toEqual(["new\n", "new\n"]);
    expect(document.versions.textAt(1)?.toString()).toBe("one\ntwo\n");
    await bench.restart();
    expect(await bench.text("a.md")).toBe("new\n");
  });

  test("[I10] one is brought back after a restart, with its history", async () => {
    const bench = new DiskBench({ "folder/a.md": "one\n" });
    const { id } = await bench.document("folder/a.md");
    accepted(await bench.edit(ALICE, append("folder/a.md", "two\n")));
    accepted(await bench.workspace.remove(ALICE, await bench.document("folder/a.md")));
    await bench.restart(() => rmSync(bench.path("folder"), { recursive: true }));
    expect(refused(await bench.workspace.open("folder/a.md")).code).toBe("DELETED");
    expect(accepted(await bench.workspace.restore(ALICE, "folder/a.md")).id).toBe(id);
    expect(bench.read("folder/a.md")).toBe("one\ntwo\n");
  });

  test("[I10] what is not deleted is not restored, and never over another file", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    await bench.document("a.md");
    expect(refused(await bench.workspace.restore(ALICE, "a.md")).code).toBe("ALREADY_EXISTS");
    expect(refused(await bench.workspace.restore(ALICE, "b.md")).code).toBe("NOT_FOUND");
  });

  test("[I10] most of them at once are waited for, and are there again when they are back", async () => {
    const { bench, documents } = await many(12);
    rmSync(`${bench.root}-aside`, { recursive: true, force: true });
    renameSync(bench.path("notes"), `${bench.root}-aside`);
    await looked(bench, () => told(bench, "blocked").length === 12);
    expect(documents.every(({ mirror }) => mirror.problem?.kind === "missing")).toBe(true);
    const edit = accepted(await bench.edit(ALICE, append("notes/3.md", "meanwhile\n")));
    expect(edit).toMatchObject({ durable: true, mirrored: false });
    renameSync(`${bench.root}-aside`, bench.path("notes"));
    await looked(bench, () => told(bench, "recovered").length === 12);
    await looked(bench, () => bench.read("notes/3.md") === "notes/3.md\nmeanwhile\n");
    expect(told(bench, "deleted")).toEqual([]);
  });

  test("[I10] most of them at once are waited for, also where the daemon misses one long before the others", async () => {
    const { bench, documents } = await many(12);
    for (const document of documents.slice(1)) await bench.workspace.drop(document);
    rmSync(bench.path("notes"), { recursive: true });
    // The daemon looks at a document's file before each read.
    await expect
      .poll(async () => {
        await bench.workspace.open("notes/0.md");
        return told(bench, "blocked").length + told(bench, "deleted").length;
      })
      .toBe(1);
    expect(told(bench, "deleted")).toEqual([]);
  });

  test("[I10] most of them at once count as deleted once somebody says so", async () => {
    const { bench } = await many(12);
    rmSync(bench.path("notes"), { recursive: true });
    await looked(bench, () => told(bench, "blocked").length === 12);
    expect(await bench.workspace.resume()).toBe(12);
    expect(told(bench, "deleted")).toHaveLength(12);
    expect(refused(await bench.workspace.open("notes/3.md")).code).toBe("DELETED");
  });

  test("[I10c] most of them at once are waited for again, once they were back after somebody had said so", async () => {
    const { bench } = await many(12);
    const lose = () => rmSync(bench.path("notes"), { recursive: true });
    lose();
    await looked(bench, () => told(bench, "blocked").length === 12);
    expect(await bench.workspace.resume()).toBe(12);
    for (let i = 0; i < 12; i++) bench.write(`notes/${i}.md`, "back\n");
    await looked(bench, () => told(bench, "created").length === 12);
    bench.events.length = 0;
    lose();
    await looked(bench, () => told(bench, "blocked").length + told(bench, "deleted").length === 12);
    expect(told(bench, "deleted")).toEqual([]);
  });

  test("[I10i] most of them at once are not waited for anew at each look", async () => {
    const paths = Array.from({ length: 12 }, (_, i) => `${i}.md`);
    const files = Object.fromEntries(paths.map((path) => [path, `${path}\n`]));
    const bench = new TimedBench(files, { deleteGraceMs: 500 });
    const documents: Document[] = [];
    for (const path of paths) documents.push(await bench.passing(bench.document(path)));
    for (const path of paths) bench.remove(path);
    await bench.passing(Promise.all(documents.map(({ mirror }) => mirror.fresh())));
    expect(told(bench, "blocked")).toHaveLength(12);
    const before = bench.clock.elapsed();
    await bench.passing(Promise.all(documents.map(({ mirror }) => mirror.fresh())));
    expect(bench.clock.elapsed() - before).toBeLessThan(bench.workspace.limits.deleteGraceMs);
  });

  test("[I10] a few of many are deleted like any", async () => {
    const { bench } = await many(12);
    for (const i of [1, 2, 3]) rmSync(bench.path(`notes/${i}.md`));
    await looked(bench, () => told(bench, "deleted").length === 3);
  });
});
