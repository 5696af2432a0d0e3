import { describe, expect, test } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { isTemporaryName } from "../../src/workspace/cover/habits.ts";
import { list } from "../../src/workspace/folder/documents.ts";
import { TimedBench } from "./harness.ts";

const signal = new AbortController().signal;

async function covered(files: Record<string, string>): Promise<TimedBench> {
  const bench = new TimedBench(files);
  await bench.passing(bench.workspace.cover.pass(signal));
  return bench;
}

async function look(bench: TimedBench, ...paths: string[]): Promise<void> {
  for (const path of paths) bench.workspace.cover.look(path as DocPath);
  await bench.passing(bench.workspace.cover.settled());
}

const told = (bench: TimedBench) => bench.events.map(({ type, path }) => `${type} ${path}`);
const known = (bench: TimedBench) => bench.workspace.ports.store.documents().map(({ path }) => path);

describe("files that programs make for a moment", () => {
  for (const name of [
    "a.md.tmp.123.deadbeef",
    "a.md.tmp",
    "sedAbC12x",
    "4913",
    "5036",
    "a.md~",
    ".a.md.swp",
    ".a.md.swx",
    ".a.md.kate-swp",
    "a.md.save",
    "a.md.save.1",
    "a.md.backup",
    "a.md.TqFLcG",
    ".#a.md",
    "#a.md#",
    ".goutputstream-X1Y2Z3",
    "a.md.crswap",
    "a.md___jb_tmp___",
    ".tmpAbCdEf",
    "tmp1a2b3c4d",
    "a.md.1234567",
  ])
    test(`[HB1] ${name} is such a name`, () => expect(isTemporaryName(name)).toBe(true));

  for (const name of [
    "a.md",
    "NuGet.Config",
    "README.Debian",
    "1234",
    "2026",
    "notes.txt",
    "sedation",
    "tmp",
    "template.md",
    ".env",
    "Makefile",
    "a.config",
    "a.README",
  ])
    test(`[HB1] ${name} is none`, () => expect(isTemporaryName(name)).toBe(false));

  test("[HB1] one that goes again is never announced and leaves nothing", async () => {
    const bench = await covered({ "a.md": "one\n" });
    bench.write("a.md.tmp.12.ab", "two\n");
    await look(bench, "a.md.tmp.12.ab");
    bench.rename("a.md.tmp.12.ab", "a.md");
    await look(bench, "a.md.tmp.12.ab", "a.md");
    await bench.clock.advance(5000);
    await look(bench);
    expect(known(bench)).toEqual(["a.md"]);
    expect(told(bench).filter((line) => line.includes("tmp"))).toEqual([]);
    expect(await bench.passing(bench.text("a.md"))).toBe("two\n");
  });

  test("[HB1] one is not listed while it is young, and is listed once it stays", async () => {
    const bench = await covered({ "a.md": "one\n" });
    const listed = async () => (await bench.passing(list(bench.workspace))).map(({ path }) => path);
    bench.write(".goutputstream-59TGZ3", "two\n");
    expect(await listed()).toEqual(["a.md"]);
    await bench.clock.advance(2500);
    expect(await listed()).toEqual([".goutputstream-59TGZ3", "a.md"]);
  });

  test("[I14b] one that the daemon fails to look at again ends nothing", async () => {
    const bench = await covered({ "a.md": "one\n" });
    bench.write("own.tmp", "mine\n");
    await look(bench, "own.tmp");
    const { baselines } = bench.workspace.ports.store;
    const at = baselines.at.bind(baselines);
    baselines.at = () => {
      throw new Error("a page of the store is damaged");
    };
    await bench.clock.advance(2500);
    baselines.at = at;
    bench.workspace.cover.look("own.tmp" as DocPath);
    await look(bench);
    expect(told(bench)).toContain("created own.tmp");
  });

  test("[HB2] one that stays becomes a document, and can be opened before", async () => {
    const bench = await covered({ "a.md": "one\n" });
    bench.write("own.tmp", "mine\n");
    await look(bench, "own.tmp");
    expect(known(bench)).toEqual([]);
    await bench.clock.advance(2500);
    await look(bench);
    expect(told(bench)).toContain("created own.tmp");
    bench.write("other.tmp", "mine, too\n");
    expect(await bench.passing(bench.text("other.tmp"))).toBe("mine, too\n");
  });

  test("[HB3] a backup beside its file is opened by name only", async () => {
    const bench = await covered({ "a.md": "one\n" });
    bench.write("a.md~", "zero\n");
    bench.write("a.md.backup", "minus one\n");
    bench.write("alone~", "mine\n");
    await look(bench, "a.md~", "a.md.backup", "alone~");
    await bench.clock.advance(5000);
    await look(bench, "a.md~", "a.md.backup");
    expect(told(bench)).toEqual(["created alone~"]);
    const listed = async () => (await list(bench.workspace)).map(({ path }) => path);
    expect(await listed()).toEqual(["a.md", "alone~"]);
    expect(await bench.passing(bench.text("a.md~"))).toBe("zero\n");
    expect(await listed()).toEqual(["a.md", "a.md~", "alone~"]);
  });
});
