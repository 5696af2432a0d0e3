import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { locateDaemon } from "../../src/client/index.ts";
import type { Health } from "../../src/daemon/reports/health.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { atEnd } from "./cleanup.ts";
import { cli, startCli } from "./cli.ts";
import { BIN, type ServedFolder, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

const NO_TRACE = /\n\s+at .*:\d+:\d+|node:internal|Node\.js v\d/;

/** Runs `spliced start`. The test file stops the daemon if the test does not. */
async function startInBackground(root: string) {
  atEnd(() => cli(root, ["stop"]));
  return cli(root, ["start", "--port", "0", "--json"]);
}

describe("a daemon in the background", () => {
  let folder: Folder;

  let started: Awaited<ReturnType<typeof startInBackground>>;

  beginShared(async () => {
    folder = makeFolder({ "notes.md": "hello Monday\n", "sub/deep.md": "deep\n" });
    started = await startInBackground(folder.root);
    expect(started.code).toBe(0);
  });

  test("[TM43] start prints where the daemon is, and no token", async () => {
    const { pid, rpc, token } = locateDaemon(folder.root)!;
    expect(JSON.parse(started.out)).toMatchObject({ root: folder.root, pid, rpc });
    expect(started.out).not.toContain(token);
  });

  test("[EE1] once start returns, the daemon is ready, and status shows its address", async () => {
    const status = await cli(folder.at("sub"), ["status", "--json"]);
    const printed = JSON.parse(status.out);
    expect(printed).toMatchObject({ root: folder.root, pid: locateDaemon(folder.root)!.pid });
    expect(printed.health).toMatchObject({ status: "ok", root: "present" });
    expect(status.out).not.toContain(locateDaemon(folder.root)!.token);
  });

  test("[EE2] a second daemon is refused, and the first is named", async () => {
    const { pid } = locateDaemon(folder.root)!;
    for (const command of ["start", "run"]) {
      const second = await cli(folder.root, [command, "--port", "0"]);
      expect(second).toMatchObject({ code: 1, err: expect.stringContaining(`process ${pid}`) });
    }
    expect(locateDaemon(folder.root)?.pid).toBe(pid);
  });

  test("[EE3] a copy of a served workspace has no daemon", async () => {
    const copy = makeFolder();
    cpSync(folder.root, copy.root, { recursive: true, filter: (path) => !path.includes("/store") });
    expect(await cli(copy.root, ["status"])).toMatchObject({
      code: 3,
      err: expect.stringMatching(/copy/),
    });
    expect((await cli(folder.root, ["status"])).code).toBe(0);
  });

  test("[EE4] only their owner can read daemon.json and the state folder", () => {
    expect(statSync(folder.at(".spliced/daemon.json")).mode & 0o777).toBe(0o600);
    expect(statSync(folder.at(".spliced")).mode & 0o777).toBe(0o700);
    expect(folder.read(".spliced/.gitignore")).toBe("*\n");
  });

  test("[EE42] stop removes daemon.json and the lock, and a second stop finds no daemon", async () => {
    const { pid } = locateDaemon(folder.root)!;
    expect(await cli(folder.at("sub"), ["stop"])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${pid}`),
    });
    expect(existsSync(folder.at(".spliced/daemon.json"))).toBe(false);
    expect(existsSync(folder.at(".spliced/daemon.lock"))).toBe(false);
    expect(await cli(folder.root, ["stop"])).toMatchObject({ code: 3 });
    expect(await cli(folder.root, ["status"])).toMatchObject({ code: 3 });
  });
});

describe.concurrent("a daemon that ends", () => {
  test("[EE3, EE51] killed: commands find no daemon, and the next daemon takes over", async () => {
    const { root } = makeFolder({ "notes.md": "hello\n" });
    const first = await startDaemon(root);
    await first.kill();
    expect(existsSync(`${root}/.spliced/daemon.json`)).toBe(true);
    expect(await cli(root, ["ls"])).toMatchObject({ code: 3 });
    const second = await serveFolder(root);
    expect((await cli(root, ["cat", "notes.md"])).out).toBe("hello\n");
    await second.stop();
  });

  further("[EE3] of several daemons started at once after a killed one, exactly one serves", async () => {
    const { root } = makeFolder({ "notes.md": "hello\n" });
    await (await startDaemon(root)).kill();
    const started = Array.from({ length: 3 }, () => startCli(root, ["run", "--port", "0"]));
    const codes: (number | null)[] = [];
    for (const { ended } of started) void ended.then((code) => codes.push(code));
    await until("all but one have ended", () => codes.length === 2);
    const serving = started.find(({ child }) => child.exitCode === null)!;
    await until("the last one serves", () => locateDaemon(root)?.pid === serving.child.pid);
    expect(codes).toEqual([1, 1]);
  });

  further("[EE5] by SIGTERM: every file has all edits, also those that no client waited for", async () => {
    const paths = ["a.md", "b.md", "c.md"];
    const large = `${"x".repeat(99)}\n`.repeat(20_000);
    const folder = makeFolder(Object.fromEntries(paths.map((path) => [path, large])));
    const daemon = await startDaemon(folder.root);
    const client = await daemon.connect();
    for (const path of paths) await client.request("doc.open", { path });
    const text = (i: number) => `edit ${i}\n`;
    const edits = Array.from({ length: 10 }, (_, i) => paths.map((path) => ({ path, text: text(i) }))).flat();
    await Promise.all(edits.map((edit) => client.request("edit.append", { ...edit, ack: "durable" })));
    expect(await daemon.stop()).toBe(0);
    for (const path of paths) expect(folder.read(path).match(/^edit \d$/gm)?.length ?? 0, path).toBe(10);
  });

  test("[EE5, EE40] by ctrl-c in the foreground: the same, with exit code 0, and readable log lines", async () => {
    const folder = makeFolder({ "notes.md": "hello Monday\n" });
    const { err, child, ended } = startCli(folder.root, ["run", "--port", "0"]);
    await until("the log says that the daemon serves", () => err().includes("daemon.ready"));
    expect(err()).toMatch(
      /^\[\d\d:\d\d:\d\d\.\d+\] INFO: daemon\.ready {2}root=\S+ {2}url=http:\S+ {2}version=\S+$/m,
    );
    await cli(folder.root, ["replace", "--durable", "notes.md", "Monday", "Tuesday"]);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(err()).toContain("daemon.stopped");
    expect(folder.read("notes.md")).toBe("hello Tuesday\n");
  });
});

describe("commands on documents", () => {
  let folder: Folder;
  let daemon: ServedFolder;
  const run = (...args: string[]) => cli(folder.root, args);

  beginShared(async () => {
    folder = makeFolder({ "notes.md": "one\ntwo\nthree\n", "sub/deep.md": "deep\n", "logo.bin": "\0\u0001" });
    daemon = await serveFolder(folder.root);
  });

  test("[EE6] ls lists matching documents; --json has their kind", async () => {
    expect((await run("ls", "**/*.md")).out).toMatch(/^\s+14 {2}notes\.md.*\n\s+5 {2}sub\/deep\.md\n$/);
    const kinds = JSON.parse((await run("--json", "ls")).out);
    expect(kinds).toContainEqual(expect.objectContaining({ path: "logo.bin", kind: "binary" }));
  });

  test("[EE6] cat prints a document, or some lines of it, exactly", async () => {
    expect(await run("cat", "notes.md")).toEqual({ code: 0, out: "one\ntwo\nthree\n", err: "" });
    expect((await run("cat", "notes.md", "--lines", "2-3")).out).toBe("two\nthree\n");
  });

  further("[EE6] replace, append and write return once the file is changed", async () => {
    expect((await run("replace", "notes.md", "two", "2")).out).toMatch(/^✓ notes\.md: applied: \+1 -3 chars/);
    expect(folder.read("notes.md")).toBe("one\n2\nthree\n");
    await cli(folder.root, ["append", "notes.md"], { input: "four\n" });
    expect(folder.read("notes.md")).toBe("one\n2\nthree\nfour\n");
    await cli(folder.root, ["write", "notes.md"], { input: "one\n2\n3\n" });
    expect(folder.read("notes.md")).toBe("one\n2\n3\n");
    await cli(folder.root, ["write", "--create", "new/made.md"], { input: "made\n" });
    expect(folder.read("new/made.md")).toBe("made\n");
  });

  further("[SD6] set changes one field; a value is JSON, or a string", async () => {
    folder.write("s.toml", "# who\n[a]\nlist = [1]\nname = 'x' # n\n");
    expect((await run("set", "s.toml", "a.name", "1.2.0")).out).toMatch(/^✓ s\.toml: applied/);
    await run("set", "s.toml", "--create", "a.list[1]", "-2");
    await run("set", "s.toml", "--create", "--string", "a.code", "007");
    await run("set", "s.toml", "--create", '["b c", "d"]', "true");
    expect(folder.read("s.toml")).toBe(
      '# who\n[a]\nlist = [1, -2]\nname = \'1.2.0\' # n\ncode = "007"\n\n["b c"]\nd = true\n',
    );
    const refused = await run("set", "s.toml", "a.name.first", "x");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("a.name is a string") });
    expect((await run("set", "s.toml", "a..b", "x")).code).toBe(2);
  });

  test("[MV9] cat --view markdown prints the view, and write takes it back edited", async () => {
    folder.write("p.toml", "gpa = 3.85 # of 4\n");
    const { out } = await run("cat", "p.toml", "--view", "markdown");
    expect(out).toBe("---\nblock: p\n---\n\n## Gpa\n3.85\n");
    await cli(folder.root, ["write", "p.toml", "--view", "markdown"], { input: out.replace("3.85", "3.9") });
    expect(folder.read("p.toml")).toBe("gpa = 3.9 # of 4\n");
  });

  test("[EE8] a command ends quietly when its reader closes the pipe", () => {
    folder.write("long.md", "a line\n".repeat(100_000));
    const piped = `"${process.execPath}" "${BIN}" cat long.md | head -1`;
    const { stdout, stderr } = spawnSync("sh", ["-c", piped], { cwd: folder.root, encoding: "utf8" });
    expect([stdout, stderr]).toEqual(["a line\n", ""]);
  });

  further(
    "[EE6] history lists changes and authors; blame, undo, redo and checkpoints work with them",
    async () => {
      folder.write("told.md", "one\n");
      await run("append", "told.md", "two\n", "-m", "a second line");
      const listed = (await run("history", "told.md", "-p")).out;
      expect(listed).toMatch(/chg_\w+ +told\.md 1-\w+ .*\+4 -0 +a second line\n/);
      expect(listed).toContain("+two");
      expect((await run("blame", "told.md")).out).toMatch(/^disk .* 1 {2}one\n.* 2 {2}two\n$/);
      expect((await run("undo", "--in", "told.md")).out).toMatch(/^✓ told\.md: /);
      expect(folder.read("told.md")).toBe("one\n");
      await run("checkpoint", "create", "one line");
      await run("redo");
      expect(folder.read("told.md")).toBe("one\ntwo\n");
      expect((await run("checkpoint", "restore", "one line")).out).toContain("✓ told.md\n");
      expect(folder.read("told.md")).toBe("one\n");
      expect((await run("checkpoint", "list")).out).toContain("one line");
    },
  );

  further("[EE6] undo undoes a change; restore restores a deleted document", async () => {
    folder.write("undone.md", "one two three\n");
    const { changeId } = JSON.parse((await run("--json", "replace", "undone.md", "one", "1")).out);
    await run("replace", "undone.md", "three", "3");
    expect((await run("undo", changeId)).out).toMatch(/^✓ undone\.md: /);
    expect(folder.read("undone.md")).toBe("one two 3\n");
    rmSync(folder.at("undone.md"));
    await until("it is deleted", async () => (await run("cat", "undone.md")).err.includes("DELETED"));
    expect((await run("restore", "undone.md")).out).toMatch(/^restored undone\.md /);
    expect(folder.read("undone.md")).toBe("one two 3\n");
    expect(await run("restore", "undone.md")).toMatchObject({
      code: 1,
      err: expect.stringContaining("ALREADY_EXISTS"),
    });
  });

  further("[EE38] doctor reports its checks of the folder, and leaves nothing behind", async () => {
    const before = readdirSync(folder.root);
    const { findings } = JSON.parse((await run("--json", "doctor")).out);
    expect(findings).toContainEqual(expect.objectContaining({ what: "replacing files" }));
    expect((await run("doctor")).out).toMatch(/replacing files +(exchange|hard link|rename)\n/);
    expect(readdirSync(folder.root)).toEqual(before);
    expect(await run("doctor", "nowhere")).toMatchObject({ code: 2 });
  });

  test("[EE39, TM48] the daemon waits for many files that went missing at once, until resume", async () => {
    const paths = Array.from({ length: 30 }, (_, i) => `mass/${i}.md`);
    const own = makeFolder(Object.fromEntries(paths.map((path) => [path, `${path}\n`])));
    const served = await serveFolder(own.root);
    const client = await served.connect();
    for (const path of paths) await client.request("doc.open", { path });
    atEnd(() => rmSync(`${own.root}.taken`, { recursive: true, force: true }));
    renameSync(own.at("mass"), `${own.root}.taken`); // all at once, however busy the machine is
    const missing = ({ problems }: Health) => problems.filter(({ kind }) => kind === "missing").length;
    const headers = { authorization: `Bearer ${served.located.token}` };
    const health = async () =>
      (await (await fetch(`${served.located.url}/health`, { headers })).json()) as Health;
    await until("the daemon waits for all of them", health, (seen) => missing(seen) === paths.length);
    const runHere = (...args: string[]) => cli(own.root, args);
    expect(missing(JSON.parse((await runHere("status", "--json")).out).health)).toBe(paths.length);
    const { out } = await runHere("status");
    expect(out.match(/spliced resume/g)).toHaveLength(1);
    expect(out).toMatch(
      /^ {4}30 files, such as mass\/\d+\.md: most files went missing at once; .* since .*$/m,
    );
    expect((await runHere("status", "--all")).out).toContain("mass/7.md");
    expect((await runHere("resume")).out).toBe("deleted: 30 documents\n");
    expect((await runHere("cat", "mass/3.md")).err).toContain("DELETED");
    expect((await runHere("resume")).out).toBe("no files are missing\n");
  });

  test("[PA32, TM36] patch --tolerant lists the places to check, and --confirm applies the patch", async () => {
    folder.write("t.py", "def f():\n\treturn 1\n");
    folder.write("t.diff", "@@ -1,2 +1,2 @@\n def  f():\n-    return 1\n+    return 2\n");
    expect((await run("patch", "t.py", "t.diff")).err).toContain(
      "PATCH_REJECTED (context_mismatch): Hunk 1 ",
    );
    const refused = await run("patch", "t.py", "t.diff", "--tolerant");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("     2  \treturn 1\n") });
    expect(refused.err).toContain("hunk 1, at line 1");
    const confirm = /--confirm (\S+)/.exec(refused.err)![1]!;
    expect(await run("patch", "t.py", "t.diff", "--tolerant", "--confirm", confirm)).toMatchObject({
      code: 0,
    });
    expect(folder.read("t.py")).toBe("def f():\n    return 2\n");
  });

  further("[EE6] patch applies a diff from standard input or a file", async () => {
    folder.write("p.md", "a\nb\nc\n");
    const diff = "--- a/p.md\n+++ b/p.md\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
    expect(await cli(folder.root, ["patch", "p.md"], { input: diff })).toMatchObject({ code: 0 });
    expect(folder.read("p.md")).toBe("a\nB\nc\n");
    folder.write("back.diff", "@@ -2 +2 @@\n-B\n+b\n");
    expect(await run("patch", "p.md", "back.diff")).toMatchObject({ code: 0 });
    expect(folder.read("p.md")).toBe("a\nb\nc\n");
  });

  further("[EE6] diff shows the difference of two versions", async () => {
    folder.write("d.md", "old\n");
    const { version } = JSON.parse((await run("cat", "--json", "d.md")).out);
    await run("replace", "d.md", "old", "new");
    expect((await run("diff", "d.md", "--from", version)).out).toContain("\n-old\n+new\n");
  });

  test("[EE57, EE82] in a subfolder, paths are relative to it", async () => {
    const sub = folder.at("sub");
    expect((await cli(sub, ["cat", "deep.md"])).out).toBe("deep\n");
    expect(await cli(sub, ["append", "../sub/deep.md", "er\n"])).toMatchObject({ code: 0 });
    expect(folder.read("sub/deep.md")).toBe("deep\ner\n");
    for (const outside of ["../../x", "/etc/passwd"])
      expect(await cli(sub, ["cat", outside])).toMatchObject({
        code: 1,
        err: expect.stringContaining(`PATH_ESCAPE: ${outside} is outside the workspace ${folder.root}`),
      });
  });

  test("[EE58] with --json, a refusal is printed as JSON to standard output", async () => {
    folder.write("refused.md", "one\n");
    const { out, code } = await cli(folder.root, ["replace", "refused.md", "two", "three", "--json"]);
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      { error: { code: "NO_MATCH", details: { alreadyApplied: false } } },
    ]);
  });

  further("[EE8] input that is not UTF-8 is refused, and a byte order mark is left out", async () => {
    folder.write("utf8.md", "one\n");
    folder.write("latin1", Buffer.from([0xe9, 0x0a]));
    folder.write("marked", "\ufefftwo\n");
    const refused = await cli(folder.root, ["write", "utf8.md", "latin1"]);
    expect([refused.code, refused.err, folder.read("utf8.md")]).toEqual([
      1,
      expect.stringContaining("NOT_TEXT"),
      "one\n",
    ]);
    expect((await cli(folder.root, ["write", "utf8.md", "marked"])).code).toBe(0);
    expect(folder.read("utf8.md")).toBe("two\n");
  });

  further("[EE6] watch prints renames and proposals for a person", async () => {
    folder.write("told.md", "one\n");
    const watch = startCli(folder.root, ["watch", "told*.md"]);
    await until("watch has started", () => watch.err().includes("watching 1 file"));
    await cli(folder.root, ["propose", "told.md", "one", "two"]);
    await until("watch printed the proposal", () =>
      /proposal.changed told.md prop_\w+ by .*: pending/.test(watch.out()),
    );
    renameSync(folder.at("told.md"), folder.at("told-again.md"));
    await until("watch printed the rename", () =>
      watch.out().includes("doc.renamed told.md → told-again.md"),
    );
    watch.child.kill("SIGINT");
    expect(await watch.ended).toBe(0);
  });

  further("[EE6] watch prints each change as it happens, one JSON object a line", async () => {
    folder.write("w.md", "watched\n");
    const watch = startCli(folder.root, ["watch", "--json", "*.md"]);
    await until("watch has started", async () => {
      await run("append", "w.md", ".");
      return watch.out().includes("doc.changed");
    });
    const events = watch.out().trim().split("\n");
    const first = events.map((line) => JSON.parse(line)).find(({ event }) => event === "doc.changed");
    expect(first).toMatchObject({ event: "doc.changed", path: "w.md", origin: "agent" });
    watch.child.kill("SIGINT");
    expect(await watch.ended).toBe(0);
  });

  test("[EE7] 0 is done, 1 refused, 2 usage, and --help says so", async () => {
    expect(await run("replace", "notes.md", "not there", "x")).toMatchObject({ code: 1, out: "" });
    expect(await run("replace", "notes.md")).toMatchObject({ code: 2 });
    expect(await run("nonsense")).toMatchObject({ code: 2 });
    expect(await run("cat", "notes.md", "--lines", "x")).toMatchObject({ code: 2 });
    expect((await run("--help")).out).toMatch(/exit codes: 0 done, 1 refused, 2 usage, 3 no daemon/i);
  });

  test("[EE43] a refusal says what was expected, what is there and what to do", async () => {
    const { err } = await run("replace", "notes.md", "onee", "x");
    expect(err).toMatch(/NO_MATCH/);
    expect(err).toMatch(/line 1: "one"/);
    expect(err).toMatch(/Read the document again/);
  });

  further("[EE7] a refusal names commands; only call, which sends methods, names methods", async () => {
    const byCommand = await run("cat", "nowhere.md");
    expect(byCommand.err).toContain("`spliced ls`");
    expect(byCommand.err).not.toContain("doc.");
    const byMethod = await run("call", "doc.read", '{"path":"nowhere.md"}');
    expect(byMethod.err).toContain("doc.list");
  });

  test("[EE6] --agent names the author of edits", async () => {
    const other = await daemon.connect({ name: "looker" });
    const authors: string[] = [];
    other.on("doc.changed", ({ author }) => authors.push(author));
    await other.request("subscribe", { path: "notes.md" });
    await run("--agent", "ada", "append", "notes.md", "by ada\n");
    await until("watch printed the change", () => authors.includes("ada"));
  });
});

describe.concurrent("a problem outside the daemon", () => {
  const refused = async (cwd: string, ...args: string[]) => {
    const ran = await cli(cwd, args);
    expect(ran.err).not.toMatch(NO_TRACE);
    expect(ran.err).not.toBe("");
    return ran.code;
  };

  let served: Folder;
  beginShared(async () => {
    served = makeFolder({ "notes.md": "x\n" });
    await serveFolder(served.root);
  });

  test("[EE8] no daemon: one sentence, exit code 3", async () => {
    const { root } = makeFolder({ "notes.md": "x\n" });
    expect(await refused(root, "cat", "notes.md")).toBe(3);
  });

  test("[EE8] a missing patch file: one sentence, exit code 1 or 2", async () => {
    expect(await refused(served.root, "patch", "notes.md", "nowhere.diff")).toBeOneOf([1, 2]);
  });

  further("[EE8] a workspace that is missing, or is a file: exit code 2", async () => {
    const { root } = makeFolder({ "notes.md": "x\n" });
    expect(await refused(root, "run", "nowhere")).toBe(2);
    expect(await refused(root, "start", "notes.md")).toBe(2);
  });

  for (const port of ["abc", "70000", "-1"])
    test(`[EE8] --port ${port} is not a port: exit code 2, and no daemon starts`, async () => {
      const { root } = makeFolder();
      expect(await refused(root, "run", `--port=${port}`)).toBe(2);
      expect(locateDaemon(root)).toBeUndefined();
    });

  for (const command of ["run", "start"])
    test(`[EE8] ${command} --port with a port in use: an error, exit code 1, and the lock is released`, async () => {
      const { root } = makeFolder();
      const port = await takenPort();
      const ran = await cli(root, [command, "--port", String(port)]);
      expect(ran).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          `^error: .*port ${port} of 127\\.0\\.0\\.1 is in use by another program; choose another one, or name none`,
        ),
      });
      expect(ran.err).not.toContain("EADDRINUSE");
      expect(ran.err).not.toMatch(NO_TRACE);
      expect(existsSync(`${root}/.spliced/daemon.lock`)).toBe(false);
    });

  further("[EE8] invalid values are usage errors, exit code 2", async () => {
    expect(await refused(served.root, "replace", "notes.md", "x", "y", "--nth", "zero")).toBe(2);
    expect(await refused(served.root, "replace", "notes.md", "x", "y", "--on-stale", "never")).toBe(2);
  });

  further("[EE8] a daemon.json that is not JSON means no daemon", async () => {
    const { root } = makeFolder({ ".spliced/daemon.json": '{"pid": 12' });
    expect(await refused(root, "ls")).toBe(3);
  });

  further("[EE6] a state folder further up does not make a folder a workspace", async () => {
    mkdirSync(served.at("a/b"), { recursive: true });
    expect((await cli(served.at("a/b"), ["cat", "../../notes.md"])).out).toBe("x\n");
  });
});

async function takenPort(): Promise<number> {
  const server = createServer();
  atEnd(() => server.close());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as { port: number }).port;
}
