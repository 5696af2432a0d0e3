import { beforeEach, describe, expect, test } from "vitest";
import {
  type FileProblem,
  type Files,
  type Image,
  isFileProblem,
  type Skip,
  sameContentStamp,
  sameFile,
  sameImage,
} from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";

/** Access of other programs to the same folder. */
export interface Outside {
  /** Writes in place, or makes the file and the folders that it needs. */
  write(path: string, text: string): void;
  /** Writes aside and renames over the file. */
  save(path: string, text: string): void;
  text(path: string): string | undefined;
  /** Reads a file as another program does, which leaves a trace. */
  read(path: string): string | undefined;
  remove(path: string): void;
  makeFolder(path: string): void;
  chmod(path: string, mode: number): void;
  hardLink(path: string, to: string): void;
  /** Opens a file for writing; the returned function closes it. */
  openForWriting(path: string): () => void;
}

interface FilesUnderTest {
  readonly files: Files;
  readonly outside: Outside;
  /** False on a system that does not report open writers. */
  readonly writersTold?: boolean;
}

export const at = (path: string) => path as DocPath;
export const bytes = (text: string) => new TextEncoder().encode(text);
export const kindOf = (value: object | undefined) => (value as FileProblem | undefined)?.kind;

/** Returns the value of a call that must not fail. */
export function ok<T extends object>(value: T): Exclude<T, FileProblem> {
  if (isFileProblem(value)) throw new Error(`${value.kind}: ${value.message}`);
  return value as Exclude<T, FileProblem>;
}

/** The contract of every Files. */
export function filesContract(name: string, open: () => FilesUnderTest): void {
  describe(`${name} as files`, () => {
    let files: Files;
    let outside: Outside;
    let writersTold: boolean;

    beforeEach(() => {
      ({ files, outside, writersTold = true } = open());
    });

    const look = (path: string): Image => ok(files.look(at(path)));
    const lookKind = (path: string) => kindOf(files.look(at(path)));
    const read = async (path: string) => new TextDecoder().decode(ok(await files.read(at(path), 100)).bytes);
    const readKind = async (path: string, limit = 100) => kindOf(await files.read(at(path), limit));
    const stage = async (text: string, like?: Image) => ok(await files.stage([bytes(text)], like));

    async function walked(skip: Skip = () => false): Promise<string[]> {
      const paths: string[] = [];
      for await (const { path } of files.walk(skip)) paths.push(path);
      return paths;
    }

    test("[FS1] a look tells size, permissions and names of a file", () => {
      outside.write("a.md", "four");
      outside.chmod("a.md", 0o640);
      outside.hardLink("a.md", "b.md");
      expect(look("a.md")).toMatchObject({ size: 4, mode: 0o640, links: 2 });
      expect(look("b.md").ino).toBe(look("a.md").ino);
    });

    test("[FS1] two looks are the same until somebody writes, replaces or changes permissions", () => {
      outside.write("a.md", "one");
      const first = look("a.md");
      expect(sameImage(first, look("a.md"))).toBe(true);
      outside.write("a.md", "three");
      const second = look("a.md");
      outside.save("a.md", "fifteen");
      expect([sameImage(first, second), sameImage(second, look("a.md"))]).toEqual([false, false]);
    });

    test("[FS51] a file is the same after a write in place and a rename, and a save is another one", () => {
      outside.write("a.md", "one");
      const first = look("a.md");
      outside.write("a.md", "three");
      ok(files.rename(at("a.md"), at("b.md")));
      const second = look("b.md");
      outside.save("b.md", "three");
      expect([sameFile(first, second), sameFile(second, look("b.md"))]).toEqual([true, false]);
    });

    test("[FS22] whether anybody has it open for writing is told, where the system tells", () => {
      outside.write("a.md", "one");
      const told = (writing: boolean) => (writersTold ? writing : undefined);
      expect(files.openForWriting(at("a.md"))).toBe(told(false));
      const close = outside.openForWriting("a.md");
      expect(files.openForWriting(at("a.md"))).toBe(told(true));
      close();
      expect(files.openForWriting(at("a.md"))).toBe(told(false));
      expect(files.openForWriting(at("missing.md"))).toBeUndefined();
    });

    test("[FS2] what is no file is told as what it is", async () => {
      outside.makeFolder("folder");
      outside.write("file", "x");
      expect([lookKind("none.md"), await readKind("none.md")]).toEqual(["missing", "missing"]);
      expect([lookKind("folder"), await readKind("folder")]).toEqual(["not_file", "not_file"]);
      expect([lookKind("file/a.md"), await readKind("file/a.md")]).toEqual(["missing", "missing"]);
      expect(kindOf(files.resolve(at("none.md")) as object)).toBe("missing");
    });

    test("[FS3] a file is read whole, with what it was then", async () => {
      outside.write("a.md", "h\u00e9llo\n");
      const reading = ok(await files.read(at("a.md"), 7));
      expect(new TextDecoder().decode(reading.bytes)).toBe("h\u00e9llo\n");
      expect(sameImage(reading.image, look("a.md"))).toBe(true);
      outside.write("a.md", "");
      expect(await read("a.md")).toBe("");
    });

    test("[FS3] a file over the limit is not read", async () => {
      outside.write("a.md", "12345");
      expect(await readKind("a.md", 4)).toBe("too_large");
    });

    test("[FS4] a staged version takes the file's place with its permissions", async () => {
      outside.write("a.md", "old");
      outside.chmod("a.md", 0o751);
      const { image } = ok((await stage("new one", look("a.md"))).swap(at("a.md"), look("a.md")));
      expect(outside.text("a.md")).toBe("new one");
      expect(image).toMatchObject({ mode: 0o751, size: 7 });
      expect(sameImage(image, look("a.md"))).toBe(true);
    });

    test("[FS4] a staged version in several pieces is written in their order", async () => {
      outside.write("a.md", "old");
      const staged = ok(await files.stage(["a", "", "bc"].map(bytes), look("a.md")));
      ok(staged.swap(at("a.md"), look("a.md")));
      expect(outside.text("a.md")).toBe("abc");
    });

    test("[FS23] what a swap displaced is kept, with what is written to it, until it is discarded", async () => {
      outside.write("a.md", "old");
      const close = outside.openForWriting("a.md");
      const known = look("a.md");
      const { displaced } = ok((await stage("new", known)).swap(at("a.md"), known));
      expect(sameContentStamp(ok(displaced!.look()), known)).toBe(true);
      expect(displaced!.openForWriting()).toBe(writersTold ? true : undefined);
      close();
      expect(displaced!.openForWriting()).toBe(writersTold ? false : undefined);
      expect(new TextDecoder().decode(ok(await displaced!.read(100)).bytes)).toBe("old");
      expect(kindOf(await displaced!.read(2))).toBe("too_large");
      displaced!.discard();
      expect(kindOf(displaced!.look())).toBe("missing");
      expect(outside.text("a.md")).toBe("new");
    });

    test.each(["write", "save"] as const)(
      "[FS5] a swap is refused when the file was saved since (%s)",
      async (how) => {
        outside.write("a.md", "old");
        const known = look("a.md");
        const staged = await stage("ours", known);
        outside[how]("a.md", "theirs");
        expect(kindOf(staged.swap(at("a.md"), known))).toBe("changed");
        expect(outside.text("a.md")).toBe("theirs");
      },
    );

    test("[FS5] a swap is refused when the file is gone, or a folder by now", async () => {
      outside.write("a.md", "old");
      const known = look("a.md");
      outside.remove("a.md");
      expect(kindOf((await stage("ours", known)).swap(at("a.md"), known))).toBe("missing");
      outside.makeFolder("a.md");
      expect(kindOf((await stage("ours", known)).swap(at("a.md"), known))).toBe("not_file");
    });

    test("[FS6] a staged version becomes a new file, never in the place of another", async () => {
      const staged = await stage("one");
      expect(files.isStaged(staged.id)).toBe(true);
      ok(staged.link(at("a.md")));
      expect(files.isStaged(staged.id)).toBe(false);
      outside.makeFolder("folder");
      expect(outside.text("a.md")).toBe("one");
      expect(look("a.md").links).toBe(1);
      const refused = await stage("two");
      expect(kindOf(refused.link(at("a.md")))).toBe("exists");
      expect(files.isStaged(refused.id)).toBe(true);
      expect(kindOf((await stage("two")).link(at("folder")))).toBe("exists");
      expect(kindOf((await stage("two")).link(at("nowhere/b.md")))).toBe("missing");
      expect(outside.text("a.md")).toBe("one");
    });

    test("[FS7] what is discarded or refused is not among the files", async () => {
      outside.write("a.md", "old");
      (await stage("ours")).discard();
      (await stage("ours")).link(at("a.md"));
      expect(await walked()).toEqual(["a.md"]);
    });

    test("[FS8] overwriting keeps the file itself, for all its names", () => {
      outside.write("a.md", "a long text");
      outside.hardLink("a.md", "b.md");
      const known = look("a.md");
      const image = ok(files.overwrite(at("a.md"), [bytes("sh"), bytes("ort")], known));
      expect([outside.text("a.md"), outside.text("b.md")]).toEqual(["short", "short"]);
      expect(image.ino).toBe(known.ino);
      expect(sameImage(image, look("a.md"))).toBe(true);
    });

    test("[FS27] what is written bears another time, in milliseconds, than what was there", async () => {
      const millisecond = () => look("a.md").mtimeNs / 1_000_000n;
      outside.write("a.md", "version 0");
      for (let i = 1; i <= 20; i++) {
        const before = millisecond();
        ok((await stage(`version ${i % 10}`, look("a.md"))).swap(at("a.md"), look("a.md")));
        const between = millisecond();
        ok(files.overwrite(at("a.md"), [bytes(`VERSION ${i % 10}`)], look("a.md")));
        expect([between === before, millisecond() === between]).toEqual([false, false]);
      }
    });

    test("[FS8] overwriting is refused when the file was written to since, or is gone", () => {
      outside.write("a.md", "old");
      const known = look("a.md");
      outside.write("a.md", "theirs");
      expect(kindOf(files.overwrite(at("a.md"), [bytes("ours")], known))).toBe("changed");
      expect(outside.text("a.md")).toBe("theirs");
      outside.remove("a.md");
      expect(kindOf(files.overwrite(at("a.md"), [bytes("ours")], known))).toBe("missing");
    });

    test("[FS9] a rename moves the file, and makes the folders that it needs", () => {
      outside.write("a.md", "text");
      const { ino } = look("a.md");
      expect(ok(files.rename(at("a.md"), at("deep/er/b.md"))).ino).toBe(ino);
      expect([outside.text("a.md"), outside.text("deep/er/b.md")]).toEqual([undefined, "text"]);
      expect(kindOf(files.rename(at("a.md"), at("c.md")))).toBe("missing");
    });

    test("[FS54] a folder is removed only if it is empty", () => {
      outside.write("folder/deep/a.md", "a");
      const known = look("folder/deep/a.md");
      expect(kindOf(files.removeFolder(at("folder/deep")))).toBe("io");
      expect(files.remove(at("folder/deep/a.md"), known)).toBeUndefined();
      expect(kindOf(files.removeFolder(at("folder")))).toBe("io");
      expect(files.removeFolder(at("folder/deep"))).toBeUndefined();
      expect(kindOf(files.look(at("folder/deep")))).toBe("missing");
      expect(kindOf(files.look(at("folder")))).toBe("not_file");
    });

    test("[FS9] a rename never goes over another file or a folder", () => {
      outside.write("a.md", "a");
      outside.write("b.md", "b");
      outside.makeFolder("folder");
      expect(kindOf(files.rename(at("a.md"), at("b.md")))).toBe("exists");
      expect(kindOf(files.rename(at("a.md"), at("folder")))).toBe("exists");
      expect([outside.text("a.md"), outside.text("b.md")]).toEqual(["a", "b"]);
    });

    test("[FS9] nor over another name of the file itself", () => {
      outside.write("a.md", "a");
      outside.hardLink("a.md", "b.md");
      expect(kindOf(files.rename(at("a.md"), at("b.md")))).toBe("exists");
      expect([look("a.md").links, look("b.md").links]).toEqual([2, 2]);
    });

    test("[FS9] a rename may change the case of a name, but not go over a twin of another case", () => {
      outside.write("a.md", "a");
      ok(files.rename(at("a.md"), at("A.md")));
      expect(outside.text("A.md")).toBe("a");
      outside.write("a.md", "another");
      if (outside.text("A.md") === "another") return; // one name for both on this file system
      expect(kindOf(files.rename(at("a.md"), at("A.md")))).toBe("exists");
      expect(outside.text("A.md")).toBe("a");
    });

    test("[FS10] a file is removed only as what it was known to be", () => {
      outside.write("a.md", "old");
      const known = look("a.md");
      outside.write("a.md", "theirs");
      expect(kindOf(files.remove(at("a.md"), known))).toBe("changed");
      expect(files.remove(at("a.md"), look("a.md"))).toBeUndefined();
      expect(outside.text("a.md")).toBeUndefined();
      expect(kindOf(files.remove(at("a.md"), known))).toBe("missing");
    });

    test("[FS26] a file is synced as it is, and so is a place where none is any more", async () => {
      outside.write("sub/a.md", "text");
      expect(await files.sync(at("sub/a.md"))).toBeUndefined();
      expect(outside.text("sub/a.md")).toBe("text");
      outside.remove("sub/a.md");
      expect(await files.sync(at("sub/a.md"))).toBeUndefined();
    });

    test("[FS11] a walk goes through each folder in name order, and skips what it is told to", async () => {
      for (const path of ["b.md", "a/z.md", "a/b/c.md", "a.md", "skip/x.md", ".git/config"])
        outside.write(path, path);
      expect(await walked((path) => path === "skip")).toEqual(["a/b/c.md", "a/z.md", "a.md", "b.md"]);
      for await (const { path, image } of files.walk(() => false)) expect(image.size).toBe(path.length);
    });

    test("[FS33] a folder's list has its files with their images, and its folders, without skipped paths", async () => {
      for (const path of ["b.md", "a/z.md", "a/b/c.md", "a.md", "skip/x.md", ".git/config", ".spliced/y"])
        outside.write(path, path);
      const top = ok(await files.list("", (path) => path === "skip"));
      expect(top.folders).toEqual(["a"]);
      expect(top.files).toEqual(["a.md", "b.md"].map((path) => ({ path, image: look(path) })));
      expect(ok(await files.list("a", () => false))).toMatchObject({
        folders: ["a/b"],
        files: [{ path: "a/z.md" }],
      });
      expect(kindOf(await files.list("none", () => false))).toBe("missing");
    });

    test("[FS11] a walk tells folders from files when it asks what to skip", async () => {
      for (const path of ["a/b", "b", "c.md"]) outside.write(path, path);
      expect(await walked((path, isFolder) => !isFolder && path.endsWith("b"))).toEqual(["c.md"]);
      expect(await walked((_, isFolder) => isFolder)).toEqual(["b", "c.md"]);
    });

    test("[FS12] the names in a folder are told, none where there is no folder", async () => {
      outside.write("folder/b.md", "b");
      outside.write("folder/a.md", "a");
      expect([...(await files.names("folder"))].sort()).toEqual(["a.md", "b.md"]);
      expect(await files.names("")).toContain("folder");
      expect(await files.names("none")).toEqual([]);
    });

    test("[FS13] a file with other names is not replaced", () => {
      outside.write("a.md", "a");
      expect(files.replaceable(look("a.md"))).toBe(true);
      outside.hardLink("a.md", "b.md");
      expect(files.replaceable(look("a.md"))).toBe(false);
    });

    test("[FS14] a text is told from other files by its first bytes", async () => {
      outside.write("a.md", "h\u00e9".repeat(10));
      outside.write("b.bin", "a\0b");
      expect(await files.looksText(at("a.md"), 5)).toBe(true);
      expect(await files.looksText(at("b.bin"), 5)).toBe(false);
      expect(await files.looksText(at("none.md"), 5)).toBe(false);
    });

    /** Swaps a version in, and watches its readings. */
    async function watched() {
      outside.write("a.md", "one");
      const { image } = ok((await stage("two", look("a.md"))).swap(at("a.md"), look("a.md")));
      return { image, watch: files.watchReads(at("a.md"), image)! };
    }

    test("[FS40] a version that the daemon wrote is unread until another program reads it", async ({
      skip,
    }) => {
      skip(!files.tellsReads, "readings leave no trace on this mount");
      const { image, watch } = await watched();
      await read("a.md");
      expect(watch.readings()).toBe("none");
      outside.read("a.md");
      expect(watch.readings()).toBe("some");
      watch.close();
      expect(files.watchReads(at("a.md"), image)).toBeUndefined();
    });

    test("[FS41] a version stays unread after its replacement, whoever reads the new one", async ({
      skip,
    }) => {
      skip(!files.tellsReads, "readings leave no trace on this mount");
      const { watch } = await watched();
      outside.save("a.md", "three");
      outside.read("a.md");
      expect(watch.readings()).toBe("none");
      watch.close();
    });

    test("[FS42] a program that writes in place, and reads its own text back, leaves it unclear what it had read", async ({
      skip,
    }) => {
      skip(!files.tellsReads, "readings leave no trace on this mount");
      const { watch } = await watched();
      outside.write("a.md", "three");
      outside.read("a.md");
      expect(watch.readings()).toBe("unclear");
      watch.close();
    });

    test("[FS50] what a program had read before it wrote in place is known from the next look on", async ({
      skip,
    }) => {
      skip(!files.tellsReads, "readings leave no trace on this mount");
      const { watch } = await watched();
      outside.write("a.md", "three");
      look("a.md");
      outside.read("a.md");
      outside.write("a.md", "four");
      expect(watch.readings()).toBe("none");
      watch.close();
    });

    test("[FS53] a version that the daemon wrote in place is unread until another program reads it", async ({
      skip,
    }) => {
      skip(!files.tellsReads, "readings leave no trace on this mount");
      const { watch: before } = await watched();
      const image = ok(files.overwrite(at("a.md"), [bytes("three")], look("a.md")));
      const watch = files.watchReads(at("a.md"), image)!;
      outside.read("a.md");
      expect([before.readings(), watch.readings()]).toEqual(["none", "some"]);
      const next = files.watchReads(at("a.md"), ok(files.overwrite(at("a.md"), [bytes("4")], look("a.md"))))!;
      expect([watch.readings(), next.readings()]).toEqual(["some", "none"]);
      for (const each of [before, watch, next]) each.close();
    });

    test("[FS43] another program's file has no watch", () => {
      outside.write("a.md", "one");
      expect(files.watchReads(at("a.md"), look("a.md"))).toBeUndefined();
    });

    test("[FS15] the path of a plain file is its own", () => {
      outside.write("folder/a.md", "a");
      expect(files.resolve(at("folder/a.md"))).toBe("folder/a.md");
      expect(files.isRootPresent()).toBe(true);
    });
  });
}
