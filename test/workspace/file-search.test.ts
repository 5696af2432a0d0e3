import { expect, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { ALICE, accepted } from "./harness.ts";

const PATHS = Array.from({ length: 20 }, (_, i) => `${i}.md`);

test("[DC73] files that are missing after a crash are looked for with a few walks, not with some for each", async () => {
  const disk = new FakeDisk(systemClock);
  const store = new MemoryStore();
  for (const path of PATHS) disk.save(path, "one\n");
  const first = onFakes(disk, store);
  const editor = new Editor(first.workspace);
  for (const path of PATHS)
    accepted(await editor.edit(ALICE, { kind: "append", path, plan: planAppend("two\n"), ack: "mirrored" }));
  first.files.crash();
  const kept = store.crash();
  await first.workspace.close();
  for (const path of PATHS) disk.move(path, `moved-${path}`);
  const { files, workspace } = onFakes(disk, kept);
  let walks = 0;
  const walk = files.walk.bind(files);
  files.walk = (...args) => {
    walks++;
    return walk(...args);
  };
  const opened = await Promise.all(PATHS.map((path) => workspace.open(`moved-${path}`)));
  expect(opened.map((document) => accepted(document).text.toString())).toEqual(PATHS.map(() => "one\ntwo\n"));
  expect(walks).toBeLessThan(5);
  await workspace.close();
});
