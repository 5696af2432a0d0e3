import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addWorktree, looseCommit } from "../../src/lanes/worktree.ts";

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
