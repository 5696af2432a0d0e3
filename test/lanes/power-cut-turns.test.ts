import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { sinceRestart } from "../../src/lanes/power-cut.ts";
import type { LaneFileRecord, LaneRecord } from "../../src/lanes/records/record.ts";
import { systemClock } from "../../src/mirror/clock.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { FakeDisk, imageOfInode } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "../workspace/fakes.ts";

const COUNT = 100;

test("[LV93] others work while a lane looks at all its files after a restart of the machine", async () => {
  let elapsed = 0;
  const disk = new FakeDisk(systemClock);
  const records: LaneFileRecord[] = [];
  for (let i = 0; i < COUNT; i++) {
    const path = `${i}.md` as DocPath;
    disk.save(path, "one\n");
    records.push({ lane: "claude", path, status: "live", image: imageOfInode(disk.inode(path)!) });
  }
  const clock = { ...systemClock, elapsed: () => elapsed++ };
  const { workspace } = onFakes(new FakeDisk(systemClock), new MemoryStore(), undefined, clock);
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns++) await setImmediate();
  })();
  const lane = { name: "claude", boot: "first" } as LaneRecord;
  const restarted = { workspace, openFiles: () => new FakeFiles(disk), boot: "second" };
  const [, found] = await sinceRestart(restarted, lane, records);
  isOver = true;
  await others;
  expect(found).toEqual(records);
  expect(turns).toBeGreaterThan(10);
  await workspace.close();
});
