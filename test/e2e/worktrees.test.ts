import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { locateDaemon } from "../../src/client/index.ts";
import { processLives } from "../../src/client/process.ts";
import { further } from "../helpers/further.ts";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { startDaemon } from "./daemon.ts";
import { type Folder, folderAt, makeFolder } from "./folder.ts";
import { stdioHost } from "./mcp-client.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

const WORKTREE = ".claude/worktrees/a";

function git(cwd: string, ...args: string[]): void {
  const settings = ["user.name=a", "user.email=a@b"].flatMap((setting) => ["-c", setting]);
  execFileSync("git", [...settings, ...args], { cwd, stdio: "pipe" });
}

/** Makes a repository of one commit. */
function makeRepository(): Folder {
  const folder = makeFolder({ "notes.md": "one\n", "sub/part.md": "part\n" });
  git(folder.root, "init", "-q");
  git(folder.root, "add", ".");
  git(folder.root, "commit", "-qm", "one");
  return folder;
}

test("[IG15] a git worktree that is made in a served repository brings no documents, unless a line takes it back", async () => {
  const folder = makeRepository();
  const client = await (await serveFolder(folder.root)).connect();
  const paths = async () => (await client.request("doc.list", {})).docs.map(({ path }) => path);
  await client.request("subscribe", { pattern: "**" });
  const made: string[] = [];
  client.on("doc.created", ({ path }) => made.push(path));
  git(folder.root, "worktree", "add", "-q", WORKTREE);
  folder.write(`${WORKTREE}/notes.md`, "one\ntwo\n");
  folder.write("last.md", "last\n");
  await until("the daemon has found the last file", () => made.includes("last.md"));
  expect(made).toEqual(["last.md"]);
  expect(await paths()).toEqual(["last.md", "notes.md", "sub/part.md"]);
  const refused = client.request("doc.read", { path: `${WORKTREE}/notes.md` });
  await expect(refused).rejects.toMatchObject({
    code: "IGNORED",
    message: expect.stringContaining(`the git worktree /${WORKTREE}/ is a workspace of its own`),
  });
  folder.write(".splicedignore", `!/${WORKTREE}/\n`);
  expect((await client.request("doc.read", { path: `${WORKTREE}/notes.md` })).text).toBe("one\ntwo\n");
});

test("[MC75, TM60] commands and MCP clients in a git worktree use a daemon of its own", async () => {
  const folder = makeRepository();
  const { pid } = await serveFolder(folder.root);
  git(folder.root, "worktree", "add", "-q", WORKTREE);
  const worktree = folderAt(folder.at(WORKTREE));
  const none = await cli(worktree.at("sub"), ["cat", "sub/part.md"]);
  expect(none).toMatchObject({ code: 3, err: expect.stringContaining("no daemon serves this folder") });
  const host = await stdioHost(worktree.at("sub"));
  atEnd(() => cli(worktree.root, ["stop"]));
  await host.say("read", { path: "notes.md" });
  await host.say("edit", { path: "notes.md", old: "one", new: "two" });
  expect([worktree.read("notes.md"), folder.read("notes.md")]).toEqual(["two\n", "one\n"]);
  expect(locateDaemon(worktree.at("sub"))).toMatchObject({ root: worktree.root });
  expect(locateDaemon(worktree.root)?.pid).not.toBe(pid);
  await cli(worktree.root, ["stop"]);
  expect(await cli(worktree.root, ["start", "--port", "0"])).toMatchObject({ code: 0 });
});

test("[EE61] a daemon ends once its folder was deleted, also by git", async () => {
  const folder = makeRepository();
  git(folder.root, "worktree", "add", "-q", WORKTREE);
  const daemons = [await startDaemon(folder.root), await startDaemon(folder.at(WORKTREE))];
  git(folder.root, "worktree", "remove", "--force", WORKTREE);
  await until("the worktree's daemon ended", () => !processLives(daemons[1]!.pid));
  expect(processLives(daemons[0]!.pid)).toBe(true);
  rmSync(folder.root, { recursive: true, maxRetries: 5 });
  await until("the other daemon ended", () => !processLives(daemons[0]!.pid));
});

further(
  "[EE62] a daemon whose state folder git cleaned away has its edits in the files, and begins anew",
  async () => {
    const folder = makeRepository();
    const { pid } = await startDaemon(folder.root);
    expect(await cli(folder.root, ["append", "notes.md", "two"])).toMatchObject({ code: 0 });
    git(folder.root, "clean", "-fdxq");
    expect(existsSync(folder.at(".spliced"))).toBe(false);
    await until("a new daemon is there", () => locateDaemon(folder.root));
    expect(locateDaemon(folder.root)?.pid).toBe(pid);
    expect(await cli(folder.root, ["append", "notes.md", "three"])).toMatchObject({ code: 0 });
    expect(folder.read("notes.md")).toBe("one\ntwo\nthree\n");
    await until("the log says so", async () =>
      (await cli(folder.root, ["log"])).out.includes("state.deleted"),
    );
  },
);

test("[EE62, FS56] the edits that waited for their file are in it after git cleaned the state folder away", async () => {
  const folder = makeRepository();
  folder.write("daemon.config.ts", "export default { timing: { mirrorEveryMs: 1000 } };\n");
  git(folder.root, "add", ".");
  const client = await (await startDaemon(folder.root)).connect();
  const append = (text: string) => client.request("edit.append", { path: "notes.md", text, ack: "durable" });
  const words = Array.from({ length: 20 }, (_, i) => `word ${i}\n`);
  await append(words[0]!);
  await until("the first edit is in the file", () => folder.read("notes.md").endsWith(words[0]!));
  for (const word of words.slice(1)) await append(word);
  rmSync(folder.at(".spliced"), { recursive: true });
  await expect(append("late\n")).rejects.toThrow("the state folder is gone");
  await until("all edits are in the file", () => folder.read("notes.md") === `one\n${words.join("")}`);
});

test("[LV70] a lane has no link to a git worktree of the workspace", async () => {
  const around = makeFolder();
  git(around.root, "init", "-q", "notes");
  const folder = folderAt(around.at("notes"));
  folder.write("notes.md", "one\n");
  folder.write(".gitignore", "out\n");
  folder.write("out/made.txt", "made\n");
  git(folder.root, "add", ".");
  git(folder.root, "commit", "-qm", "one");
  git(folder.root, "worktree", "add", "-q", WORKTREE);
  const client = await (await serveFolder(folder.root)).connect();
  const { folder: lane } = await client.request("lane.add", { name: "ada" });
  expect(lstatSync(join(lane, "out")).isSymbolicLink()).toBe(true);
  expect(existsSync(join(lane, ".claude/worktrees"))).toBe(true);
  expect(existsSync(join(lane, WORKTREE))).toBe(false);
});
