import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitAt } from "../../src/mirror/disk/git.ts";
import type { DocPath } from "../../src/mirror/path.ts";

const LIMIT = 1 << 20;

function emptyFolder(): string {
  const root = mkdtempSync(join(tmpdir(), "spliced-git-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Returns a repository with one commit of these files. */
function committedFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = emptyFolder();
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args]);
  git("init", "-q");
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
  return root;
}

test("[DC26] the daemon reads a file of git's newest commit, in a folder of the repository, too", async () => {
  const root = committedFolder({
    "part/:odd *.md": "one\r\n",
    "part/b.bin": Uint8Array.of(0, 1),
    "large.md": "x",
  });
  writeFileSync(join(root, "part/:odd *.md"), "two\n");
  const git = gitAt(join(root, "part"));
  const found = await git.committed(":odd *.md" as DocPath, LIMIT);
  expect(found?.commit).toMatch(/^[0-9a-f]{40,64}$/);
  expect(found?.content?.text.toString()).toBe("one\r\n");
  expect(await git.committed("b.bin" as DocPath, LIMIT)).toEqual({
    commit: found?.commit,
    content: undefined,
  });
  expect(await git.committed("none.md" as DocPath, LIMIT)).toEqual({
    commit: found?.commit,
    content: undefined,
  });
  expect((await gitAt(root).committed("large.md" as DocPath, LIMIT))?.content?.text.toString()).toBe("x");
});

test("[DC26] a folder without a repository, or without a commit, has no newest commit", async () => {
  const root = emptyFolder();
  expect(await gitAt(root).committed("a.md" as DocPath, LIMIT)).toBeUndefined();
  execFileSync("git", ["-C", root, "init", "-q"]);
  expect(await gitAt(root).committed("a.md" as DocPath, LIMIT)).toBeUndefined();
});

test("[DC26] git runs no filter of the repository", async () => {
  const root = committedFolder({ "a.md": "one\n" });
  writeFileSync(join(root, ".gitattributes"), "*.md filter=harm diff=harm\n");
  const marker = join(root, "harmed");
  for (const name of ["filter.harm.smudge", "diff.harm.textconv", "core.fsmonitor"])
    execFileSync("git", ["-C", root, "config", name, `touch ${marker}`]);
  expect((await gitAt(root).committed("a.md" as DocPath, LIMIT))?.content?.text.toString()).toBe("one\n");
  expect(() => execFileSync("ls", [marker], { stdio: "pipe" })).toThrow();
});
