import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, Bench, DiskBench, refused } from "../workspace/harness.ts";

const LONG = "a line of the document\n".repeat(2000);

/** Truncates a file and writes it anew in parts, with pauses between, as a slow editor does. */
async function writeSlowly(path: string, parts: readonly string[], pauseMs: number): Promise<void> {
  const fd = openSync(path, "r+");
  ftruncateSync(fd);
  for (const part of parts) {
    await pause(pauseMs);
    writeSync(fd, part);
  }
  closeSync(fd);
}

describe("the mirror", () => {
  test("[I5] takes in a file that is truncated and written in parts as one save", async () => {
    const bench = new DiskBench({ "a.md": LONG });
    await bench.document("a.md");
    const saved = `${LONG}and one more\n`;
    const writing = writeSlowly(
      bench.path("a.md"),
      [saved.slice(0, 9000), saved.slice(9000, 30_000), saved.slice(30_000)],
      30,
    );
    await pause(10);
    expect(await bench.text("a.md")).toBe(saved);
    await writing;
    expect((await bench.document("a.md")).head.seq).toBe(1);
  });

  test.skipIf(process.platform !== "linux")(
    "[I5] waits for a process that has the file open, even when the file looks whole",
    async () => {
      const bench = new DiskBench({ "a.md": LONG });
      await bench.document("a.md");
      const saved = "another line altogether\n".repeat(3000);
      const writing = writeSlowly(bench.path("a.md"), [saved.slice(0, 20_000), saved.slice(20_000)], 60);
      await pause(80);
      expect(await bench.text("a.md")).toBe(saved);
      await writing;
      expect((await bench.document("a.md")).head.seq).toBe(1);
    },
  );

  test.skipIf(process.platform !== "linux")(
    "[I3] waits a moment before it replaces a file that a process writes to",
    async () => {
      const bench = new DiskBench({ "a.md": "one\n" });
      const fd = openSync(bench.path("a.md"), "a");
      writeSync(fd, "half\n");
      expect(await bench.text("a.md")).toBe("one\nhalf\n");
      const editing = bench.edit(ALICE, { path: "a.md", plan: planAppend("an agent's\n") });
      await pause(15);
      writeSync(fd, "and the rest\n");
      closeSync(fd);
      accepted(await editing);
      for (const line of ["half", "an agent's", "and the rest"])
        expect(bench.read("a.md").split("\n")).toContain(line);
      const open = openSync(bench.path("a.md"), "a");
      accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("another\n") }));
      closeSync(open);
    },
  );

  test("[I5] does not take in a write that began after the looks before it is whole", async () => {
    const bench = new DiskBench({ "a.md": "one\n" });
    await bench.document("a.md");
    writeFileSync(bench.path("a.md"), "another one\n");
    const { files } = bench.workspace.ports;
    const { read } = files;
    files.read = (...args) => {
      files.read = read;
      writeFileSync(bench.path("a.md"), "ano");
      setTimeout(() => writeFileSync(bench.path("a.md"), "another one\nand two\n"), 5);
      return read.apply(files, args);
    };
    const document = await bench.document("a.md");
    expect([document.text.toString(), document.head.seq]).toEqual(["another one\nand two\n", 1]);
  });

  test("[I5] takes in an empty file only when it stays empty", async () => {
    const bench = new DiskBench({ "a.md": "text\n" });
    await bench.document("a.md");
    writeFileSync(bench.path("a.md"), "");
    expect(await bench.text("a.md")).toBe("");
  });

  test("[I3] never writes over a save that came while it staged its own", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    await bench.document("a.md");
    const { files } = bench.workspace.ports;
    const { stage } = files;
    let saves = 0;
    files.stage = async (...args) => {
      const staged = await stage.apply(files, args);
      if (saves++ === 0) bench.save("a.md", "one\nsaved\n");
      return staged;
    };
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("edited\n") }));
    expect(bench.read("a.md").split("\n").sort()).toEqual(["", "edited", "one", "saved"]);
  });

  test("[I2] keeps a version that was not swapped in, as evidence, until a later one is noted", async () => {
    const bench = new DiskBench({ "a.md": "one\n" });
    const { id } = await bench.document("a.md");
    const { files, store } = bench.workspace.ports;
    const { stage, overwrite } = files;
    files.stage = async (...args) => {
      const staged = await stage.apply(files, args);
      bench.save("a.md", "one\nsaved\n");
      linkSync(bench.path("a.md"), bench.path("twin.md"));
      return staged;
    };
    let stillStaged: boolean | undefined;
    files.overwrite = (...args) => {
      stillStaged = files.isStaged(store.document(id)!.staged!.id);
      return overwrite.apply(files, args);
    };
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("edited\n") }));
    expect(stillStaged).toBe(true);
  });

  test("[I12] refuses a document while its folder is a link, and no longer", async () => {
    const bench = new DiskBench({ "notes/a.md": "one\n" });
    await bench.document("notes/a.md");
    renameSync(bench.path("notes"), bench.path("away"));
    symlinkSync(tmpdir(), bench.path("notes"));
    expect(refused(await bench.workspace.open("notes/a.md"))).toMatchObject({ code: "PATH_ESCAPE" });
    unlinkSync(bench.path("notes"));
    renameSync(bench.path("away"), bench.path("notes"));
    expect(await bench.text("notes/a.md")).toBe("one\n");
  });

  test("[I9] finds a write of the same size whose time was set back", async () => {
    const bench = new DiskBench({ "a.md": "one\n" });
    const document = await bench.document("a.md");
    const when = new Date(Number(document.mirror.image!.mtimeNs / 1_000_000n));
    writeFileSync(bench.path("a.md"), "two\n");
    utimesSync(bench.path("a.md"), when, when);
    expect(await bench.text("a.md")).toBe("two\n");
  });

  test("[I10] takes in a save by way of a backup name as a save", async () => {
    const bench = new DiskBench({ "a.md": "one\n" });
    const { id } = await bench.document("a.md");
    renameSync(bench.path("a.md"), bench.path("a.md~"));
    const opening = bench.document("a.md");
    writeFileSync(bench.path("a.md"), "two\n");
    rmSync(bench.path("a.md~"));
    const document = await opening;
    expect([document.id, document.text.toString(), document.deleted]).toEqual([id, "two\n", false]);
  });

  test("[I10] takes in a file that is back within the grace time as a save", async () => {
    const bench = new DiskBench({ "a.md": "one\n" }, { deleteGraceMs: 1000 });
    await bench.document("a.md");
    rmSync(bench.path("a.md"));
    const opening = bench.workspace.open("a.md");
    await pause(200);
    writeFileSync(bench.path("a.md"), "two\n");
    expect(await opening).toMatchObject({ deleted: false, head: { seq: 1 } });
    expect(await bench.text("a.md")).toBe("two\n");
  });

  test("[I11] keeps mode and hard links", async () => {
    const { chmodSync, statSync, readFileSync } = await import("node:fs");
    const bench = new DiskBench({ "a.md": "one\n", "b.md": "two\n" });
    chmodSync(bench.path("a.md"), 0o640);
    linkSync(bench.path("b.md"), bench.path("twin.md"));
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("x\n") }));
    accepted(await bench.edit(ALICE, { path: "b.md", plan: planAppend("x\n") }));
    expect(statSync(bench.path("a.md")).mode & 0o777).toBe(0o640);
    expect(readFileSync(bench.path("twin.md"), "utf8")).toBe("two\nx\n");
  });

  test("[I14] a file that changes all the time delays neither its edits nor others", async () => {
    const bench = new DiskBench({ "log.md": "", "b.md": "" });
    await bench.document("log.md");
    let running = true;
    const writer = (async () => {
      while (running) {
        appendFileSync(bench.path("log.md"), "another line\n");
        await pause(3);
      }
    })();
    accepted(await bench.edit(ALICE, { path: "b.md", plan: planAppend("x") }));
    const result = accepted(
      await bench.edit(ALICE, { path: "log.md", plan: planAppend("agent\n"), ack: "durable" }),
    );
    expect(result.durable).toBe(true);
    running = false;
    await writer;
    await expect.poll(() => bench.read("log.md"), { timeout: 10_000 }).toContain("agent\n");
    expect(bench.read("log.md")).toMatch(/^(another line\n|agent\n)+$/);
  });
});
