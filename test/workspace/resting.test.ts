import { describe, expect, test } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { maintain } from "../../src/workspace/folder/maintenance.ts";
import { leaving, MOST_UNUSED } from "../../src/workspace/folder/resting.ts";
import { Bench, TimedBench } from "./harness.ts";

/** Opens documents one after the other, a millisecond apart; the first are the first unused. */
async function opened(bench: TimedBench, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await bench.passing(bench.document(path));
    await bench.clock.advance(1);
  }
}

/** Starts again after every document's file changed, with maintenance until the daemon has caught up with all. */
async function caughtUp(bench: Bench, paths: readonly string[], meanwhile: (seen: number) => void) {
  for (const path of paths) await bench.document(path);
  await bench.restart(() => {
    for (const path of paths) bench.save(path, `${path}, saved\n`);
  });
  await bench.document(paths[0]!);
  const seen = new Set<string>();
  bench.workspace.listen((event) => {
    if (event.type === "changed") meanwhile(seen.add(event.path).size);
  });
  const ending = new AbortController();
  const house = maintain(bench.workspace, ending.signal);
  await expect.poll(() => seen.size, { timeout: 20_000 }).toBe(paths.length - 1);
  ending.abort();
  await house;
}

const leavingPaths = (bench: TimedBench) => [...leaving(bench.workspace)].map(({ path }) => path as string);

describe("documents that nobody uses", () => {
  test("[DO8] leave memory after the idle time, the least recently used before it when there are many", async () => {
    const paths = Array.from({ length: MOST_UNUSED + 3 }, (_, i) => `${i}.md`);
    const bench = new TimedBench(Object.fromEntries(paths.map((path) => [path, path])));
    await opened(bench, paths);
    expect(leavingPaths(bench)).not.toContain(paths.at(-1));
    await bench.clock.advance(1000);
    expect(leavingPaths(bench).sort()).toEqual(["0.md", "1.md", "2.md"]);
    await bench.passing(bench.document("0.md"));
    expect(leavingPaths(bench).sort()).toEqual(["1.md", "2.md"]);
    await bench.clock.advance(60_000);
    expect(leavingPaths(bench).length).toBe(paths.length);
  });

  test("[ME31] that are all at rest let maintenance wake once a second", async () => {
    const bench = new TimedBench({ "a.md": "one\n" });
    const sleeps: number[] = [];
    const sleep = bench.clock.sleep.bind(bench.clock);
    bench.clock.sleep = (ms, signal) => {
      sleeps.push(ms);
      return sleep(ms, signal);
    };
    const ending = new AbortController();
    const house = maintain(bench.workspace, ending.signal);
    await bench.clock.advance(5_000);
    expect(sleeps.filter((ms) => ms > 0 && ms < 1_000)).toEqual([]);
    await bench.passing(bench.document("a.md"));
    await bench.clock.advance(2_000);
    expect(sleeps).toContain(250);
    ending.abort();
    await house;
  });

  test("[DO8] leave memory when their texts are large together", async () => {
    const text = "x".repeat(1 << 20);
    const paths = Array.from({ length: 34 }, (_, i) => `${i}.md`);
    const bench = new TimedBench(Object.fromEntries(paths.map((path) => [path, text])));
    await opened(bench, paths);
    await bench.clock.advance(1000);
    expect(leavingPaths(bench).sort()).toEqual(["0.md", "1.md"]);
  });

  test("[DO15] leave memory by the hundred while a start catches up with many changed files", async () => {
    const paths = Array.from({ length: 600 }, (_, i) => `${i}.md`);
    const bench = new Bench(Object.fromEntries(paths.map((path) => [path, path])));
    const loaded: number[] = [];
    await caughtUp(bench, paths, () => loaded.push([...bench.workspace.loaded].length));
    expect(Math.max(...loaded)).toBeLessThanOrEqual(201);
    expect(bench.workspace.loadedAt(paths[0] as DocPath)).toBeDefined();
    for (const path of paths) expect(await bench.text(path)).toBe(`${path}, saved\n`);
  });

  test("[DO9] are compared with their files in turn", async () => {
    const paths = Array.from({ length: 300 }, (_, i) => `${i}.md`);
    const bench = new TimedBench(Object.fromEntries(paths.map((path) => [path, path])));
    await opened(bench, paths);
    for (const document of [...bench.workspace.loaded]) await bench.passing(bench.workspace.drop(document));
    const { files } = bench.workspace.ports;
    const { look } = files;
    const looked: string[] = [];
    files.look = (path) => {
      looked.push(path);
      return look.call(files, path);
    };
    await bench.passing(bench.workspace.verify());
    expect(looked.length).toBe(256);
    await bench.passing(bench.workspace.verify());
    expect(new Set(looked)).toEqual(new Set(paths));
  });
});
