import fs, {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import koffi from "koffi";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { byExchange, byLink, replacingIn } from "../../src/mirror/disk/replace.ts";
import { imageOf } from "../../src/mirror/disk/stat.ts";
import type { Image } from "../../src/mirror/files.ts";
import { type Exchange, systemExchange } from "../../src/system/files.ts";
import { replaceBuiltin } from "../helpers/replace-builtin.ts";

const IN_MOVED_FROM = 0x40;
const IN_MOVED_TO = 0x80;
const IN_NONBLOCK = 0o4000;
/** The bytes of an inotify event before its name. */
const EVENT_BYTES = 16;

/** Watches a folder; the returned function answers what came to names and left them, as `[mask, name]`, in order. */
function inotify(folder: string): () => [mask: number, name: string][] {
  const libc = koffi.load(null);
  const fd: number = libc.func("int inotify_init1(int flags)")(IN_NONBLOCK);
  libc.func("int inotify_add_watch(int fd, const char *path, uint32_t mask)")(
    fd,
    folder,
    IN_MOVED_FROM | IN_MOVED_TO,
  );
  onTestFinished(() => closeSync(fd));
  return () => {
    const buffer = Buffer.alloc(4096);
    const size = readSync(fd, buffer);
    const events: [number, string][] = [];
    for (let at = 0; at < size; ) {
      const end = at + EVENT_BYTES + buffer.readUInt32LE(at + 12);
      const name = buffer.toString("utf8", at + EVENT_BYTES, end).replace(/\0+$/, "");
      events.push([buffer.readUInt32LE(at + 4), name]);
      at = end;
    }
    return events;
  };
}

let folder: string;
let file: string;
let staged: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "spliced-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  [file, staged] = [join(folder, "a.md"), join(folder, "staged")];
  writeFileSync(file, "old");
  writeFileSync(staged, "new");
});

const read = (path: string) => readFileSync(path, "utf8");
const look = () => imageOf(lstatSync(file, { bigint: true }), file) as Image;

describe("replacing a file by an exchange", () => {
  const swap: Exchange = (a, b) => {
    renameSync(a, join(folder, "between"));
    renameSync(b, a);
    renameSync(join(folder, "between"), b);
  };

  test("[FS24] a save since the look goes back in its place", () => {
    const expected = look();
    writeFileSync(file, "saved");
    expect(byExchange(swap)(staged, file, expected)).toEqual({ done: false, displaced: undefined });
    expect([read(file), read(staged)]).toEqual(["saved", "new"]);
  });

  test.runIf(process.platform === "linux")(
    "[FS52] watchers hear last that the file came, never that it left",
    () => {
      const documents = join(folder, "documents");
      mkdirSync(documents);
      const at = join(documents, "a.md");
      renameSync(file, at);
      const heard = inotify(documents);
      const exchange = byExchange(systemExchange()!);
      const expected = imageOf(lstatSync(at, { bigint: true }), at) as Image;
      const swap = [
        [IN_MOVED_FROM, "a.md"],
        [IN_MOVED_TO, "a.md"],
      ];
      expect(exchange(staged, at, expected).done).toBe(true);
      expect(heard()).toEqual(swap);
      expect(exchange(staged, at, expected).done).toBe(false);
      expect(heard()).toEqual([...swap, ...swap]);
    },
  );

  test.each(["in place", "by rename"])(
    "[FS24] and one %s over the new version, before it is back, is kept",
    (how) => {
      const expected = look();
      writeFileSync(file, "saved");
      let swaps = 0;
      const overtaken: Exchange = (a, b) => {
        swap(a, b);
        if (++swaps > 1) return;
        if (how === "by rename") rmSync(file);
        writeFileSync(file, "saved again");
      };
      expect(byExchange(overtaken)(staged, file, expected)).toEqual({ done: false, displaced: staged });
      expect([read(file), read(staged)]).toEqual(["saved", "saved again"]);
    },
  );

  test("[FS24] and goes back also when the new version was moved away before it could", () => {
    const expected = look();
    writeFileSync(file, "saved");
    let swaps = 0;
    const movedAway: Exchange = (a, b) => {
      if (++swaps === 1) return swap(a, b);
      renameSync(file, join(folder, "moved.md"));
      throw new Error("ENOENT"); // as the system answers, both names left as they are
    };
    expect(byExchange(movedAway)(staged, file, expected)).toEqual({ done: false, displaced: undefined });
    expect([read(file), read(join(folder, "moved.md"))]).toEqual(["saved", "new"]);
    expect(lstatSync(file).nlink).toBe(1);
  });
});

describe("replacing a file by a hard link and a rename", () => {
  test("[FS24] the new version is in place, the old one is kept with what is written to it", () => {
    const fd = openSync(file, "a");
    const done = byLink(staged, file, look());
    writeSync(fd, " and more");
    closeSync(fd);
    expect(read(file)).toBe("new");
    expect(done.done).toBe(true);
    expect(read(done.displaced!)).toBe("old and more");
  });

  test.each(["in place", "by rename"])("[FS24] a save %s since the look is left where it is", (how) => {
    const expected = look();
    const saved = how === "in place" ? file : join(folder, "saved");
    writeFileSync(saved, "saved");
    renameSync(saved, file);
    let renames = 0;
    replaceBuiltin(fs, "renameSync", (real) => (from, to) => {
      renames++;
      real(from, to);
    });
    expect(byLink(staged, file, expected)).toEqual({ done: false, displaced: undefined });
    expect([read(file), read(staged)]).toEqual(["saved", "new"]);
    expect([lstatSync(file).nlink, renames]).toEqual([1, 0]);
  });

  /** Replaces the file while a program saves it in place just before the rename, and does `then` just after that. */
  function overtaken(then: () => void) {
    const expected = look();
    let renames = 0;
    replaceBuiltin(fs, "renameSync", (real) => (from, to) => {
      const isFirst = ++renames === 1;
      if (isFirst) writeFileSync(file, "saved");
      real(from, to);
      if (isFirst) then();
    });
    return byLink(staged, file, expected);
  }

  test("[EE65] a save in place between the look and the rename goes back to its place", () => {
    expect(overtaken(() => {})).toEqual({ done: false, displaced: undefined });
    expect([read(file), read(staged), lstatSync(file).nlink]).toEqual(["saved", "new", 1]);
    expect(readdirSync(folder).sort()).toEqual(["a.md", "staged"]);
  });

  test.each(["in place", "by rename"])("[EE65] and one %s over the new version is kept", (how) => {
    const again = () => {
      if (how === "by rename") rmSync(file);
      writeFileSync(file, "saved again");
    };
    expect(overtaken(again)).toEqual({ done: false, displaced: staged });
    expect([read(file), read(staged)]).toEqual(["saved", "saved again"]);
  });

  test("[EE65] and is kept where the new version was removed before it could", () => {
    const replaced = overtaken(() => rmSync(file));
    expect(replaced.done).toBe(true);
    expect(read(replaced.displaced!)).toBe("saved");
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("[FS24] a version that cannot be put there leaves the file with the one name it had", () => {
    rmSync(staged);
    expect(() => byLink(staged, file, look())).toThrow("ENOENT");
    expect([read(file), lstatSync(file).nlink]).toEqual(["old", 1]);
  });

  test("[FS24] what a folder can do is found by trying, and leaves nothing behind", () => {
    const { by, replace } = replacingIn(folder);
    expect(["exchange", "hard link", "rename"]).toContain(by);
    expect(replace(staged, file, look()).done).toBe(true);
    expect(read(file)).toBe("new");
  });
});
