import { describe, expect, test, vi } from "vitest";
import { drained } from "../helpers/drained.ts";
import { accepted, Bench, slow } from "./harness.ts";

const FILES = 200;
const PATHS = Array.from({ length: FILES }, (_, i) => `notes/${String(i).padStart(3, "0")}.md`);

/** Returns a workspace that has covered many files, and the number of values that were read from the store since. */
async function covered() {
  const bench = new Bench(Object.fromEntries(PATHS.map((path) => [path, `${path}\n`])), {}, slow());
  const signal = new AbortController().signal;
  await bench.workspace.cover.pass(signal);
  const { baselines } = bench.workspace.ports.store;
  const read = { values: 0 };
  function* counted<T>(values: Iterable<T>): Iterable<T> {
    for (const value of values) {
      read.values++;
      yield value;
    }
  }
  const list = baselines.list.bind(baselines);
  vi.spyOn(baselines, "list").mockImplementation((folder) => counted(list(folder)));
  const paths = baselines.paths.bind(baselines);
  vi.spyOn(baselines, "paths").mockImplementation(() => counted(paths()));
  return { bench, signal, read };
}

type Covered = Awaited<ReturnType<typeof covered>>;

const WORKS: readonly (readonly [string, (covered: Covered) => Promise<unknown>])[] = [
  [
    "the search for contents that nothing names",
    async ({ bench }) => {
      accepted(await bench.workspace.open(PATHS[0]!)); // the document's file needs no baseline any more
      return bench.workspace.cover.forgetContents();
    },
  ],
  [
    "the search of a pass for files that are gone",
    async ({ bench, signal }) => {
      bench.remove(PATHS[0]!);
      return bench.workspace.cover.pass(signal);
    },
  ],
  [
    "the count of the files that are missing",
    async ({ bench }) => {
      const { mirror } = await bench.document(PATHS[0]!);
      bench.remove(PATHS[0]!);
      return mirror.fresh();
    },
  ],
];

describe("[DO17] a workspace that closes ends", () => {
  test.each(WORKS)("%s", async (_what, work) => {
    const all = await covered();
    const done = work(all);
    while (all.read.values < 2) await drained();
    await all.bench.workspace.close();
    const { values } = all.read;
    expect(values).toBeLessThan(FILES / 2);
    await done;
    for (let turn = 0; turn < 2 * FILES; turn++) await drained();
    expect(all.read.values - values).toBeLessThanOrEqual(1);
  });
});
