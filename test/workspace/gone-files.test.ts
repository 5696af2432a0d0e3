import { describe, expect, test } from "vitest";
import type { Image } from "../../src/mirror/files.ts";
import type { Fate } from "../../src/mirror/mirrored-document.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { GoneFiles, type Missed } from "../../src/workspace/folder/gone-files.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";

const IMAGE = {} as Image;
const PATHS = Array.from({ length: 40 }, (_, i) => `${i}.md` as DocPath);

/** The owner of missing files on an empty disk, whose events a test can make fail. */
function owner() {
  const clock = new FakeClock();
  const opened: DocPath[] = [];
  const opening: [number, Fate][] = [];
  let failing: "open" | "decide" | undefined;
  const fail = (what: typeof failing) => {
    if (failing === what) throw new Error("a page of the store is damaged");
  };
  const gone = new GoneFiles(
    { files: new FakeFiles(new FakeDisk(clock)), clock, graceMs: 100, report: () => undefined },
    {
      open: async (path) => {
        opened.push(path);
        if (path === PATHS[3]) fail("open");
      },
      back: () => undefined,
      decide: async (missed) => {
        fail("decide");
        const none: ReadonlyMap<DocPath, Missed> = new Map();
        return { moved: [], deleted: missed, unsure: none };
      },
      opening: (missed, fate) => opening.push([missed.size, fate]),
    },
  );
  const lose = async (what: typeof failing) => {
    failing = what;
    for (const path of PATHS) gone.add(path, IMAGE);
    for (let i = 0; i < 20; i++) await clock.advance(100);
    failing = undefined;
    gone.add("another.md" as DocPath, IMAGE);
    for (let i = 0; i < 200; i++) await clock.advance(100);
  };
  return { gone, opened, opening, lose };
}

const ALL = new Set([...PATHS, "another.md"]);

describe("missing files whose documents fail to open", () => {
  test("[I14b] leave the others their fate, and no fate stays for later", async () => {
    const { gone, opened, opening, lose } = owner();
    await lose("open");
    expect(new Set(opened)).toEqual(ALL);
    expect(opening.at(-1)![0]).toBe(0);
    expect(gone.isDeleted(PATHS[0]!)).toBe(false);
  });

  test("[I14b] so do those whose fate the daemon fails to decide: it decides with the next one", async () => {
    const { opened, lose } = owner();
    await lose("decide");
    expect(new Set(opened)).toEqual(ALL);
  });
});
