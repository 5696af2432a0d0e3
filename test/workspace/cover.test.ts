import { describe, expect, test, vi } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import type { BaselineStore } from "../../src/store/baselines.ts";
import { AgentBounds, Rights } from "../../src/workspace/access/rights.ts";
import { Inventories } from "../../src/workspace/cover/inventories.ts";
import type { Surveyor } from "../../src/workspace/cover/surveyor.ts";
import { GuardedWorkspace } from "../../src/workspace/folder/guarded-workspace.ts";
import { Checkpoints } from "../../src/workspace/history/checkpoints.ts";
import { drained } from "../helpers/drained.ts";
import type { MemoryStore } from "../helpers/memory-store.ts";
import { ALICE, accepted, Bench, refused, TimedBench } from "./harness.ts";

const signal = new AbortController().signal;
const FILES = { "a.md": "one\n", "sub/b.md": "two\n", "sub/deep/c.md": "three\n", "raw.bin": "\0\0" };

async function covered(
  files: Record<string, string> = FILES,
  limits: ConstructorParameters<typeof Bench>[1] = {},
): Promise<Bench> {
  const bench = new Bench(files, limits);
  await bench.workspace.cover.pass(signal);
  return bench;
}

/** Has the cover look at paths, as hints of the watcher do. */
async function look(bench: Bench, ...paths: string[]): Promise<void> {
  for (const path of paths) bench.workspace.cover.look(path as DocPath);
  await bench.workspace.cover.settled();
}

async function historyOf(bench: Bench, path?: string) {
  const guarded = new GuardedWorkspace(bench.workspace, ALICE, "read");
  return accepted(await bench.history.list(guarded, { path, limit: 50 })).changes;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Replaces the surveyor's next reading. */
function instead(bench: Bench, next: Surveyor["read"]): Surveyor["read"] {
  const surveyor = bench.workspace.ports.surveyor as Writable<Surveyor>;
  const { read } = surveyor;
  surveyor.read = (...args) => {
    surveyor.read = read;
    return next(...args);
  };
  return read;
}

const baselines = (bench: Bench) => [...bench.workspace.ports.store.baselines.list()].map(({ path }) => path);
const told = (bench: Bench, type: string) => bench.events.filter((event) => event.type === type);

test("[I14b] a hint that the daemon fails to look into leaves the others theirs", async () => {
  const bench = new Bench({ "a.md": "a\n", "b.md": "b\n" });
  await bench.workspace.cover.pass(new AbortController().signal);
  const { files, store } = bench.workspace.ports;
  const { baselines } = store;
  const at = baselines.at.bind(baselines);
  baselines.at = (path) => {
    if (path === "a.md") throw new Error("a page of the store is damaged");
    return at(path);
  };
  for (const path of ["a.md", "b.md"]) {
    bench.save(path, "saved\n");
    bench.workspace.hint(`${files.root}/${path}`);
  }
  await expect.poll(() => bench.events.map(({ type }) => type)).toEqual(["changed"]);
  baselines.at = at;
});

describe("the cover", () => {
  test("[CV1] each text file gets a baseline, and no document", async () => {
    const bench = await covered();
    const { store } = bench.workspace.ports;
    expect([...store.baselines.list()].map(({ path, sha256 }) => [path, sha256 !== undefined])).toEqual([
      ["a.md", true],
      ["raw.bin", false],
      ["sub/b.md", true],
      ["sub/deep/c.md", true],
    ]);
    expect(store.documents()).toEqual([]);
    expect(bench.workspace.cover.status).toMatchObject({ stage: "covered", files: 3 });
  });

  test("[CV33] files stay covered while a pass repeats, unless it leaves some without a baseline", async () => {
    const bench = new Bench(FILES);
    const { store, surveyor } = bench.workspace.ports;
    const stages: string[] = [];
    const list = surveyor.list.bind(surveyor);
    (surveyor as Writable<Surveyor>).list = (...args) => {
      stages.push(bench.workspace.cover.status.stage);
      return list(...args);
    };
    await bench.workspace.cover.pass(signal);
    expect(new Set(stages.splice(0))).toEqual(new Set(["reading"]));
    await bench.workspace.cover.pass(signal);
    expect(new Set(stages.splice(0))).toEqual(new Set(["covered"]));
    bench.save("a.md", FILES["a.md"]);
    (store as MemoryStore).failNext("full", 10);
    await bench.workspace.cover.pass(signal);
    expect(bench.workspace.cover.status.stage).toBe("reading");
  });

  test("[CV30] a pass compares few files of a large folder ahead of their reading", async () => {
    const bench = new Bench(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}.md`, "one\n"])));
    const baselines = bench.workspace.ports.store.baselines as Writable<BaselineStore>;
    const at = baselines.at.bind(baselines);
    const compared = new Set<string>();
    baselines.at = (path) => {
      compared.add(path);
      return at(path);
    };
    let goOn = () => {};
    const held = new Promise<void>((go) => {
      goOn = go;
    });
    const read = instead(bench, async (...args) => {
      await held;
      return read(...args);
    });
    const passing = bench.workspace.cover.pass(signal);
    await expect.poll(() => compared.size).toBeGreaterThan(200);
    for (let turn = 0; turn < 100; turn++) await drained();
    expect(compared.size).toBeLessThan(300);
    goOn();
    await passing;
    expect(bench.workspace.cover.status).toMatchObject({ stage: "covered", files: 1000 });
  });

  test("[CV20] a pass lets others continue while it searches the baselines of missing files", async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.md`, "one\n"]));
    const bench = await covered(many);
    const baselines = bench.workspace.ports.store.baselines as Writable<BaselineStore>;
    const paths = baselines.paths.bind(baselines);
    let most = 0;
    baselines.paths = function* () {
      let inTurn = 0;
      for (const path of paths()) {
        if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
        most = Math.max(most, inTurn);
        for (const began = performance.now(); performance.now() - began < 1; );
        yield path;
      }
    };
    bench.remove("7.md");
    await bench.workspace.cover.pass(signal);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(10);
    expect(await historyOf(bench)).toMatchObject([{ kind: "delete", path: "7.md" }]);
  });

  test("[CV25] a second pass compares only files whose stamps changed, and counts the same", async () => {
    const bench = await covered();
    const { files, bytes } = bench.workspace.cover.status;
    const store = bench.workspace.ports.store.baselines as Writable<BaselineStore>;
    const at = store.at.bind(store);
    const asked: string[] = [];
    store.at = (path) => {
      asked.push(path);
      return at(path);
    };
    await bench.workspace.cover.pass(signal);
    expect(asked).toEqual([]);
    expect(bench.workspace.cover.status).toMatchObject({ files, bytes });
    bench.write("sub/b.md", "two changed\n");
    await bench.workspace.cover.pass(signal);
    expect(new Set(asked)).toEqual(new Set(["sub/b.md"]));
    expect(await historyOf(bench)).toMatchObject([{ kind: "edit", path: "sub/b.md" }]);
    expect(bench.workspace.cover.status.files).toBe(files);
  });

  test("[CV25] a folder that went while no pass ran is found by its baselines", async () => {
    const bench = await covered();
    await bench.workspace.cover.pass(signal);
    for (const path of ["sub/b.md", "sub/deep/c.md"]) bench.remove(path);
    await bench.workspace.cover.pass(signal);
    const changes = (await historyOf(bench)).map(({ kind, path }) => `${kind} ${path}`).sort();
    expect(changes).toEqual(["delete sub/b.md", "delete sub/deep/c.md"]);
  });

  test.each([
    ["in a folder without other changes", "sub/b.md"],
    ["beside it", "raw.bin.md"],
  ])(
    "[CV32] a missing file is found although another one %s got a document meanwhile",
    async (_where, other) => {
      const bench = await covered({ ...FILES, "raw.bin.md": "text\n" });
      await bench.workspace.cover.pass(signal);
      bench.remove("a.md");
      const { decide } = Inventories.prototype;
      // All folders are listed then.
      const deciding = vi.spyOn(Inventories.prototype, "decide").mockImplementation(async function (
        this: Inventories,
        ...args
      ) {
        accepted(await bench.workspace.open(other));
        return decide.apply(this, args);
      });
      await bench.workspace.cover.pass(signal);
      deciding.mockRestore();
      expect(await historyOf(bench)).toMatchObject([{ kind: "delete", path: "a.md" }]);
    },
  );

  test("[CV32] a file that gets a document at the end of a pass has no baseline for the next one", async () => {
    const bench = await covered();
    await bench.workspace.cover.pass(signal);
    bench.write("sub/new.md", "new\n");
    const { unfound } = Inventories.prototype;
    const searching = vi.spyOn(Inventories.prototype, "unfound").mockImplementation(async function* (
      this: Inventories,
      ...args
    ) {
      yield* unfound.apply(this, args);
      accepted(await bench.workspace.open("sub/b.md"));
    });
    await bench.workspace.cover.pass(signal);
    searching.mockRestore();
    bench.remove("a.md");
    await bench.workspace.cover.pass(signal);
    expect(await historyOf(bench)).toMatchObject([{ kind: "delete", path: "a.md" }, {}]);
  });

  test("[CV25] a file that is unreadable or too large is compared by each pass", async () => {
    const bench = await covered({ "a.md": "a", "big.md": "b".repeat(2000) }, { maxFileBytes: 1024 });
    for (let passes = 0; passes < 2; passes++) {
      await bench.workspace.cover.pass(signal);
      expect(bench.workspace.cover.status).toMatchObject({ files: 1, leftOut: { tooLarge: 1 } });
    }
  });

  test("[CV2, I16] a save of a file that nobody opened is a change, which an undo takes back", async () => {
    const bench = await covered();
    bench.save("sub/b.md", "two changed\n");
    await look(bench, "sub/b.md");
    const [change] = await historyOf(bench);
    expect(change).toMatchObject({ path: "sub/b.md", author: "disk", added: 8, removed: 0, kind: "edit" });
    accepted(await bench.undo(ALICE, { changeId: change!.changeId }));
    expect(bench.read("sub/b.md")).toBe("two\n");
  });

  test("[CV3] a file that appears is a document that its history says was created", async () => {
    const bench = await covered();
    bench.write("sub/new.md", "new\n");
    await look(bench, "sub/new.md");
    expect(await historyOf(bench)).toMatchObject([{ path: "sub/new.md", kind: "create", author: "disk" }]);
    expect(told(bench, "created")).toMatchObject([{ path: "sub/new.md" }]);
  });

  test("[CV3] a file that is written again while the daemon reads it was created once", async () => {
    const bench = await covered();
    const read = instead(bench, async (...args) => {
      const found = await read(...args);
      bench.save("new.md", "new\n");
      bench.workspace.cover.look("new.md" as DocPath);
      return found;
    });
    bench.write("new.md", "");
    await look(bench, "new.md");
    expect(told(bench, "created")).toMatchObject([{ path: "new.md" }]);
    expect((await historyOf(bench)).at(-1)).toMatchObject({ path: "new.md", kind: "create" });
  });

  test.each([
    ["is empty", ""],
    ["ends within a line", "one\ntw"],
  ])(
    "[I5, I5b, CV3] a new file that a program has open and that %s is taken in once it is closed",
    async (_, start) => {
      const bench = new TimedBench(FILES);
      await bench.passing(bench.workspace.cover.pass(signal));
      bench.write("new.md", start);
      const close = bench.disk.openForWriting("new.md");
      const looked = look(bench, "new.md");
      await bench.clock.advance(700);
      expect(told(bench, "created")).toEqual([]);
      bench.disk.write("new.md", "one\ntwo\n");
      close();
      await bench.passing(looked);
      expect(await historyOf(bench)).toMatchObject([{ path: "new.md", kind: "create" }]);
      expect(accepted(await bench.workspace.open("new.md")).text.toString()).toBe("one\ntwo\n");
    },
  );

  test("[I5, CV3] a new file that a program fills and closes just after the daemon read it is created whole", async () => {
    const bench = new TimedBench(FILES);
    await bench.passing(bench.workspace.cover.pass(signal));
    bench.write("new.md", "");
    const close = bench.disk.openForWriting("new.md");
    const { files } = bench.workspace.ports;
    const openForWriting = files.openForWriting.bind(files);
    files.openForWriting = (path) => {
      bench.disk.write("new.md", "one\n");
      close();
      files.openForWriting = openForWriting;
      return openForWriting(path);
    };
    await bench.passing(look(bench, "new.md"));
    expect(await historyOf(bench)).toMatchObject([{ path: "new.md", kind: "create" }]);
    expect(accepted(await bench.workspace.open("new.md")).text.toString()).toBe("one\n");
  });

  test("[I5b] a new file that a program keeps open is taken in after a second, also when it ends within a line", async () => {
    const bench = new TimedBench(FILES);
    await bench.passing(bench.workspace.cover.pass(signal));
    bench.write("new.md", "…");
    bench.disk.openForWriting("new.md");
    const looked = look(bench, "new.md");
    for (let ms = 0; ms < 1_000; ms += 100) {
      expect(told(bench, "created")).toEqual([]);
      await bench.clock.advance(100);
      bench.disk.append("new.md", "…");
    }
    await bench.clock.advance(100);
    await looked;
    expect(await historyOf(bench)).toMatchObject([{ path: "new.md", kind: "create" }]);
  });

  test("[CV3] a new file stays new until its document is open, whatever the cover doubts meanwhile", async () => {
    const bench = await covered();
    const workspace = bench.workspace as Writable<typeof bench.workspace>;
    const open = workspace.open.bind(workspace);
    workspace.open = async (path) => {
      await new Promise(setImmediate); // the reading has ended
      workspace.cover.rulesChanged();
      return open(path);
    };
    bench.write("sub/new.md", "new\n");
    await look(bench, "sub/new.md");
    expect(told(bench, "created")).toMatchObject([{ path: "sub/new.md" }]);
  });

  test("[CV19] a file that appears after all were listed was created, although the first pass finds it", async () => {
    const bench = new Bench(FILES);
    await bench.workspace.recent.get();
    bench.write("sub/new.md", "new\n");
    await bench.workspace.cover.pass(signal);
    expect(told(bench, "created")).toMatchObject([{ path: "sub/new.md" }]);
    expect(baselines(bench)).toHaveLength(4);
  });

  test("[CV3] the files of a folder that appears were created", async () => {
    const bench = await covered();
    bench.write("new/x/y.md", "y\n");
    bench.write("new/z.md", "z\n");
    await look(bench, "new");
    await expect
      .poll(async () => (await historyOf(bench)).map(({ path }) => path).sort())
      .toEqual(["new/x/y.md", "new/z.md"]);
  });

  test("[CV4] a deleted file that nobody opened can be restored", async () => {
    const bench = await covered();
    bench.remove("a.md");
    await look(bench, "a.md");
    expect(await historyOf(bench)).toMatchObject([{ path: "a.md", kind: "delete", author: "disk" }]);
    accepted(await bench.workspace.restore(ALICE, "a.md"));
    expect(bench.read("a.md")).toBe("one\n");
    expect((await historyOf(bench)).map(({ kind }) => kind)).toEqual(["create", "delete"]);
  });

  test.each([
    ["the old name first", ["a.md", "moved/a.md"]],
    ["the new name first", ["moved/a.md", "moved", "a.md"]],
    ["the folder alone", ["moved", "a.md"]],
  ])("[CV5] a file that nobody opened keeps its history when it is moved: %s", async (_, paths) => {
    const bench = await covered();
    bench.write("moved/other.md", "other\n");
    await look(bench, "moved");
    bench.rename("a.md", "moved/a.md");
    await look(bench, ...paths, "moved/a.md");
    const changes = await historyOf(bench, "moved/a.md");
    expect(changes).toMatchObject([{ kind: "rename", from: "a.md", to: "moved/a.md" }, { kind: "edit" }]);
    expect(refused(await bench.workspace.open("a.md")).code).toBe("NOT_FOUND");
  });

  test("[CV6] what changed while the daemon was away is one change a file", async () => {
    const bench = await covered();
    await bench.restart(() => {
      bench.save("a.md", "one and a half\n");
      bench.save("a.md", "one and more\n");
      bench.remove("sub/b.md");
      bench.write("sub/new.md", "new\n");
      bench.rename("sub/deep/c.md", "c.md");
    });
    await bench.workspace.cover.pass(signal);
    expect((await historyOf(bench)).map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual([
      "create sub/new.md",
      "delete sub/b.md",
      "edit a.md",
      "rename c.md",
    ]);
  });

  test("[CV29] a pass lists all folders before the daemon has caught up, and compares their files afterwards", async () => {
    const bench = await covered();
    await bench.restart(() => bench.save("sub/deep/c.md", "three and more\n"));
    const { surveyor } = bench.workspace.ports;
    const list = vi.spyOn(surveyor, "list");
    let catchUp = () => {};
    const caughtUp = new Promise<void>((done) => {
      catchUp = done;
    });
    const pass = bench.workspace.cover.pass(signal, caughtUp);
    const isListed = () => list.mock.calls.flatMap(([folders]) => folders.map(({ folder }) => folder));
    await expect.poll(isListed).toEqual(["", "sub", "sub/deep"]);
    await Promise.all(list.mock.results.map(({ value }) => value));
    expect([bench.workspace.cover.status.files, await historyOf(bench)]).toEqual([0, []]);
    catchUp();
    await pass;
    expect((await historyOf(bench)).map(({ path }) => path)).toEqual(["sub/deep/c.md"]);
    expect(bench.workspace.cover.status.files).toBe(3);
  });

  test("[CV7] a pass that was cut short goes on, and takes no old file for new", async () => {
    const bench = new Bench(FILES);
    const ending = new AbortController();
    const pass = bench.workspace.cover.pass(ending.signal);
    ending.abort();
    await pass;
    await bench.restart();
    await bench.workspace.cover.pass(signal);
    expect(baselines(bench)).toHaveLength(4);
    expect(await historyOf(bench)).toEqual([]);
  });

  test("[CV8] a file with a new stamp and its old text keeps its baseline, without a document", async () => {
    const bench = await covered();
    bench.save("a.md", "one\n");
    await look(bench, "a.md");
    expect(bench.workspace.ports.store.documents()).toEqual([]);
    bench.save("a.md", "two\n");
    await look(bench, "a.md");
    expect(await historyOf(bench)).toMatchObject([{ path: "a.md", kind: "edit" }]);
  });

  test("[CV9] files beyond the limits are left out, counted, and not taken for new", async () => {
    const cover = { maxFiles: 2, maxBytes: 1 << 20 };
    const bench = await covered({ "a.md": "a", "b.md": "b", "c.md": "c" }, { cover });
    expect(bench.workspace.cover.status).toMatchObject({ files: 2, leftOut: { overLimit: 1 } });
    await bench.document("c.md");
    expect(await historyOf(bench)).toEqual([]);
  });

  test("[CV10] a file above the size of a document is left out and counted", async () => {
    const bench = await covered({ "a.md": "a", "big.md": "b".repeat(2000) }, { maxFileBytes: 1024 });
    expect(bench.workspace.cover.status).toMatchObject({ files: 1, leftOut: { tooLarge: 1 } });
  });

  test("[CV31] looks count a file that is left out once, and no more once it is small or gone", async () => {
    const cover = { maxFiles: 2, maxBytes: 1 << 20 };
    const files = { "a.md": "a", "b.md": "b", "c.md": "c", "big.md": "b".repeat(2000) };
    const bench = await covered(files, { cover, maxFileBytes: 1024 });
    const left = () => bench.workspace.cover.status.leftOut;
    expect(left()).toMatchObject({ tooLarge: 1, overLimit: 1 });
    expect(refused(await bench.workspace.open("big.md")).code).toBe("TOO_LARGE");
    await look(bench, "big.md", "big.md", "c.md", "c.md");
    bench.save("new.md", "b".repeat(2000));
    await look(bench, "new.md", "new.md");
    expect(left()).toMatchObject({ tooLarge: 2, overLimit: 1 });
    bench.remove("new.md");
    bench.save("big.md", "small");
    await look(bench, "new.md", "big.md");
    expect(left()).toMatchObject({ tooLarge: 0 });
  });

  test("[CV24] a file that was too large was there before it became small enough", async () => {
    const bench = await covered({ "a.md": "a", "big.md": "b".repeat(2000) }, { maxFileBytes: 1024 });
    bench.save("big.md", "small\n");
    await look(bench, "big.md");
    expect([told(bench, "created"), await historyOf(bench)]).toEqual([[], []]);
    expect(await bench.text("big.md")).toBe("small\n");
  });

  test("[CV24] what could not be read was there before it can be read", async () => {
    const bench = new Bench(FILES);
    const surveyor = bench.workspace.ports.surveyor as Writable<Surveyor>;
    const { list } = surveyor;
    const denied = { kind: "denied", message: "EACCES" } as const;
    surveyor.list = async (...args) =>
      (await list(...args)).map((found) =>
        found.folder === "sub" ? { folder: "sub", problem: denied } : found,
      );
    instead(bench, async (paths) => paths.map((path) => ({ is: "unread", path, problem: denied })));
    await bench.workspace.cover.pass(signal);
    expect(bench.workspace.cover.status).toMatchObject({ files: 0, leftOut: { unreadable: 2 } });
    surveyor.list = list;
    await look(bench, "a.md", "sub");
    await expect.poll(() => baselines(bench)).toEqual(Object.keys(FILES).sort());
    expect(await historyOf(bench)).toEqual([]);
    bench.write("sub/new.md", "new\n");
    await look(bench, "sub/new.md");
    expect(await historyOf(bench)).toMatchObject([{ path: "sub/new.md", kind: "create" }]);
  });

  test("[CV24] a file that was ignored while the daemon ran was there, one made while none ran is new", async () => {
    const bench = new TimedBench({ ".gitignore": "out\n", "out/a.md": "a\n", "b.md": "b\n" });
    await bench.clock.advance(100);
    await bench.passing(bench.workspace.cover.pass(signal));
    expect(baselines(bench)).toEqual([".gitignore", "b.md"]);
    await bench.clock.advance(100);
    await bench.restart(() => {
      bench.write(".gitignore", "none\n");
      bench.write("out/new.md", "new\n");
    });
    await bench.passing(bench.workspace.cover.pass(signal));
    const changes = (await historyOf(bench)).map(({ kind, path }) => `${kind} ${path}`).sort();
    expect(changes).toEqual(["create out/new.md", "edit .gitignore"]);
    expect(baselines(bench)).toEqual(["b.md", "out/a.md"]);
  });

  test("[CV11] equal files share their content", async () => {
    const bench = await covered({ "a.md": "same\n", "b.md": "same\n", "c.md": "other\n" });
    expect([...bench.workspace.ports.store.baselines.contents()]).toHaveLength(2);
  });

  test("[CV15] a content that no baseline names any more leaves the store", async () => {
    const bench = await covered({ "a.md": "same\n", "b.md": "same\n", "c.md": "other\n" });
    bench.save("c.md", "changed\n");
    bench.save("a.md", "changed\n");
    await look(bench, "a.md", "c.md");
    const { baselines: stored } = bench.workspace.ports.store;
    expect([...stored.contents()]).toHaveLength(2);
    await bench.workspace.cover.forgetContents();
    expect([...stored.contents()]).toEqual([stored.at("b.md")!.sha256]);
  });

  test("[CV16, CV23] what the store refuses is read again by the next pass, and is not taken for new", async () => {
    const bench = new Bench(FILES);
    const store = bench.workspace.ports.store as MemoryStore;
    store.failNext("full", 10);
    await bench.workspace.cover.pass(signal);
    expect([baselines(bench), bench.workspace.cover.isDoubtful]).toEqual([[], true]);
    expect(bench.workspace.cover.status).toMatchObject({ files: 0, leftOut: { unsaved: 4 } });
    store.failNone();
    await bench.workspace.cover.pass(signal);
    expect(baselines(bench)).toHaveLength(4);
    expect(bench.workspace.cover.status.stage).toBe("covered");
    expect(await historyOf(bench)).toEqual([]);
  });

  test("[CV16, CV23] so is a file in a folder that was listed after the store refused others", async () => {
    const bench = new Bench(FILES);
    const { store, surveyor } = bench.workspace.ports;
    (store as MemoryStore).failNext("full", 1);
    const list = surveyor.list.bind(surveyor);
    (surveyor as Writable<Surveyor>).list = async (folders, maxFileBytes) => {
      if (folders.some(({ folder }) => folder !== "")) await bench.workspace.cover.settled();
      return list(folders, maxFileBytes);
    };
    await bench.workspace.cover.pass(signal);
    await bench.workspace.cover.pass(signal);
    expect(baselines(bench)).toHaveLength(4);
    expect(await historyOf(bench)).toEqual([]);
  });

  test("[CV18] what the surveyor fails to read is read again by the next pass", async () => {
    const bench = new Bench(FILES);
    instead(bench, async () => {
      throw new Error("the thread ended");
    });
    await bench.workspace.cover.pass(signal);
    expect([baselines(bench).includes("a.md"), bench.workspace.cover.isDoubtful]).toEqual([false, true]);
    await bench.workspace.cover.pass(signal);
    expect([baselines(bench).length, bench.workspace.cover.status.stage]).toEqual([4, "covered"]);
    expect(await historyOf(bench)).toEqual([]);
  });

  test("[CV17] a save of a file that the pass is reading is a change, or part of the baseline", async () => {
    const bench = new Bench(FILES);
    const pass = bench.workspace.cover.pass(signal);
    bench.save("sub/b.md", "two, saved meanwhile\n");
    await look(bench, "sub/b.md");
    await pass;
    bench.save("sub/b.md", "two, saved later\n");
    await look(bench, "sub/b.md");
    const [change, ...older] = await historyOf(bench);
    expect([change, older.length <= 1]).toMatchObject([{ path: "sub/b.md", kind: "edit" }, true]);
    accepted(await bench.undo(ALICE, { changeId: change!.changeId }));
    expect(bench.read("sub/b.md")).toBe("two, saved meanwhile\n");
  });

  test("[CV12] a document begins with its baseline: a change since is a save, also for its first reader", async () => {
    const bench = await covered();
    bench.save("a.md", "one, saved\n");
    await bench.document("a.md");
    expect(await historyOf(bench)).toMatchObject([{ path: "a.md", kind: "edit", author: "disk", added: 7 }]);
    expect(baselines(bench)).not.toContain("a.md");
  });

  test("[CV13] an undo restores a deleted file, renames a moved one back, and removes a created one", async () => {
    const bench = await covered();
    bench.remove("a.md");
    bench.rename("sub/b.md", "b.md");
    bench.write("new.md", "new\n");
    await look(bench, "a.md", "sub/b.md", "b.md", "new.md");
    const changes = await historyOf(bench);
    expect(changes.map(({ kind }) => kind).sort()).toEqual(["create", "delete", "rename"]);
    for (const { changeId } of changes) accepted(await bench.undo(ALICE, { changeId }));
    expect([bench.read("a.md"), bench.read("sub/b.md")]).toEqual(["one\n", "two\n"]);
    expect(() => bench.read("new.md")).toThrow("new.md is not there");
    expect((await historyOf(bench)).filter(({ undone }) => undone)).toHaveLength(3);
    for (const { changeId } of changes) accepted(await bench.redo(ALICE, { changeId }));
    expect([bench.read("b.md"), bench.read("new.md")]).toEqual(["two\n", "new\n"]);
    expect(() => bench.read("a.md")).toThrow("a.md is not there");
  });

  test("[CV22] a file that is saved while a pass reads it counts once", async () => {
    const bench = new Bench(FILES);
    const read = instead(bench, async (...args) => {
      const found = await read(...args);
      bench.save("a.md", "one changed\n");
      bench.workspace.cover.look("a.md" as DocPath);
      return found;
    });
    await bench.workspace.cover.pass(signal);
    expect(bench.workspace.cover.status.files).toBe(3);
  });

  test("[CV22] the count follows files that come and go, and no saves", async () => {
    const bench = await covered();
    const { cover } = bench.workspace;
    bench.write("new.md", "new\n");
    await look(bench, "new.md");
    expect(cover.status).toMatchObject({ files: 4, bytes: 18 });
    const [created] = await historyOf(bench);
    bench.save("a.md", "one changed\n");
    bench.save("new.md", "newer\n");
    await look(bench, "a.md");
    expect(cover.status.files).toBe(4);
    accepted(await bench.undo(ALICE, { changeId: created!.changeId }));
    bench.remove("sub/b.md");
    await look(bench, "sub/b.md");
    expect(cover.status.files).toBe(2);
    accepted(await bench.workspace.restore(ALICE, "sub/b.md"));
    expect(cover.status.files).toBe(3);
    await cover.pass(signal);
    expect(cover.status.files).toBe(3);
  });

  test("[CV14] the creation of a file that others changed since is not undone", async () => {
    const bench = await covered();
    bench.write("new.md", "new\n");
    await look(bench, "new.md");
    const [created] = await historyOf(bench);
    accepted(
      await bench.edit(ALICE, {
        path: "new.md",
        plan: () => ({ splices: [{ from: 0, to: 0, insert: "x" }] }),
      }),
    );
    expect(refused(await bench.undo(ALICE, { changeId: created!.changeId })).code).toBe("CONFLICT");
    expect(bench.read("new.md")).toBe("xnew\n");
  });
});

describe("a checkpoint", () => {
  test("[HI5] counts the files that its reader may see, also after others came and went", async () => {
    const bench = await covered();
    const checkpoints = new Checkpoints(bench.workspace, bench.editor);
    const reader = { ...ALICE, rights: new Rights([{ glob: "sub/**", level: "read" }]) };
    let made = 0;
    const counted = async () => accepted(await checkpoints.create(reader, `${made++}`)).documents;
    expect([await counted(), await counted()]).toEqual([2, 2]);
    bench.write("sub/deep/new.md", "new\n");
    bench.write("other/new.md", "new\n");
    await look(bench, "sub/deep/new.md", "other");
    expect(await counted()).toBe(3);
    bench.save("sub/b.md", "changed\n");
    await look(bench, "sub/b.md");
    expect(await counted()).toBe(3);
  });

  test("[HI5] lists documents only, and restores files that had none", async () => {
    const bench = await covered();
    const checkpoints = new Checkpoints(bench.workspace, bench.editor);
    expect(accepted(await checkpoints.create(ALICE, "before"))).toMatchObject({ documents: 3 });
    bench.save("a.md", "changed\n");
    bench.remove("sub/b.md");
    bench.write("new.md", "new\n");
    const previewed = accepted(await checkpoints.preview(ALICE, "before"));
    expect(previewed).toMatchObject({ restored: ["a.md", "sub/b.md"], unchanged: 1, newer: ["new.md"] });
    expect(bench.read("a.md")).toBe("changed\n");
    expect(accepted(await checkpoints.restore(ALICE, "before"))).toEqual({
      batchId: expect.any(String),
      ...previewed,
    });
    expect([bench.read("a.md"), bench.read("sub/b.md"), bench.read("new.md")]).toEqual([
      "one\n",
      "two\n",
      "new\n",
    ]);
    expect(accepted(await checkpoints.restore(ALICE, "before"))).toMatchObject({
      restored: [],
      unchanged: 3,
    });
  });

  test("[HI5] counts the unchanged files for an agent, too, whatever is private", async () => {
    const bench = await covered();
    const checkpoints = new Checkpoints(bench.workspace, bench.editor);
    const agent = { ...ALICE, rights: new AgentBounds([], ["sub/deep/**"]).rightsIn("agent", ALICE.rights) };
    accepted(await checkpoints.create(agent, "before"));
    bench.save("a.md", "changed\n");
    const restored = { restored: ["a.md"], unchanged: 1 };
    expect(accepted(await checkpoints.preview(agent, "before"))).toMatchObject(restored);
  });
});
