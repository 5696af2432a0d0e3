import { expect, test } from "vitest";
import { Arrivals } from "../../src/lanes/arrivals.ts";
import { LaneFiles } from "../../src/lanes/records/lane-files.ts";
import { type Image, isFileProblem } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { Text } from "../../src/text/text.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { MemoryStore } from "../helpers/memory-store.ts";

const [A, B, C, D] = ["a.md", "b.md", "c.md", "d.md"] as [DocPath, DocPath, DocPath, DocPath];

test("[LV42] a file is not moved back to a path that it has left since the daemon looked there", async () => {
  const disk = new FakeDisk(new FakeClock());
  const files = new FakeFiles(disk);
  const lookAt = (path: DocPath): Image => {
    const image = files.look(path);
    if (isFileProblem(image)) throw new Error(image.message);
    return image;
  };
  disk.save(A, "one\n");
  const record = { lane: "claude", path: A, status: "live", image: lookAt(A) } as const;
  const known = new LaneFiles(new MemoryStore(), [record]);
  const moves: DocPath[] = [];
  let begin = () => {};
  let turns = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const one = {
    state: { shown: { bom: false, text: Text.empty } },
    look: () => turns,
    moved: (to: DocPath, image: Image) => {
      const from = moves.at(-1) ?? A;
      moves.push(to);
      turns = turns.then(() => known.put({ ...record, path: to, image }, from));
      return turns;
    },
  };
  const file = () => Promise.resolve(one);
  const arrivals = new Arrivals({ files, known, maxBytes: 1_000, file, isInUse: () => false });

  disk.move(A, B);
  const first = arrivals.appeared(B, lookAt(B));
  const again = arrivals.appeared(B, lookAt(B));
  await expect.poll(() => moves).toEqual([B]);
  disk.move(B, C);
  const further = arrivals.appeared(C, lookAt(C));
  await expect.poll(() => moves).toEqual([B, C]);
  disk.move(C, D); // the daemon has not looked there yet
  begin();
  await Promise.all([first, again, further]);

  expect(moves).toEqual([B, C]);
  expect([...known.all()].map(({ path }) => path)).toEqual([C]);
});

test("[LV42] a file that moves to the path of a new one, which could not be opened, keeps its document", async () => {
  const disk = new FakeDisk(new FakeClock());
  const files = new FakeFiles(disk);
  const imageOf = (path: DocPath) => files.look(path) as Image;
  disk.save(A, "one\n");
  const record = { lane: "claude", path: A, status: "live", image: imageOf(A) } as const;
  const known = new LaneFiles(new MemoryStore(), [record]);
  const moves: DocPath[] = [];
  const one = {
    state: { shown: { bom: false, text: Text.empty } },
    look: async () => {},
    moved: async (to: DocPath) => void moves.push(to),
  };
  const file = async (path: DocPath) => {
    if (path === B) throw new Error("too many open files");
    return one;
  };
  const arrivals = new Arrivals({ files, known, maxBytes: 1_000, file, isInUse: () => false });
  disk.save(B, "new\n");
  await expect(arrivals.appeared(B, imageOf(B))).rejects.toThrow("too many");
  disk.move(A, B);
  await arrivals.appeared(B, imageOf(B));
  expect(moves).toEqual([B]);
});
