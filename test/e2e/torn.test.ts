import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { crowd } from "./crowd.ts";
import type { ServedFolder } from "./daemon.ts";
import { whileStopped } from "./editor.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { listen } from "./heard.ts";
import { NOTHING_AMISS } from "./ledger.ts";
import { seeded } from "./seed.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

/** The milliseconds after which the test stops waiting for the text. */
const GIVEN_UP_MS = 5_000;
/** The daemon waits a little longer than this for a file that lost its end while no process has it open; milliseconds. */
const STOPPED_MS = 150;
/** The most times that a test writes anew because the machine stopped it. */
const TRIES = 5;

let folder: Folder;
let daemon: ServedFolder;
let client: Client;

beginShared(async () => {
  folder = makeFolder();
  daemon = await serveFolder(folder.root);
  client = await daemon.connect();
});

const textOf = async (path: string) => (await client.request("doc.read", { path })).text;

describe("a file that is written slowly", () => {
  const linesOf = (bytes: number) =>
    Array.from({ length: Math.ceil(bytes / 32) }, (_, i) => `line ${i}:`.padEnd(31, ".").concat("\n")).join(
      "",
    );
  interface Writer {
    readonly bytes: number;
    readonly pieces: number;
    readonly pauseMs: number;
    /** The line that it changes. */
    readonly line: number;
    /** True when it closes the file after each piece and opens it again for the next. */
    readonly reopens?: boolean;
  }

  /** Empties a file and writes it again in pieces, with one line changed; returns its final text and its longest pause. */
  async function writes(path: string, { bytes, pieces, pauseMs, line, reopens = false }: Writer) {
    const next = linesOf(bytes).replace(`line ${line}:`, `LINE ${line}:`);
    const step = Math.ceil(next.length / pieces);
    let longest = 0;
    let fd = openSync(folder.at(path), "w");
    for (let at = 0; at < next.length; at += step) {
      const since = performance.now();
      writeSync(fd, next.slice(at, at + step));
      if (reopens) closeSync(fd);
      await pause(pauseMs);
      if (reopens) fd = openSync(folder.at(path), "a");
      longest = Math.max(longest, performance.now() - since);
    }
    closeSync(fd);
    return { next, longest };
  }

  const oneChange = (name: string, writer: Writer) => async () => {
    let [path, heard, written] = await begun(name, writer);
    // After a long stop of the writer on a busy machine, half of the file looks like all of it.
    for (let n = 0; writer.reopens && written.longest > STOPPED_MS && n < TRIES; n++)
      [path, heard, written] = await begun(`${n}-${name}`, writer);
    const { next } = written;
    await until(
      "it is taken in",
      () => textOf(path),
      (seen) => seen === next,
    );
    expect(await heard.count(1)).toMatchObject([{ author: "disk", splices: [{ insert: "LINE" }] }]);
  };

  async function begun(path: string, writer: Writer) {
    folder.write(path, linesOf(writer.bytes));
    const heard = await listen(client, path);
    return [path, heard, await writes(path, writer)] as const;
  }

  test(
    "[I5] 4 KB, emptied, then in pieces 50 ms apart: one change, of what was changed",
    oneChange("small.md", { bytes: 4 << 10, pieces: 8, pauseMs: 50, line: 7 }),
  );
  test(
    "[I5] 64 KB, emptied, then opened for each piece: one change, of what was changed",
    oneChange("opened.md", { bytes: 64 << 10, pieces: 16, pauseMs: 10, line: 2000, reopens: true }),
  );
  test(
    "[I5] 2 MB, emptied, then in large pieces: one change, of what was changed",
    oneChange("large.md", { bytes: 2 << 20, pieces: 32, pauseMs: 5, line: 100 }),
  );
  test(
    "[I5] 64 KB, emptied, then opened for each piece, the first one changed: one change, of what was changed",
    oneChange("opened-early.md", { bytes: 64 << 10, pieces: 16, pauseMs: 20, line: 7, reopens: true }),
  );
  test(
    "[I5] 4 KB, emptied, then in pieces 300 ms apart, open for writing all the time: one change, of what was changed",
    oneChange("stalls.md", { bytes: 4 << 10, pieces: 5, pauseMs: 300, line: 7 }),
  );

  further("[I5] agents edit on meanwhile: the file is never taken for what it is half-way", async () => {
    const text = linesOf(64 << 10);
    folder.write("torn.md", text);
    const heard = await listen(client, "torn.md");
    const agents = await crowd(daemon, "torn.md", ["line 1:", "line 1000:", "line 2000:"], seeded(3));
    const file = folder.at("torn.md");
    for (let turn = 0; turn < 3; turn++) {
      await agents.more(4);
      const marker = agents.ledger.marker("person");
      const { fd, next } = await whileStopped(daemon.pid, () => {
        const next = readFileSync(file, "utf8").replace("line 500:", `line 500: ${marker}`);
        return { next, fd: openSync(file, "w") };
      });
      for (let at = 0; at < next.length; at += 5000) {
        writeSync(fd, next.slice(at, at + 5000));
        await pause(5);
      }
      closeSync(fd);
      agents.ledger.note(marker);
    }
    await agents.stop();
    expect(agents.ledger.audit(await textOf("torn.md"))).toEqual(NOTHING_AMISS);
    const bySaves = heard.changes.filter(({ author }) => author === "disk");
    expect(bySaves.flatMap(({ splices }) => splices.filter(({ from, to }) => to > from))).toEqual([]);
  });
});

describe("an editor that keeps the file open", () => {
  further("[I3] appends through the old descriptor after an agent's edit: both are there", async () => {
    folder.write("kept.md", "one\ntwo\n");
    const fd = openSync(folder.at("kept.md"), "a");
    await client.request("edit.replace", { path: "kept.md", old: "one", new: "1" });
    writeSync(fd, "written on\n");
    closeSync(fd);
    await until(
      "both are in the file",
      () => folder.read("kept.md"),
      (seen) => seen === "1\ntwo\nwritten on\n",
      GIVEN_UP_MS,
    );
    expect(await textOf("kept.md")).toBe("1\ntwo\nwritten on\n");
  });

  further(
    "[I3] saves its buffer through the old descriptor after an agent's edit: both are there",
    async () => {
      folder.write("buffer.md", "one\ntwo\n");
      const fd = openSync(folder.at("buffer.md"), "r+");
      await client.request("edit.replace", { path: "buffer.md", old: "one", new: "1" });
      ftruncateSync(fd, writeSync(fd, "one\ntwo\ntyped\n", 0));
      closeSync(fd);
      await until(
        "both are in the file",
        () => folder.read("buffer.md"),
        (seen) => seen === "1\ntwo\ntyped\n",
        GIVEN_UP_MS,
      );
      expect(await textOf("buffer.md")).toBe("1\ntwo\ntyped\n");
    },
  );

  further("[I3] writes line after line for as long as agents edit: all lines are there", async () => {
    folder.write("program.log", "start 0\n");
    const fd = openSync(folder.at("program.log"), "a");
    for (let i = 0; i < 10; i++) {
      writeSync(fd, `program ${i}\n`);
      await client.request("edit.replace", { path: "program.log", old: `start ${i}`, new: `start ${i + 1}` });
    }
    closeSync(fd);
    const all = `start 10\n${Array.from({ length: 10 }, (_, i) => `program ${i}\n`).join("")}`;
    await until(
      "all is in the file",
      () => folder.read("program.log"),
      (seen) => seen === all,
      GIVEN_UP_MS,
    );
  });
});
