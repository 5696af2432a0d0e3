import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openSandbox } from "../../src/mirror/disk/sandbox.ts";
import { isFileProblem, sameImage } from "../../src/mirror/files.ts";
import type { Reached } from "../../src/mirror/step.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { Seeded } from "../helpers/seeded.ts";
import { at, bytes, filesContract, kindOf, type Outside, ok } from "./files.ts";

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), "spliced-files-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

function sandbox(root = folder(), reached: Reached = () => {}) {
  const files = openSandbox(root, reached);
  onTestFinished(() => files.close());
  return { files, root, outside: new RealOutside(root), writersTold: process.platform === "linux" };
}

/** Makes a folder immutable, also for the superuser; returns false where the file system cannot. */
function immutable(folder: string): boolean {
  return spawnSync("chattr", ["+i", folder]).status === 0;
}

class RealOutside implements Outside {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.#at(path)), { recursive: true });
    writeFileSync(this.#at(path), text);
  }

  save(path: string, text: string): void {
    writeFileSync(this.#at(".spliced/aside"), text);
    renameSync(this.#at(".spliced/aside"), this.#at(path));
  }

  text(path: string): string | undefined {
    return existsSync(this.#at(path)) ? readFileSync(this.#at(path), "utf8") : undefined;
  }

  read(path: string): string | undefined {
    return this.text(path);
  }

  remove(path: string): void {
    rmSync(this.#at(path));
  }

  makeFolder(path: string): void {
    mkdirSync(this.#at(path), { recursive: true });
  }

  chmod(path: string, mode: number): void {
    chmodSync(this.#at(path), mode);
  }

  hardLink(path: string, to: string): void {
    linkSync(this.#at(path), this.#at(to));
  }

  openForWriting(path: string): () => void {
    const fd = openSync(this.#at(path), "a");
    return () => closeSync(fd);
  }

  #at(path: string): string {
    return join(this.#root, path);
  }
}

filesContract("the sandbox", () => sandbox());

filesContract("the disk in memory", () => {
  const disk = new FakeDisk(new FakeClock(), { tellsReads: true });
  return { files: new FakeFiles(disk), outside: disk };
});

describe("the sandbox", () => {
  test.each<[what: string, meddle: (file: string) => void, left: string | undefined]>([
    ["removed", (file) => rmSync(file), undefined],
    ["saved in place", (file) => writeFileSync(file, "a later save"), "a later save"],
    ["replaced by a folder", (file) => execFileSync("sh", ["-c", `rm ${file}; mkdir ${file}`]), undefined],
  ])("[FS28] a version is known to have been in place though it is %s at once", async (_, meddle, left) => {
    const root = folder();
    const { files, outside } = sandbox(root, (step) => step === "swapped" && meddle(join(root, "a.md")));
    outside.write("a.md", "one");
    const known = ok(files.look(at("a.md")));
    const staged = ok(await files.stage([bytes("two")], known));
    const swapped = staged.swap(at("a.md"), known);
    expect(kindOf(swapped)).toBeUndefined();
    const { image, displaced } = ok(swapped);
    expect(sameImage(image, staged.image)).toBe(true);
    expect(new TextDecoder().decode(ok(await displaced!.read(100)).bytes)).toBe("one");
    expect(files.isStaged(staged.id)).toBe(false);
    if (left !== undefined) expect(outside.text("a.md")).toBe(left);
  });

  test("[FS16] a link out of the root is not followed, in reading or in writing", async () => {
    const { files, root } = sandbox();
    const secret = join(folder(), "secret");
    writeFileSync(secret, "secret");
    symlinkSync(secret, join(root, "a.md"));
    const reading = await files.read(at("a.md"), 100);
    expect([kindOf(files.look(at("a.md"))), kindOf(reading)]).toEqual(["escape", "escape"]);
    expect(kindOf(files.resolve(at("a.md")) as object)).toBe("escape");
    writeFileSync(join(root, "b.md"), "b");
    const known = ok(files.look(at("b.md")));
    const staged = ok(await files.stage([bytes("ours")], known));
    expect(kindOf(staged.swap(at("a.md"), known))).toBe("escape");
    expect(kindOf(files.overwrite(at("a.md"), [bytes("ours")], known))).toBe("escape");
    expect(kindOf(files.remove(at("a.md"), known))).toBe("escape");
    expect(readFileSync(secret, "utf8")).toBe("secret");
  });

  test.skipIf(process.getuid?.() !== 0 || process.platform !== "linux")(
    "[FS13] a file that is a mount, or in one, is written in place, and new ones are made there (needs root)",
    async () => {
      const { files, root, outside } = sandbox();
      const elsewhere = folder();
      for (const name of ["a.md", "c.md"]) writeFileSync(join(elsewhere, name), "one");
      outside.makeFolder("sub");
      outside.write("c.md", "");
      const mounts = [join(root, "sub"), join(root, "c.md")] as const;
      execFileSync("mount", ["--bind", elsewhere, mounts[0]]);
      execFileSync("mount", ["--bind", join(elsewhere, "c.md"), mounts[1]]);
      onTestFinished(() => void execFileSync("umount", mounts));
      for (const path of ["sub/a.md", "c.md"]) {
        const known = ok(files.look(at(path)));
        expect(files.replaceable(known)).toBe(true);
        const staged = ok(await files.stage([bytes("two")], known));
        expect(kindOf(staged.swap(at(path), known))).toBe("changed");
        expect(files.replaceable(known)).toBe(false);
        ok(files.overwrite(at(path), [bytes("two")], known));
        expect(outside.text(path)).toBe("two");
      }
      const made = ok(ok(await files.stage([bytes("new")], undefined)).link(at("sub/new.md")));
      expect(sameImage(made, ok(files.look(at("sub/new.md"))))).toBe(true);
      expect(kindOf(ok(await files.stage([bytes("again")], undefined)).link(at("sub/new.md")))).toBe(
        "exists",
      );
      expect(files.rename(at("sub/new.md"), at("new.md"))).toMatchObject({
        kind: "denied",
        message: "sub/new.md to new.md: the system does not allow it (EXDEV)",
      });
    },
  );

  test("[FS49] a refused rename names the side that the system refuses", ({ skip }) => {
    const { files, root, outside } = sandbox();
    outside.write("shut/a.md", "a");
    outside.write("b.md", "b");
    const shut = join(root, "shut");
    const isRoot = process.getuid?.() === 0;
    if (isRoot && !immutable(shut))
      skip("the superuser may write, and the file system has no immutable folders");
    if (!isRoot) chmodSync(shut, 0o555);
    onTestFinished(() => {
      if (isRoot) execFileSync("chattr", ["-i", shut]);
      else chmodSync(shut, 0o755);
    });
    expect(files.rename(at("shut/a.md"), at("c.md"))).toMatchObject({
      kind: "denied",
      message: expect.stringMatching(/^shut\/a\.md: the system does not allow it/),
    });
    expect(files.rename(at("b.md"), at("shut/b.md"))).toMatchObject({
      kind: "denied",
      message: expect.stringMatching(/^shut\/b\.md: /),
    });
  });

  test("[FS16] a folder that was replaced by a link out of the root is not entered", async () => {
    const { files, root, outside } = sandbox();
    outside.write("folder/a.md", "ours");
    outside.write("b.md", "b");
    const known = ok(files.look(at("folder/a.md")));
    const elsewhere = folder();
    renameSync(join(root, "folder"), join(root, "moved"));
    writeFileSync(join(elsewhere, "a.md"), "theirs");
    mkdirSync(join(elsewhere, "deep"));
    symlinkSync(elsewhere, join(root, "folder"));
    const reading = await files.read(at("folder/a.md"), 100);
    const staged = ok(await files.stage([bytes("new")], known));
    const refused = [
      files.look(at("folder/a.md")),
      reading,
      staged.swap(at("folder/a.md"), known),
      files.overwrite(at("folder/a.md"), [bytes("new")], known),
      files.remove(at("folder/a.md"), known),
      files.rename(at("b.md"), at("folder/c.md")),
      files.makeFolders(at("folder/deep/c.md")),
      files.removeFolder(at("folder/deep")),
    ];
    expect(refused.every((value) => value !== undefined && isFileProblem(value))).toBe(true);
    expect(await files.names("folder")).toEqual([]);
    expect(readdirSync(elsewhere)).toEqual(["a.md", "deep"]);
    expect(readFileSync(join(elsewhere, "a.md"), "utf8")).toBe("theirs");
  });

  test("[FS16] links are left out of a walk, what they lead to comes once", async () => {
    const { files, root, outside } = sandbox();
    outside.write("folder/a.md", "a");
    symlinkSync("folder/a.md", join(root, "link.md"));
    symlinkSync("folder", join(root, "twin"));
    symlinkSync("/", join(root, "out"));
    const paths: string[] = [];
    for await (const { path } of files.walk(() => false)) paths.push(path);
    expect(paths).toEqual(["folder/a.md"]);
  });

  test("[WK2] a walk through a large folder pauses for others, and has its files in name order", async () => {
    const { files, root } = sandbox();
    const names = Array.from({ length: 3000 }, (_, i) => `${(i * 7919) % 3000}.md`);
    for (const name of names) writeFileSync(join(root, name), "");
    let now = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => {
      now += 0.1;
      return now;
    });
    let turns = 0;
    const count = () => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    onTestFinished(() => clearImmediate(counting));
    const paths: string[] = [];
    for await (const { path } of files.walk(() => false)) paths.push(path);
    expect(turns).toBeGreaterThan(50);
    expect(paths).toEqual(names.sort());
  });

  test("[FS17] what leads out is answered alike, whatever is there", () => {
    const { files, root } = sandbox();
    symlinkSync("/etc", join(root, "out"));
    symlinkSync("..", join(root, "up"));
    const kinds = ["out/passwd", "out/none", "out", "up/none", "up"].map((path) => files.resolve(at(path)));
    expect(kinds.map((found) => kindOf(found as object))).toEqual(Array(5).fill("escape"));
  });

  test("[FS17] an absolute link leads to a file inside by any name of the root, a relative one by way of ..", () => {
    const { files, root, outside } = sandbox();
    outside.write("folder/a.md", "a");
    const alias = `${root}-alias`;
    symlinkSync(root, alias);
    onTestFinished(() => rmSync(alias));
    symlinkSync(join(alias, "folder/a.md"), join(root, "absolute.md"));
    symlinkSync("../folder/../folder/a.md", join(root, "folder/relative.md"));
    for (const path of ["absolute.md", "folder/relative.md"])
      expect(files.resolve(at(path))).toBe("folder/a.md");
    expect(kindOf(files.resolve(at("folder/none.md")) as object)).toBe("missing");
  });

  test("[FS17] a link inside the root leads to the file's own path", () => {
    const { files, root, outside } = sandbox();
    outside.write("folder/a.md", "a");
    symlinkSync("folder", join(root, "twin"));
    symlinkSync("twin/a.md", join(root, "link.md"));
    expect(files.resolve(at("link.md"))).toBe("folder/a.md");
    symlinkSync("loop", join(root, "loop"));
    expect(kindOf(files.resolve(at("loop")) as object)).toBe("escape");
  });

  test("[FS18] a FIFO or a device is no file, and nothing waits for it", async () => {
    const { files, root } = sandbox();
    execFileSync("mkfifo", [join(root, "pipe")]);
    symlinkSync("/dev/zero", join(root, "zero"));
    expect(kindOf(files.look(at("pipe")))).toBe("not_file");
    expect(kindOf(await files.read(at("pipe"), 100))).toBe("not_file");
    expect(kindOf(await files.read(at("zero"), 100))).toBe("escape");
  });

  test("[FS18] what is no file has no text in it", async () => {
    const { files, root, outside } = sandbox();
    execFileSync("mkfifo", [join(root, "pipe")]);
    outside.makeFolder("folder");
    expect(await files.looksText(at("pipe"), 100)).toBe(false);
    expect(await files.looksText(at("folder"), 100)).toBe(false);
  });

  test("[FS19] what an earlier process had staged is still known as staged, until that is cleared", async () => {
    const { files, root } = sandbox();
    const { id } = ok(await files.stage([bytes("left behind")], undefined));
    const next = sandbox(root).files;
    expect([files.isStaged(id), next.isStaged(id)]).toEqual([true, true]);
    next.clearLeftBehind([{ staged: id, expected: undefined }], 100);
    expect(readdirSync(join(root, ".spliced/tmp"))).toHaveLength(1);
    next.clearLeftBehind([], 100);
    expect(readdirSync(join(root, ".spliced/tmp"))).toEqual([]);
  });

  test("[FS55] a version that a dead process made a new file is not staged, and has one name then", async () => {
    const { files, root } = sandbox();
    const { id } = ok(await files.stage([bytes("new")], undefined));
    const [name] = readdirSync(join(root, ".spliced/tmp"));
    linkSync(join(root, ".spliced/tmp", name!), join(root, "a.md"));
    const next = sandbox(root).files;
    expect(next.isStaged(id)).toBe(false);
    next.clearLeftBehind([{ staged: id, expected: undefined }], 100);
    expect([next.isStaged(id), ok(next.look(at("a.md"))).links]).toEqual([false, 1]);
  });

  test("[FS44] a save that an unfinished swap had displaced is left for the next process, and the expected file is not", async () => {
    const { files, root, outside } = sandbox();
    outside.write("a.md", "expected");
    const expected = ok(files.look(at("a.md")));
    const staged = ok(await files.stage([bytes("new")], expected, "doc_a"));
    ok(staged.swap(at("a.md"), expected));
    const swaps = [{ staged: staged.id, expected }];
    expect(sandbox(root).files.clearLeftBehind(swaps, 100)).toEqual([]);
    outside.write("a.md", "unseen");
    const again = ok(await files.stage([bytes("newer")], expected, "doc_a"));
    ok(again.swap(at("a.md"), ok(files.look(at("a.md")))));
    const [left] = sandbox(root).files.clearLeftBehind([{ staged: again.id, expected }], 100);
    expect(left).toMatchObject({ docId: "doc_a", isUnseen: true });
    expect(new TextDecoder().decode(left!.reading.bytes)).toBe("unseen");
  });

  test.skipIf(process.platform !== "linux")(
    "[FS29] nor is what it displaced cleared while somebody writes to it; what is too large stays for a later process",
    async () => {
      const { files, root, outside } = sandbox();
      for (const [path, text] of [
        ["a.md", "four"],
        ["b.md", "too large"],
        ["c.md", "four"],
      ] as const) {
        outside.write(path, text);
        if (path !== "c.md") onTestFinished(outside.openForWriting(path));
        const known = ok(files.look(at(path)));
        ok(ok(await files.stage([bytes("new")], known, `doc_${path[0]}`)).swap(at(path), known));
      }
      const left = sandbox(root).files.clearLeftBehind([], 4);
      expect(left.map(({ docId, reading }) => [docId, reading.bytes.length])).toEqual([["doc_a", 4]]);
      expect(readdirSync(join(root, ".spliced/tmp"))).toHaveLength(2);
      left[0]!.file.discard();
      const [later] = sandbox(root).files.clearLeftBehind([], 100);
      expect(later?.docId).toBe("doc_b");
      later?.file.discard();
      expect(readdirSync(join(root, ".spliced/tmp"))).toEqual([]);
    },
  );

  test("[FS19] nothing is left of a version that was swapped in or discarded, refused or not", async () => {
    const { files, root, outside } = sandbox();
    outside.write("a.md", "old");
    const known = ok(files.look(at("a.md")));
    ok(ok(await files.stage([bytes("new")], known)).swap(at("a.md"), known)).displaced?.discard();
    const late = ok(await files.stage([bytes("late")], known));
    late.swap(at("a.md"), known);
    late.discard();
    const refused = ok(await files.stage([bytes("late")], known));
    refused.link(at("a.md"));
    refused.discard();
    ok(await files.stage([bytes("late")], known)).discard();
    expect(readdirSync(join(root, ".spliced/tmp"))).toEqual([]);
    expect(outside.text("a.md")).toBe("new");
  });

  test("[FS56] no file is replaced once the state folder was deleted, also when it is made again", async () => {
    const { files, outside, root } = sandbox();
    outside.write("a.md", "one");
    const known = ok(files.look(at("a.md")));
    expect(files.replaceable(known)).toBe(true);
    const handle = openSync(join(root, ".spliced"), "r"); // as the daemon has, so that no other folder gets the inode
    onTestFinished(() => closeSync(handle));
    rmSync(join(root, ".spliced"), { recursive: true });
    expect(files.replaceable(known)).toBe(false);
    ok(await files.stage([bytes("two")], known)).discard();
    expect(files.replaceable(known)).toBe(false);
  });

  test("[FS20] a root that is gone, or another one now, does not stand", () => {
    const { files, root } = sandbox();
    renameSync(root, `${root}-moved`);
    onTestFinished(() => rmSync(`${root}-moved`, { recursive: true, force: true }));
    expect(files.isRootPresent()).toBe(false);
    mkdirSync(root);
    expect(files.isRootPresent()).toBe(false);
  });
});

describe("the disk in memory", () => {
  test("[FS21] a read during which the file is written to answers changed", async () => {
    const disk = new FakeDisk(new FakeClock());
    let goOn = () => {};
    const gate = () =>
      new Promise<void>((resolve) => {
        goOn = resolve;
      });
    const files = new FakeFiles(disk, { gate });
    disk.write("a.md", "one");
    const reading = files.read(at("a.md"), 100);
    disk.write("a.md", "two");
    goOn();
    expect(kindOf(await reading)).toBe("changed");
  });

  test("[FS21] a process that is gone reaches no file", async () => {
    const disk = new FakeDisk(new FakeClock());
    const files = new FakeFiles(disk);
    disk.write("a.md", "one");
    const known = ok(files.look(at("a.md")));
    const staged = ok(await files.stage([bytes("two")], known));
    files.crash();
    expect(kindOf(staged.swap(at("a.md"), known))).toBe("io");
    expect([kindOf(files.look(at("a.md"))), disk.text("a.md")]).toEqual(["io", "one"]);
  });

  test("[FS29] what a process displaced is the next one's while somebody writes to it", async () => {
    const disk = new FakeDisk(new FakeClock());
    const files = new FakeFiles(disk);
    disk.write("a.md", "one");
    const finish = disk.tear("a.md", "one two", 3);
    const known = ok(files.look(at("a.md")));
    ok(ok(await files.stage([bytes("new")], known, "doc_a")).swap(at("a.md"), known));
    files.crash();
    const [left] = new FakeFiles(disk).clearLeftBehind([], 100);
    expect(left).toMatchObject({ docId: "doc_a", reading: { bytes: bytes("one") } });
    finish();
    expect(new TextDecoder().decode(ok(await left!.file.read(100)).bytes)).toBe("one two");
    left!.file.discard();
    expect(kindOf(left!.file.look())).toBe("missing");
  });

  test("[FS21] a torn write goes on in the file it began in", () => {
    const disk = new FakeDisk(new FakeClock());
    disk.write("a.md", "one two");
    const finish = disk.tear("a.md", "one two three", 3);
    expect(disk.text("a.md")).toBe("one");
    disk.save("a.md", "another");
    finish();
    expect(disk.text("a.md")).toBe("another");
  });

  test("[FS25] on a full disk nothing is staged, and what cannot grow is left as it is", async () => {
    const disk = new FakeDisk(new FakeClock());
    const files = new FakeFiles(disk);
    disk.write("a.md", "one");
    disk.full = true;
    const known = ok(files.look(at("a.md")));
    expect(kindOf(await files.stage([bytes("longer")], known))).toBe("full");
    expect(kindOf(files.overwrite(at("a.md"), [bytes("longer")], known))).toBe("full");
    expect(disk.text("a.md")).toBe("one");
  });

  test("[FS25] a power cut leaves what was not synced whole, old, or in part", async () => {
    const left = new Set<string | undefined>();
    for (let seed = 1; seed < 100; seed++) {
      const disk = new FakeDisk(new FakeClock());
      const files = new FakeFiles(disk);
      disk.write("a.md", "old");
      const known = ok(files.look(at("a.md")));
      ok(ok(await files.stage([bytes("new")], known)).swap(at("a.md"), known));
      disk.powerCut(new Seeded(seed));
      left.add(disk.text("a.md"));
    }
    expect([...left].sort()).toEqual(["", "\0\0\0", "n", "ne", "new", "old"]);
  });

  test("[FS25] a power cut undoes the newest changes of names that nobody synced, and damages new files", async () => {
    const left = new Set<string>();
    for (let seed = 1; seed < 200; seed++) {
      const disk = new FakeDisk(new FakeClock(), { losesNames: true });
      const files = new FakeFiles(disk);
      for (const path of ["a.md", "b.md"]) disk.save(path, "old");
      const known = ok(files.look(at("a.md")));
      ok(ok(await files.stage([bytes("new")], known)).swap(at("a.md"), known));
      files.rename(at("b.md"), at("c.md"));
      disk.powerCut(new Seeded(seed));
      left.add(`${disk.paths()} ${disk.text("a.md")}`);
    }
    const texts = ["", "\0\0\0", "n", "ne", "new"];
    expect([...left].sort()).toEqual(
      [...texts.flatMap((text) => [`a.md,b.md ${text}`, `a.md,c.md ${text}`]), "a.md,b.md old"].sort(),
    );
  });

  test("[FS25] a power cut keeps the changes of names up to the last one of a synced path, and its file", async () => {
    for (let seed = 1; seed < 50; seed++) {
      const disk = new FakeDisk(new FakeClock(), { losesNames: true });
      const files = new FakeFiles(disk);
      disk.save("b.md", "old");
      ok(ok(await files.stage([bytes("new")], undefined)).link(at("a.md")));
      files.rename(at("b.md"), at("c.md"));
      expect(await files.sync(at("c.md"))).toBeUndefined();
      expect(await files.sync(at("a.md"))).toBeUndefined();
      disk.powerCut(new Seeded(seed));
      expect(disk.paths().map((path) => disk.text(path))).toEqual(["new", "old"]);
    }
  });

  test("[FS25] a power cut leaves what people saved", () => {
    const disk = new FakeDisk(new FakeClock());
    disk.save("a.md", "one");
    disk.powerCut(new Seeded(1));
    expect(disk.text("a.md")).toBe("one");
  });
});
