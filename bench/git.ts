import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { isInstalled } from "./installed.ts";
import type { Scope } from "./scope.ts";

/** Runs git with a repository of its own beside a folder, which keeps no trace of it. */
export type Git = (...args: readonly string[]) => string;

/** Returns git for a folder, with a new and empty repository outside it; undefined when git is not installed. */
export function gitBeside(scope: Scope, root: string): Git | undefined {
  if (!isInstalled("git")) return undefined;
  const repository = join(scope.folder(), "git");
  const git: Git = (...args) =>
    execFileSync("git", [`--git-dir=${repository}`, `--work-tree=${root}`, ...args], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "pipe"],
    });
  git("init", "-q");
  git("config", "gc.auto", "0");
  // The state folder has a .gitignore of its own.
  return git;
}

/** Returns the time of some work in milliseconds. */
export function taken(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}
