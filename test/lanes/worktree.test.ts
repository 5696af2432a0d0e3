import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addWorktree, looseCommit } from "../../src/lanes/disk/worktree.ts";

const COMMIT = "0123456789abcdef0123456789abcdef01234567\n";

test("[LV19] a branch in the place of another one's folder hides no lane", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "spliced-worktree-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [root, lane] = [join(folder, "root"), join(folder, "lane")];
  for (const made of [root, lane]) mkdirSync(made);
  execFileSync("git", ["init", "--quiet", "--initial-branch", "topic/part", root]);
  const worktree = addWorktree(root, lane);
  expect(worktree).toMatchObject({ commit: undefined });
  writeFileSync(join(root, ".git/refs/heads/topic"), COMMIT);
  expect(looseCommit(root, lane, worktree?.commit)).toBeUndefined();
});

test("[LV75] a commit of a lane is loose only while no branch and no tag ends there", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "spliced-worktree-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [root, lane] = [join(folder, "root"), join(folder, "lane")];
  for (const made of [root, lane]) mkdirSync(made);
  const git = (at: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: at,
      encoding: "utf8",
    }).trim();
  git(root, "init", "--quiet", "--initial-branch", "main");
  git(root, "commit", "--quiet", "--allow-empty", "-m", "one");
  const began = addWorktree(root, lane)?.commit;
  const loose = () => looseCommit(root, lane, began);
  git(lane, "commit", "--quiet", "--allow-empty", "-m", "two");
  const two = git(lane, "rev-parse", "HEAD");
  expect(loose()).toBe(two);
  git(root, "branch", "topic/part", two);
  expect(loose()).toBeUndefined();
  git(root, "pack-refs", "--all");
  expect(loose()).toBeUndefined();
  git(root, "branch", "--force", "topic/part", "main"); // the packed name is older than the loose one
  expect(loose()).toBe(two);
  git(root, "tag", "kept", two);
  expect(loose()).toBeUndefined();
});
