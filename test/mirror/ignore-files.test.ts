import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { IgnoreFiles, MOST_IGNORE_BYTES } from "../../src/mirror/disk/ignore-files.ts";

/** Returns a folder, the reader of its files of patterns, and the problems that the reader reported. */
function folder(): { root: string; files: IgnoreFiles; reported: string[] } {
  const root = mkdtempSync(join(tmpdir(), "spliced-patterns-"));
  const reported: string[] = [];
  const files = new IgnoreFiles(root, (file, problem) => reported.push(`${file}: ${problem}`));
  onTestFinished(() => {
    files.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { root, files, reported };
}

describe("a file of patterns", () => {
  test("[IG8] is read again after a save, also one of the same size and time", async () => {
    const { root, files } = folder();
    const file = join(root, ".gitignore");
    expect(files.read(".gitignore")).toBeUndefined();
    for (const text of ["a\n", "b\n", "c\n"]) {
      writeFileSync(file, text);
      utimesSync(file, 1, 1);
      await setImmediate();
      expect(files.read(".gitignore")).toBe(text);
      expect(files.read(".gitignore")).toBe(text);
    }
    rmSync(file);
    await setImmediate();
    expect(files.read(".gitignore")).toBeUndefined();
  });

  test("[IG13] is looked at once by all that the daemon answers in one turn of the event loop", async () => {
    const { root, files } = folder();
    const file = join(root, ".gitignore");
    writeFileSync(file, "a\n");
    expect(files.read(".gitignore")).toBe("a\n");
    writeFileSync(file, "b\n");
    for (let i = 0; i < 100; i++) await Promise.resolve();
    expect(files.read(".gitignore")).toBe("a\n");
    await setImmediate();
    for (let i = 0; i < 10; i++) await Promise.resolve();
    expect(files.read(".gitignore")).toBe("b\n");
  });

  test("[IG10] that is a link, a FIFO or a folder is not in force, is reported once, and nothing waits for it", () => {
    const { root, files, reported } = folder();
    writeFileSync(join(root, "elsewhere"), "*\n");
    symlinkSync("elsewhere", join(root, ".gitignore"));
    execFileSync("mkfifo", [join(root, ".splicedignore")]);
    mkdirSync(join(root, "a/.gitignore"), { recursive: true });
    for (const path of [".gitignore", ".splicedignore", "a/.gitignore", ".gitignore"])
      expect(files.read(path)).toBeUndefined();
    expect(reported).toEqual([
      ".gitignore: .gitignore: a link is in the way (ELOOP)",
      ".splicedignore: .splicedignore is not a regular file",
      "a/.gitignore: a/.gitignore is not a regular file",
    ]);
    expect(files.problems.map(({ file }) => file).sort()).toEqual(
      [".gitignore", ".splicedignore", "a/.gitignore"].sort(),
    );
  });

  test("[IG10] behind a linked folder is not in force", () => {
    const { root, files } = folder();
    const outside = folder().root;
    writeFileSync(join(outside, ".gitignore"), "*\n");
    symlinkSync(outside, join(root, "linked"));
    expect(files.read("linked/.gitignore")).toBeUndefined();
  });

  test.skipIf(process.getuid?.() === 0)("[IG10] that cannot be read is not in force, and is reported", () => {
    const { root, files, reported } = folder();
    writeFileSync(join(root, ".gitignore"), "*\n");
    chmodSync(join(root, ".gitignore"), 0);
    expect(files.read(".gitignore")).toBeUndefined();
    expect(reported).toHaveLength(1);
  });

  test("[IG9] of more than 1 MiB is not in force, and is reported", async () => {
    const { root, files, reported } = folder();
    writeFileSync(join(root, ".gitignore"), "a".repeat(MOST_IGNORE_BYTES));
    expect(files.read(".gitignore")).toHaveLength(MOST_IGNORE_BYTES);
    await setImmediate();
    writeFileSync(join(root, ".gitignore"), "a".repeat(MOST_IGNORE_BYTES + 1));
    expect(files.read(".gitignore")).toBeUndefined();
    expect(reported).toEqual([expect.stringContaining("the limit is 1048576")]);
  });

  test("[IG11] outside the workspace may be a link, because it is the user's own", () => {
    const { root, files } = folder();
    writeFileSync(join(root, "mine"), "*.swp\n");
    symlinkSync(join(root, "mine"), join(root, "link"));
    expect(files.read(join(root, "link"))).toBe("*.swp\n");
    expect(files.read(join(root, "none"))).toBeUndefined();
  });
});
