import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import type { Text } from "../../src/text/text.ts";
import type { Document } from "../../src/workspace/document/document.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import type { EditResult } from "../../src/workspace/edits/request.ts";
import type { Workspace } from "../../src/workspace/folder/workspace.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { FakeDisk, type Inode } from "../helpers/fake-disk.ts";
import type { FakeFiles } from "../helpers/fake-files.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { ALICE, accepted } from "./harness.ts";

const PATH = "a.md";

/** A machine whose power can be cut: its store has the flushed records, and the test decides about its disk. */
class Machine {
  readonly disk = new FakeDisk(systemClock);
  #store = new MemoryStore();
  #files!: FakeFiles;
  #workspace!: Workspace;

  constructor(text: string) {
    this.disk.save(PATH, text);
    this.#start();
    onTestFinished(() => this.#workspace.close());
  }

  get inode(): Inode {
    return this.disk.inode(PATH)!;
  }

  async append(text: string): Promise<EditResult> {
    const editor = new Editor(this.#workspace);
    const request = { kind: "append", path: PATH, plan: planAppend(text), opId: text } as const;
    return accepted(await editor.edit(ALICE, request));
  }

  /** Puts texts in place of the whole text, all at once. Returns those that the journal joined with later ones. */
  async put(...texts: readonly string[]): Promise<string[]> {
    const editor = new Editor(this.#workspace);
    const put = (insert: string) => ({
      kind: "splice" as const,
      path: PATH,
      plan: ({ text: { chars } }: { text: Text }) => ({ splices: [{ from: 0, to: chars, insert }] }),
    });
    for (const made of await Promise.all(texts.map((text) => editor.edit(ALICE, put(text))))) accepted(made);
    const { id, versions } = await this.document();
    const joined = this.#store.journal(id).filter(({ updates }) => updates.joined);
    return joined.map(({ change }) => `${versions.textAt(change.seq)}`);
  }

  /** Cuts the power; `lose` removes unsynced data from the disk. */
  async cut(lose: () => void): Promise<void> {
    this.#files.crash();
    this.#store = this.#store.crash();
    await this.#workspace.close();
    lose();
    this.#start();
  }

  async document(): Promise<Document> {
    return accepted(await this.#workspace.open(PATH));
  }

  async text(): Promise<string> {
    return (await this.document()).text.toString();
  }

  #start(): void {
    const { files, workspace } = onFakes(this.disk, this.#store);
    this.#files = files;
    this.#workspace = workspace;
  }
}

async function edited(): Promise<Machine> {
  const machine = new Machine("one\n");
  await machine.append("two\n");
  await machine.append("three\n");
  return machine;
}

const WHOLE = "one\ntwo\nthree\n";

describe("after a power cut", () => {
  for (const [what, left] of [
    ["is empty", ""],
    ["has lost its end", "one\ntw"],
    ["is zeros", "\0".repeat(WHOLE.length)],
    ["has a hole of zeros", "one\n\0\0\0\0three\n"],
  ] as const)
    test(`[FA6] a file that ${what} is written anew`, async () => {
      const machine = await edited();
      await machine.cut(() => {
        machine.inode.bytes = Buffer.from(left);
      });
      expect(await machine.text()).toBe(WHOLE);
      await expect.poll(() => machine.disk.text(PATH)).toBe(WHOLE);
    });

  test("[FA10] a repeated request is not told that its edit is in a file that holds zeros still", async () => {
    const machine = await edited();
    expect(await machine.append("two\n")).toMatchObject({ mirrored: true });
    await machine.cut(() => {
      machine.inode.bytes = new Uint8Array(WHOLE.length);
      machine.disk.full = true; // the daemon cannot write the file yet
    });
    expect(await machine.append("two\n")).toMatchObject({ mirrored: false });
    machine.disk.full = false;
    await expect.poll(() => machine.disk.text(PATH)).toBe(WHOLE);
    expect(await machine.append("two\n")).toMatchObject({ mirrored: true });
  });

  test("[FA11] edits that a damaged file never got stay, though somebody saves it before the daemon writes it", async () => {
    const machine = await edited();
    await machine.cut(() => {
      machine.inode.bytes = Buffer.alloc(0);
      machine.disk.full = true; // the daemon cannot write the file yet
    });
    for (const text of ["four\n", "five\n"]) await machine.append(text);
    await machine.cut(() => {});
    await machine.document();
    machine.disk.write(PATH, "by hand\n");
    expect(await machine.text()).toBe("by hand\nfour\nfive\n");
  });

  test("[DC74] a damaged file that is read again, and that nobody has written since, is no edit", async () => {
    const machine = await edited();
    await machine.cut(() => {
      machine.inode.bytes = Buffer.from("one\ntw");
      machine.disk.full = true; // the daemon cannot write the file yet
    });
    const { mirror } = await machine.document();
    await mirror.reread();
    expect(await machine.text()).toBe(WHOLE);
    machine.disk.full = false;
    await expect.poll(() => machine.disk.text(PATH)).toBe(WHOLE);
  });

  test("[FA6] a file that was only read and is empty is written anew", async () => {
    const machine = new Machine("one\n");
    await machine.text();
    await machine.cut(() => {
      machine.inode.bytes = Buffer.alloc(0);
    });
    expect(await machine.text()).toBe("one\n");
    await expect.poll(() => machine.disk.text(PATH)).toBe("one\n");
  });

  test("[FA6] a file that is an earlier version again is brought up to the newest", async () => {
    const machine = new Machine("one\n");
    await machine.append("two\n");
    const early = { ...machine.inode };
    await machine.append("three\n");
    await machine.append("four\n");
    await machine.cut(() => {
      machine.disk.name(PATH, Object.assign(machine.disk.make(early.bytes), { ino: early.ino }));
      Object.assign(machine.inode, early);
    });
    expect(await machine.text()).toBe(`${WHOLE}four\n`);
    await expect.poll(() => machine.disk.text(PATH)).toBe(`${WHOLE}four\n`);
  });

  test("[ED17, FA6] a file that is an earlier version again is not taken for joined edits with the same text", async () => {
    const machine = new Machine("one\n");
    await machine.put("early\n");
    const early = { ...machine.inode };
    await machine.put("later\n");
    expect(await machine.put("a\n", "b\n", "early\n", "newest\n")).toContain("early\n");
    await machine.cut(() => {
      machine.disk.name(PATH, Object.assign(machine.disk.make(early.bytes), { ino: early.ino }));
      Object.assign(machine.inode, early);
      machine.disk.full = true; // the daemon cannot write the file yet
    });
    const document = await machine.document();
    expect([machine.disk.text(PATH), `${document.known().text}`]).toEqual(["early\n", "early\n"]);
    machine.disk.full = false;
    expect(await machine.text()).toBe("newest\n");
    await expect.poll(() => machine.disk.text(PATH)).toBe("newest\n");
  });

  test("[DC71] a file that grew within the tick of the clock of its last known write was saved then", async () => {
    const machine = await edited();
    const { mtimeNs, ctimeNs } = machine.inode;
    await machine.cut(() => {
      machine.disk.append(PATH, "by hand\n");
      Object.assign(machine.inode, { mtimeNs, ctimeNs });
    });
    expect(await machine.text()).toBe(`${WHOLE}by hand\n`);
    expect(machine.disk.text(PATH)).toBe(`${WHOLE}by hand\n`);
  });

  test("[FA9] what somebody saved before the daemon was back stands, also an empty file", async () => {
    for (const saved of ["", "one\n", "one\ntwo by hand\nthree\n"]) {
      const machine = await edited();
      await machine.cut(() => machine.disk.write(PATH, saved));
      expect(await machine.text()).toBe(saved);
      expect(machine.disk.text(PATH)).toBe(saved);
    }
  });
});
