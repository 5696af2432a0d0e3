import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { examineIgnoring } from "../../src/daemon/doctor/doctor-ignoring.ts";
import { openIgnoring, outerRulesOf } from "../../src/daemon/parts/ignoring.ts";
import { folderWith } from "../helpers/hostile.ts";

const GIT_HOME = ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"] as const;
const before = GIT_HOME.map((name) => process.env[name]);
let home: string;

beforeEach(() => {
  home = realpathSync(folderWith());
  process.env["HOME"] = home;
  delete process.env["XDG_CONFIG_HOME"];
  delete process.env["GIT_CONFIG_GLOBAL"];
});

afterEach(() => {
  for (const [i, name] of GIT_HOME.entries())
    if (before[i] === undefined) delete process.env[name];
    else process.env[name] = before[i];
});

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, stdio: "pipe" });

/** Returns the rule for a path, as "file:line". */
async function ruleFor(root: string, path: string): Promise<string | undefined> {
  const { rules, files } = openIgnoring(root, await outerRulesOf(root, ["**/node_modules"], undefined));
  const rule = rules.ruleFor(path);
  files.close();
  return rule && `${rule.file}:${rule.line}`;
}

describe("the rules of a workspace", () => {
  test("[IG11] come from the files of its repository, also above it", async () => {
    const top = realpathSync(folderWith());
    git(top, "init", "-q");
    write(join(top, ".gitignore"), "/docs/out\nout2\n");
    write(join(top, ".git/info/exclude"), "mine.txt\n");
    const root = join(top, "docs");
    mkdirSync(root);
    expect(await ruleFor(root, "out/a")).toBe("../.gitignore:1");
    expect(await ruleFor(root, "x/out2")).toBe("../.gitignore:2");
    expect(await ruleFor(root, "mine.txt")).toBe("../.git/info/exclude:1");
    expect(await ruleFor(root, "x/out")).toBeUndefined();
    expect(await ruleFor(top, "mine.txt")).toBe(".git/info/exclude:1");
    expect(await ruleFor(root, "node_modules/a")).toBe("daemon.config.ts:1");
  });

  test("[IG11] come from a worktree's repository, but from no other that a planted .git file names", async () => {
    const top = realpathSync(folderWith());
    git(top, "init", "-q");
    git(top, "commit", "-q", "--allow-empty", "-m", "a");
    git(top, "worktree", "add", "-q", "wt");
    write(join(top, ".git/info/exclude"), "mine.txt\n");
    expect(await ruleFor(join(top, "wt"), "mine.txt")).toBe(`${top}/.git/info/exclude:1`);
    const planted = realpathSync(folderWith());
    write(join(planted, ".git"), `gitdir: ${join(top, ".git/worktrees/wt")}\n`);
    expect(await ruleFor(planted, "mine.txt")).toBeUndefined();
  });

  test("[IG11] come from the user's own file, where git finds it, and none that the repository names", async () => {
    const root = realpathSync(folderWith());
    git(root, "init", "-q");
    write(join(home, ".config/git/ignore"), "*.swp\n");
    expect(await ruleFor(root, "a.swp")).toBe("~/.config/git/ignore:1");
    write(join(home, ".gitconfig"), "[core]\n\texcludesFile = ~/mine\n");
    write(join(home, "mine"), "\n*.swo\n");
    expect(await ruleFor(root, "a.swp")).toBeUndefined();
    expect(await ruleFor(root, "a.swo")).toBe("~/mine:2");
    git(root, "config", "core.excludesFile", join(root, "planted"));
    write(join(root, "planted"), "*\n");
    expect(await ruleFor(root, "a.md")).toBeUndefined();
  });
});

describe("a git worktree in the workspace", () => {
  test("[IG15] is left out with all that is in it, if git notes it, and a line of .splicedignore takes it back", async () => {
    const top = realpathSync(folderWith({ "part/a.md": "" }));
    git(top, "init", "-q");
    git(top, "commit", "-q", "--allow-empty", "-m", "a");
    for (const path of ["trees/a", "trees/[b] *", "part/c"])
      git(top, "worktree", "add", "-q", "--detach", path);
    write(join(top, ".gitignore"), "!*/\n");
    write(join(top, "planted/.git"), `gitdir: ${join(top, ".git/worktrees/a")}\n`);
    expect(await ruleFor(top, "trees/a/x/y.md")).toMatch(/^\.git\/worktrees:\d$/);
    expect(await ruleFor(top, "trees/[b] */y.md")).toMatch(/^\.git\/worktrees:\d$/);
    expect(await ruleFor(top, "trees/b  /y.md")).toBeUndefined();
    expect(await ruleFor(top, "planted/y.md")).toBeUndefined();
    expect(await ruleFor(join(top, "part"), "c/y.md")).toMatch(/\.git\/worktrees:\d$/);
    expect(await ruleFor(join(top, "trees/a"), "y.md")).toBeUndefined();
    git(top, "worktree", "add", "-q", "trees/a/inner");
    expect(await ruleFor(join(top, "trees/a"), "inner/y.md")).toMatch(/worktrees:1$/);
    rmSync(join(top, "part/c"), { recursive: true });
    write(join(top, "part/c/y.md"), "");
    expect(await ruleFor(top, "part/c/y.md")).toBeUndefined();
    write(join(top, ".splicedignore"), "!/trees/a/\n");
    expect(await ruleFor(top, "trees/a/y.md")).toBeUndefined();
  });
});

describe("doctor", () => {
  test("[IG12] names the files with rules, what is not in force, and the globs of private files", async () => {
    const root = folderWith({
      ".gitignore": "a\nb\n",
      "sub/.splicedignore": "!a\n",
      "daemon.config.ts": 'export default { ignore: ["out"], private: ["**/.env", "**/*.mine"] };\n',
    });
    expect(await examineIgnoring(root)).toMatchObject([
      {
        what: "ignored files",
        state: "ok",
        found: "1 glob of the setting ignore, 2 rules of .gitignore, 1 rule of sub/.splicedignore",
      },
      { what: "private files", state: "ok", found: "1 of the default globs, **/*.mine" },
    ]);
    write(join(root, ".gitignore"), `${"a".repeat(2000)}\n`);
    expect((await examineIgnoring(root))[0]).toMatchObject({
      state: "limited",
      means: expect.stringContaining(".gitignore: line 1 is not in force"),
    });
  });
});
