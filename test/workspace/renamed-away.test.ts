import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import type { DocumentRecord } from "../../src/store/store.ts";
import type { Document } from "../../src/workspace/document/document.ts";
import { RestingFiles } from "../../src/workspace/folder/resting-files.ts";
import { FakeDisk, imageOfInode } from "../helpers/fake-disk.ts";
import { accepted } from "./harness.ts";
import { Machine } from "./machine.ts";

const [A, B] = ["a.md", "b.md"] as DocPath[] as [DocPath, DocPath];

describe("[DC35] a client that opens a file which was renamed while no daemon ran", () => {
  test("gets its document", async () => {
    const machine = new Machine("one\n");
    const { id } = await machine.appended("two\n");
    await machine.flushed(machine.workspace.loadedAt(A)!.saveRecord());
    await machine.killed();
    machine.disk.move(A, B);
    const opened = await machine.document(B);
    expect([opened.id, opened.text.toString()]).toEqual([id, "one\ntwo\n"]);
  });

  test("gets its document also if the store knows the file only as staged", async () => {
    const machine = new Machine("one\n");
    const { id } = await machine.appended("two\n");
    await machine.killed();
    machine.disk.move(A, B);
    const opened = await machine.document(B);
    expect([opened.id, opened.text.toString()]).toEqual([id, "one\ntwo\n"]);
  });

  test("gets edits that the file did not hold, and so does the file", async () => {
    const machine = new Machine("one\n");
    await machine.document();
    await machine.flush();
    machine.disk.full = true;
    await machine.flushed(machine.append("two\n"));
    await machine.killed();
    machine.disk.full = false;
    machine.disk.move(A, B);
    const opened = await machine.document(B);
    await machine.flushed(opened.mirror.reached(opened.head.seq));
    expect(machine.disk.text(B)).toBe("one\ntwo\n");
  });

  test("gets a new document for another file with the inode", async () => {
    const machine = new Machine("one\n");
    const { id, mirror } = await machine.appended("two\n");
    await machine.killed();
    machine.disk.remove(A);
    machine.disk.save(B, "other\n");
    expect(machine.disk.inode(B)?.ino).toBe(mirror.image?.ino);
    expect((await machine.document(B)).id).not.toBe(id);
  });
});

describe("[DC34] a file that a program wrote just before it was renamed", () => {
  /** Returns the document that a client opens at the new path, after the time that the save takes to settle. */
  async function opened(machine: Machine): Promise<Document> {
    machine.disk.write(A, "one\ntwo\nsaved\n");
    machine.disk.move(A, B);
    const opening = machine.workspace.open(B);
    for (let i = 0; i < 10; i++) {
      await machine.flush();
      await machine.clock.advance(100);
    }
    return accepted(await machine.flushed(opening));
  }

  test("is the same document, which takes the save in", async () => {
    const machine = new Machine("one\n");
    const document = await machine.appended("two\n");
    expect(await opened(machine)).toBe(document);
    expect(document.text.toString()).toBe("one\ntwo\nsaved\n");
  });

  test("is so also without a daemon", async () => {
    const machine = new Machine("one\n");
    const { id } = await machine.appended("two\n");
    await machine.killed();
    const found = await opened(machine);
    expect([found.id, found.text.toString()]).toEqual([id, "one\ntwo\nsaved\n"]);
  });

  test("is so also if the daemon misses it before anybody opens it", async () => {
    const machine = new Machine("one\n");
    const document = await machine.appended("two\n");
    machine.disk.write(A, "one\ntwo\nsaved\n");
    machine.disk.move(A, B);
    const missed = document.mirror.fresh();
    for (let i = 0; i < 50; i++) {
      await machine.flush();
      await machine.clock.advance(100);
    }
    await missed;
    expect([document.path, document.text.toString()]).toEqual([B, "one\ntwo\nsaved\n"]);
  });
});

describe("[DC40] a file that the daemon found in its document's place, and that is renamed before the daemon has read it", () => {
  /** Lets the time pass in which the daemon misses a file and looks for it elsewhere. */
  async function missed(machine: Machine): Promise<void> {
    for (let i = 0; i < 50; i++) {
      await machine.flush();
      await machine.clock.advance(100);
    }
  }

  /** Saves the document's file anew, and renames it while the daemon waits for a program that still writes to it. */
  async function movedAsFound(machine: Machine, document: Document): Promise<void> {
    machine.disk.save(A, "saved\n");
    machine.disk.inode(A)!.writers++;
    void document.mirror.fresh();
    await machine.settled();
    machine.disk.move(A, B);
    machine.disk.inode(B)!.writers--;
  }

  test("is the same document, which takes the save in", async () => {
    const machine = new Machine("one\n");
    const document = await machine.appended("two\n");
    await movedAsFound(machine, document);
    await missed(machine);
    expect([document.path, document.text.toString()]).toEqual([B, "saved\n"]);
  });

  test("is so for a client that opens it there before the daemon misses it", async () => {
    const machine = new Machine("one\n");
    const document = await machine.appended("two\n");
    await movedAsFound(machine, document);
    const opening = machine.workspace.open(B);
    await missed(machine);
    expect(accepted(await machine.flushed(opening))).toBe(document);
    expect(document.text.toString()).toBe("saved\n");
  });

  test("is so also as the document comes into memory, and gets edits that it did not hold", async () => {
    const machine = new Machine("one\n");
    const { id } = await machine.appended("two\n");
    machine.disk.full = true;
    await machine.flushed(machine.append("three\n"));
    await machine.killed();
    machine.disk.full = false;
    const { files } = machine.workspace.ports;
    const read = files.read.bind(files);
    files.read = (...file) => {
      if (machine.disk.exists(A)) machine.disk.move(A, B);
      return read(...file);
    };
    const deleted: string[] = [];
    machine.workspace.listen(({ type, path }) => type === "deleted" && deleted.push(path));
    void machine.workspace.open(A);
    await missed(machine);
    expect([machine.workspace.loadedAt(B)?.id, machine.disk.text(B)]).toEqual([id, "one\ntwo\nthree\n"]);
    expect(deleted).toEqual([]);
  });
});

test("[DC35] a recorded file is found by its inode although its device has another number now", () => {
  const disk = new FakeDisk(systemClock);
  disk.save(A, "one\n");
  const image = imageOfInode(disk.inode(A)!);
  const record: DocumentRecord = { id: "doc", path: A, bom: false, landed: 0, image };
  const resting = new RestingFiles([record]);
  expect(resting.withInode({ ...image, dev: 2n })).toEqual([{ path: A, image: { ...image, dev: 2n } }]);
  expect(new RestingFiles([{ ...record, deletedAt: 1 }]).withInode(image)).toEqual([]);
});
