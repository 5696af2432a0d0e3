import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { healthOf } from "../../src/daemon/reports/health.ts";
import type { WatchTrouble } from "../../src/mirror/disk/watcher.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { StoreHealth } from "../../src/store/lmdb/store-health.ts";
import type { StoreTrouble } from "../../src/store/store.ts";
import { Rights } from "../../src/workspace/access/rights.ts";
import { flush } from "../../src/workspace/folder/unwritten.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { folderWith } from "../helpers/hostile.ts";
import type { MemoryStore } from "../helpers/memory-store.ts";
import { ALICE, accepted, Bench, refused, TimedBench } from "./harness.ts";

const append = (path: string, text: string) => ({ path, plan: planAppend(text), ack: "durable" }) as const;
const storeOf = (bench: Bench) => bench.workspace.ports.store as MemoryStore;

function health({ workspace }: Bench, asking: Rights | undefined = ALICE.rights, watching?: WatchTrouble) {
  const machines = { is: "alone" } as const;
  const none = { setAside: [], watching, tokens: undefined, machines, program: "same" } as const;
  return healthOf(workspace, none, { version: "0", startedAt: "" }, asking);
}

/** Returns the condition of a store in a folder that has space, and calls `probe` when it tries a write. */
function condition(probe: () => Promise<void>): StoreHealth {
  const found = new StoreHealth(join(folderWith({ "data.mdb": "" }), "data.mdb"), probe);
  onTestFinished(() => found.close());
  return found;
}

describe("a disk that refused a flush", () => {
  test("[FA1] the store admits and acknowledges no write until a restart, whatever the disk says then", () => {
    const store = condition(async () => {});
    store.admit(1);
    store.refused("failed", "EIO");
    store.refused("full", "no space left");
    expect(() => store.admit(1)).toThrow("EIO");
    expect(() => store.worked()).toThrow("EIO");
    expect(store.trouble).toMatchObject({ kind: "failed", message: "EIO", since: expect.any(Number) });
  });

  test("[FA1] documents can be read, and health says since when and what to do", async () => {
    const bench = new Bench({ "a.md": "one\n", "b.md": "two\n" });
    await bench.document("a.md");
    storeOf(bench).failNext("failed", 100);
    const trouble: StoreTrouble = { kind: "failed", message: "EIO", since: 0 };
    Object.defineProperty(storeOf(bench), "trouble", { value: trouble });
    expect(refused(await bench.edit(ALICE, append("a.md", "x"))).code).toBe("INTERNAL");
    expect(await bench.text("a.md")).toBe("one\n");
    expect(health(bench)).toMatchObject({
      status: "degraded",
      problems: [{ what: "store", kind: "failed", since: new Date(0).toISOString() }],
    });
    expect(health(bench).problems[0]?.advice).toMatch(/start the daemon/);
  });
});

describe("a full disk", () => {
  test("[FA2] edits are refused and leave the file as it is; once there is space they go on", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    await bench.document("a.md");
    storeOf(bench).failNext("full", 3);
    expect(refused(await bench.edit(ALICE, append("a.md", "two\n"))).code).toBe("STORAGE_FULL");
    expect([bench.read("a.md"), await bench.text("a.md")]).toEqual(["one\n", "one\n"]);
    expect(health(bench).problems).toMatchObject([{ what: "store", kind: "full" }]);
    expect(health(bench).problems[0]?.advice).toContain("Free some space");
    storeOf(bench).failNone();
    accepted(await bench.edit(ALICE, { ...append("a.md", "three\n"), ack: "mirrored" }));
    expect(bench.read("a.md")).toBe("one\nthree\n");
    expect(health(bench).status).toBe("ok");
  });

  test("[FA13] a refused edit holds no other one back: the file gets those that the store has", async () => {
    const bench = new TimedBench({ "a.md": "" }, { mirrorEveryMs: 1_000 });
    await bench.passing(bench.document("a.md"));
    accepted(await bench.passing(bench.edit(ALICE, { ...append("a.md", "one\n"), ack: "mirrored" })));
    accepted(await bench.edit(ALICE, append("a.md", "two\n")));
    storeOf(bench).failNext("full", 1);
    expect(refused(await bench.edit(ALICE, append("a.md", "three\n"))).code).toBe("STORAGE_FULL");
    storeOf(bench).failNone();
    await bench.clock.advance(10_000);
    expect(bench.read("a.md")).toBe("one\ntwo\n");
  });

  test("[FA13] so when the daemon stops, for a document with a save that the store refused", async () => {
    const bench = new TimedBench({ "a.md": "one\n" }, { mirrorEveryMs: 1_000 });
    await bench.passing(bench.document("a.md"));
    accepted(await bench.passing(bench.edit(ALICE, { ...append("a.md", "two\n"), ack: "mirrored" })));
    accepted(await bench.edit(ALICE, append("a.md", "three\n")));
    storeOf(bench).failNext("full", 2);
    bench.save("a.md", "zero\none\ntwo\n");
    await bench.passing(bench.workspace.loadedAt("a.md" as DocPath)!.mirror.fresh() ?? Promise.resolve());
    storeOf(bench).failNone();
    await bench.passing(flush(bench.workspace, 5_000));
    expect(bench.read("a.md")).toBe("zero\none\ntwo\nthree\n");
  });

  test("[CV21] a changed file that nobody opened is refused, and recorded once there is space", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { cover } = bench.workspace;
    const pass = () => cover.pass(new AbortController().signal);
    await pass();
    storeOf(bench).failNext("full", 1000);
    bench.save("a.md", "two\n");
    expect(refused(await bench.workspace.open("a.md")).code).toBe("STORAGE_FULL");
    cover.look("a.md" as DocPath);
    await cover.settled();
    expect(cover.isDoubtful).toBe(true);
    storeOf(bench).failNone();
    await pass();
    expect((await bench.document("a.md")).head).toMatchObject({ author: "disk", seq: 1 });
  });

  test("[CV23] a write that can do without is refused before the disk is full, and is no trouble", () => {
    const store = condition(async () => {});
    const { blocks, bsize, bfree } = statfsSync(tmpdir());
    const left = bfree * bsize - Math.min(0.05 * blocks * bsize, 256 << 20);
    expect(() => store.admit(left + (1 << 20), { sparing: true })).toThrow("left for edits");
    expect(store.trouble).toBeUndefined();
    store.admit(1);
  });

  test("[FA2] the store notices by itself that there is space again", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let full = true;
    const store = condition(async () => {
      if (full) throw new Error("full");
      store.worked();
    });
    store.refused("full", "no space left");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(store.trouble?.kind).toBe("full");
    full = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(store.trouble).toBeUndefined();
  });
});

describe("a file that cannot be written", () => {
  test("[RI64] is a problem only for a caller who may read it, and only such a caller reads numbers", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { mirror } = await bench.document("a.md");
    Object.defineProperty(mirror, "problem", { value: { kind: "denied", message: "EACCES" } });
    Object.defineProperty(mirror, "problemSince", { value: 0 });
    const other = new Rights([{ glob: "b.md", level: "write", conflict: "merge" }]);
    expect(health(bench)).toMatchObject({ status: "degraded", problems: [{ path: "a.md" }] });
    expect(health(bench, other)).toMatchObject({ status: "ok", problems: [] });
    const trouble = { folders: 7, reason: "ENOSPC", since: 0 };
    const messages = [ALICE.rights, other].map(
      (asking) => health(bench, asking, trouble).problems[0]?.message,
    );
    expect(messages.map((message) => message?.includes("7"))).toEqual([true, false]);
  });

  test("[FA7] is blocked and says why, its edits are kept, others go on, and it recovers alone", async () => {
    const bench = new Bench({ "a.md": "one\n", "b.md": "one\n" });
    const { id, mirror } = await bench.document("a.md");
    const { files } = bench.workspace.ports;
    const { stage } = files;
    files.stage = async (...args) =>
      args[2] === id ? { kind: "denied", message: "EACCES" } : stage.apply(files, args);
    accepted(await bench.edit(ALICE, append("a.md", "kept\n")));
    await expect.poll(() => mirror.problem).toMatchObject({ kind: "denied", message: "EACCES" });
    expect(health(bench).problems).toMatchObject([{ what: "file", path: "a.md", message: "EACCES" }]);
    expect([bench.read("a.md"), await bench.text("a.md")]).toEqual(["one\n", "one\nkept\n"]);
    accepted(await bench.edit(ALICE, { ...append("b.md", "two\n"), ack: "mirrored" }));
    expect(bench.read("b.md")).toBe("one\ntwo\n");
    files.stage = stage;
    await expect.poll(() => bench.read("a.md")).toBe("one\nkept\n");
    await expect.poll(() => health(bench).status).toBe("ok");
    const told = bench.events.map(({ type }) => type).filter((type) => type !== "changed");
    expect(told).toEqual(["blocked", "recovered"]);
  });
});
