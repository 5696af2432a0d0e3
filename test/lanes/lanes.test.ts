import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { laneDisk } from "../../src/lanes/disk/disk.ts";
import type { LaneRecord } from "../../src/lanes/records/record.ts";
import { laneShelf } from "../../src/lanes/records/record.ts";
import { openSandbox } from "../../src/mirror/disk/sandbox.ts";
import type { Files } from "../../src/mirror/files.ts";
import { accepted } from "../workspace/harness.ts";
import { LanesBench } from "./lanes-bench.ts";

const MARK = ".spliced/lane.json";

/** Opens the files of a lane, which the system then fails to list. */
function unlistable(folder: string): Files {
  const files = openSandbox(folder, () => {});
  vi.spyOn(files, "walk").mockImplementation(() => {
    throw new Error("EMFILE");
  });
  return files;
}

test("[LV50] a lane whose mark an agent replaced by a folder is missing alone, and can be removed", async () => {
  const at = new LanesBench({ "a.md": "one\n" });
  const [a, b] = [await at.add("a"), await at.add("b")];
  await at.restart(() => {
    rmSync(join(a, MARK));
    mkdirSync(join(a, MARK));
  });
  expect(await at.problems()).toEqual({ a: "its folder is missing", b: undefined });
  accepted(await at.lanes.remove("a", false));
  expect(await at.problems()).toEqual({ b: undefined });
  writeFileSync(join(b, "a.md"), "two\n");
  at.lanes.hint(join(b, "a.md"));
  await expect.poll(() => at.bench.text("a.md")).toBe("two\n");
});

test("[LV50] a lane that the daemon cannot open says why, stops no other lane, and is opened later", async () => {
  const at = new LanesBench({ "a.md": "one\n" });
  const a = await at.add("a");
  await at.add("b");
  const { openFiles } = at.ports;
  await at.restart(() => {
    at.ports.openFiles = (folder) => {
      if (folder === a) throw new Error("ENOSPC");
      return openFiles(folder);
    };
    writeFileSync(join(a, "a.md"), "two\n");
  });
  const problem = "the daemon cannot open it: Error: ENOSPC";
  expect(await at.problems()).toEqual({ a: problem, b: undefined });
  at.ports.openFiles = openFiles;
  await expect.poll(() => at.problems()).toEqual({ a: undefined, b: undefined });
  await expect.poll(() => at.bench.text("a.md")).toBe("two\n");
});

test("[LV50] a lane that the system fails to list is closed, and opened again later", async () => {
  const at = new LanesBench({ "a.md": "one\n" });
  const a = await at.add("a");
  const { openFiles } = at.ports;
  const close = vi.fn();
  await at.restart(() => {
    at.ports.openFiles = (folder) => {
      const files = unlistable(folder);
      const closed = files.close.bind(files);
      files.close = () => {
        close();
        closed();
      };
      return files;
    };
  });
  expect(await at.problems()).toEqual({ a: "the daemon cannot open it: Error: EMFILE" });
  expect(close).toHaveBeenCalled();
  at.ports.openFiles = openFiles;
  await expect.poll(() => at.problems()).toEqual({ a: undefined });
  writeFileSync(join(a, "a.md"), "two\n");
  at.lanes.hint(join(a, "a.md"));
  await expect.poll(() => at.bench.text("a.md")).toBe("two\n");
});

test("[LV50] a lane whose folder the system fails to look at stops the tending of no lane", async () => {
  const at = new LanesBench({ "a.md": "one\n" });
  const a = await at.add("a");
  await at.restart(() => renameSync(a, at.at("elsewhere")));
  expect(await at.problems()).toEqual({ a: "its folder is missing" });
  at.ports.disk = {
    ...laneDisk,
    isFolderOf: () => {
      throw new Error("EIO");
    },
  };
  await expect.poll(() => at.problems()).toEqual({ a: "the daemon cannot open it: Error: EIO" });
  at.ports.disk = laneDisk;
  renameSync(at.at("elsewhere"), a);
  await expect.poll(() => at.problems()).toEqual({ a: undefined });
});

test("[LV54] a lane that could not be made is gone, and its name is free", async () => {
  const at = new LanesBench({ "a.md": "one\n" });
  const { openFiles } = at.ports;
  at.ports.openFiles = unlistable;
  await expect(at.add("a")).rejects.toThrow("EMFILE");
  expect(await at.problems()).toEqual({});
  expect(existsSync(at.at("a"))).toBe(false);
  at.ports.openFiles = openFiles;
  expect(readFileSync(join(await at.add("a"), "a.md"), "utf8")).toBe("one\n");
});

test("[LV55] two removals of one lane at once are one, and its files are closed once", async () => {
  const at = new LanesBench({ "a.md": "one\n" });
  const close = vi.fn();
  const { openFiles } = at.ports;
  at.ports.openFiles = (folder) => {
    const files = openFiles(folder);
    const closed = files.close.bind(files);
    files.close = () => {
      close();
      closed();
    };
    return files;
  };
  await at.add("a");
  const both = await Promise.all([at.lanes.remove("a", false), at.lanes.remove("a", false)]);
  expect(both).toMatchObject([{ record: { name: "a" } }, { code: "NOT_FOUND" }]);
  expect(close).toHaveBeenCalledTimes(1);
  expect(existsSync(at.at("a"))).toBe(false);
});

test("[LV55] a lane that is added as one of its name is removed is a new one", async () => {
  const at = new LanesBench({ "a.md": "one\n" });
  await at.add("a");
  const [, again] = await Promise.all([at.lanes.remove("a", false), at.add("a")]);
  expect(readFileSync(join(again, "a.md"), "utf8")).toBe("one\n");
  expect(await at.problems()).toEqual({ a: undefined });
  const records: LaneRecord[] = [...at.bench.workspace.ports.store.shelf(laneShelf)];
  expect(records).toMatchObject([{ name: "a", ready: true }]);
});

test("[LV55] of two lanes that are added at once with one folder, the second is refused", async () => {
  const at = new LanesBench({ "a.md": "one\n" });
  const folder = at.at("both");
  const both = await Promise.all([
    at.lanes.add({ name: "a", folder }),
    at.lanes.add({ name: "b", folder: `${folder}/../both` }),
  ]);
  expect(both).toMatchObject([{ record: { name: "a" } }, { code: "ALREADY_EXISTS" }]);
  expect(await at.problems()).toEqual({ a: undefined });
});

test("[LV69] a removal leaves what the agent writes during it, and says so", async () => {
  const at = new LanesBench({ "a.md": "one\n", "sub/b.md": "two\n", "sub/c.md": "three\n" });
  const folder = await at.add("ann");
  const { removeWorktree } = at.ports.disk;
  at.ports.disk = {
    ...at.ports.disk,
    removeWorktree: (root, lane) => {
      writeFileSync(join(lane, "sub/b.md"), "mine\n"); // the lane is closed by now
      writeFileSync(join(lane, "sub/new.md"), "new\n");
      writeFileSync(join(lane, "4913"), "");
      removeWorktree(root, lane);
    },
  };
  const { problem } = accepted(await at.lanes.remove("ann", false));
  expect(problem).toContain("sub/b.md, sub/new.md");
  expect(readdirSync(folder, { recursive: true })).toEqual(["sub", "sub/b.md", "sub/new.md"]);
  expect(await at.problems()).toEqual({});
  expect(await at.bench.text("sub/b.md")).toBe("two\n");
});

test.runIf(process.platform === "linux")(
  "[LV69, DC45] a removal leaves a file that a program has open for writing, and says so",
  async () => {
    const at = new LanesBench({ "a.md": "one\n", "b.md": "two\n" });
    const folder = await at.add("ann");
    const open = openSync(join(folder, "a.md"), "a");
    const { problem } = accepted(await at.lanes.remove("ann", false));
    writeSync(open, "mine\n");
    closeSync(open);
    expect(problem).toContain("a.md");
    expect(readdirSync(folder)).toEqual(["a.md"]);
    expect(readFileSync(join(folder, "a.md"), "utf8")).toBe("one\nmine\n");
  },
);

test.for([false, true])("[LV69] so does the end of one that failed: forced %s", async (isForced) => {
  const at = new LanesBench({ "a.md": "one\n", "b.md": "two\n" });
  const folder = await at.add("ann");
  const { disk } = at.ports;
  at.ports.disk = {
    ...disk,
    removeFolder: () => {
      throw new Error("EMFILE");
    },
  };
  await expect(at.lanes.remove("ann", isForced)).rejects.toThrow("EMFILE");
  await at.restart(() => {
    at.ports.disk = disk;
    writeFileSync(join(folder, "b.md"), "mine\n");
  });
  expect(await at.problems()).toEqual({});
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual(isForced ? [] : ["b.md"]);
});

test("[LV69] so does the removal of a lane that the daemon cannot open", async () => {
  const at = new LanesBench({ "a.md": "one\n", "b.md": "two\n" });
  const folder = await at.add("ann");
  await at.restart(() => {
    at.ports.openFiles = () => {
      throw new Error("EMFILE");
    };
    writeFileSync(join(folder, "b.md"), "mine\n");
  });
  expect(accepted(await at.lanes.remove("ann", false)).problem).toContain("b.md");
  expect(readdirSync(folder)).toEqual(["b.md"]);
});
