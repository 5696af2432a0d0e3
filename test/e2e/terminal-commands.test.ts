import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  symlinkSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { locateDaemon } from "../../src/client/index.ts";
import type { Health } from "../../src/daemon/reports/health.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { atEnd } from "./cleanup.ts";
import { cli, startCli } from "./cli.ts";
import { BIN, HELD_BACK, type ServedFolder, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { inTerminal, openTerminal } from "./terminal.ts";
import { tokenFor } from "./token.ts";
import { until } from "./until.ts";

describe("commands on documents", () => {
  let folder: Folder;
  let daemon: ServedFolder;
  const run = (...args: string[]) => cli(folder.root, args);

  beginShared(async () => {
    folder = makeFolder({ "notes.md": "one", "s.toml": '[a]\nname = "x"\nlist = [1]\n' });
    daemon = await serveFolder(folder.root);
  });

  test("[TM1] new, mv and rm create, move and delete a document", async () => {
    expect(await run("new", "x/a.md", "- first")).toMatchObject({ code: 0 });
    expect(folder.read("x/a.md")).toBe("- first\n");
    expect((await run("new", "x/a.md")).err).toContain("ALREADY_EXISTS: x/a.md: already there\n");
    expect((await cli(folder.root, ["new", "x/b.md", "-"], { input: "b" })).code).toBe(0);
    expect(folder.read("x/b.md")).toBe("b");
    mkdirSync(folder.at("y"));
    expect((await run("mv", "x/a.md", "y")).out).toBe("moved x/a.md → y/a.md\n");
    expect((await run("mv", "y/a.md", "z/c.md")).out).toBe("moved y/a.md → z/c.md\n");
    expect((await run("rm", "z/c.md", "x/b.md")).out).toContain("spliced restore z/c.md");
    expect(existsSync(folder.at("z/c.md")) || existsSync(folder.at("x/b.md"))).toBe(false);
    await run("restore", "z/c.md");
    expect(folder.read("z/c.md")).toBe("- first\n");
    expect((await run("restore", "z/c.md")).err).toContain("Call `spliced restore` with a version");
  });

  test("[TM27] rm that fails at a document tells which ones it deleted before, also with --json", async () => {
    const files = ["gone-1.md", "gone-2.md"] as const;
    for (const file of files) folder.write(file, "one\n");
    const person = await run("rm", files[0], "missing.md", "notes.md");
    expect(person).toMatchObject({ code: 1, out: expect.stringContaining(`deleted ${files[0]} `) });
    expect(person.err).toContain("NOT_FOUND: missing.md");
    const program = await run("--json", "rm", files[1], "missing.md", "notes.md");
    expect(JSON.parse(program.out)).toMatchObject({ deleted: [files[1]], error: { code: "NOT_FOUND" } });
    expect(program).toMatchObject({ code: 1, err: person.err });
    expect(files.map((file) => existsSync(folder.at(file)))).toEqual([false, false]);
    expect(existsSync(folder.at("notes.md"))).toBe(true);
  });

  test("[TM28] open refuses a path that is no document, and makes no address", async () => {
    const missing = await run("open", "--print", "missing.md");
    expect(missing).toMatchObject({ code: 1, out: "" });
    expect(missing.err).toContain("NOT_FOUND: missing.md: no such file\nCall `spliced ls`");
    const refused = await run("--json", "open", ".spliced/daemon.json");
    expect(JSON.parse(refused.out)).toMatchObject({ error: { code: "PERMISSION_DENIED" } });
    expect((await run("open", "--print", "notes.md")).out).toMatch(/#key=.*&to=\/doc\/notes\.md\n$/);
  });

  test("[EE59] a program, too, reads a refusal in terms of the commands", async () => {
    const refused = JSON.parse((await run("--json", "cat", "missing.md")).out);
    expect(refused.error.suggestion).toContain("Call `spliced ls`");
    const files = JSON.stringify({ files: [{ docPath: "missing.md", text: "x" }] });
    const { out } = await cli(folder.root, ["--json", "batch"], { input: files });
    const { errors } = JSON.parse(out);
    expect(errors).toMatchObject([
      { code: "NOT_FOUND", suggestion: expect.stringContaining("Call `spliced ls`") },
    ]);
  });

  test("[EE60] a message of another author stays one line of the history that a program gets", async () => {
    folder.write("told.md", "one\n");
    await run("append", "told.md", "two", "-m", "ok\n2026-01-01 00:00:00  forged\x1b[31m");
    const { out } = await run("history", "told.md");
    expect(out).toContain("ok␊2026-01-01 00:00:00  forged␛[31m\n");
  });

  test("[TM2] append adds whole lines, and a list item is no option", async () => {
    await run("append", "notes.md", "- item", "-m", "- why");
    expect(folder.read("notes.md")).toBe("one\n- item\n");
    await cli(folder.root, ["append", "notes.md"], { input: "a\nb" });
    expect(folder.read("notes.md")).toBe("one\n- item\na\nb\n");
    const nothing = await cli(folder.root, ["append", "notes.md"], { input: "" });
    expect(nothing).toEqual({ code: 2, out: "", err: "error: standard input is empty; nothing was added\n" });
    expect(folder.read("notes.md")).toBe("one\n- item\na\nb\n");
    await run("append", "--exact", "notes.md", "c");
    await run("append", "--exact", "notes.md", "d");
    expect(folder.read("notes.md")).toBe("one\n- item\na\nb\ncd");
    expect((await run("history", "notes.md")).out).toContain("- why");
    await run("replace", "notes.md", "- item", "- thing");
    expect(folder.read("notes.md")).toContain("- thing\n");
  });

  test("[TM32] write does not take empty standard input for a text", async () => {
    folder.write("full.md", "one\n");
    for (const args of [
      ["write", "full.md"],
      ["write", "full.md", "-"],
    ])
      expect(await cli(folder.root, args, { input: "" }), args.join(" ")).toEqual({
        code: 2,
        out: "",
        err: "error: standard input is empty; nothing was changed\nto remove the whole text, run: spliced write full.md /dev/null\n",
      });
    expect(folder.read("full.md")).toBe("one\n");
    expect(await run("write", "full.md", "/dev/null")).toMatchObject({ code: 0 });
    expect(folder.read("full.md")).toBe("");
  });

  test("[TM41] new, write --create, mv, rm and restore take a reason, which the history shows", async () => {
    for (const args of [
      ["new", "reasons.md", "one", "-m", "begun"],
      ["write", "reasons2.md", "reasons.md", "--create", "-m", "copied"],
      ["mv", "reasons.md", "named.md", "-m", "a better name"],
      ["rm", "named.md", "-m", "done with it"],
      ["restore", "named.md", "-m", "needed again"],
    ])
      expect(await run(...args), args.join(" ")).toMatchObject({ code: 0 });
    const { out } = await run("history", "named.md");
    for (const reason of ["begun", "a better name", "done with it", "needed again"])
      expect(out).toContain(reason);
    expect((await run("history", "reasons2.md")).out).toContain("copied");
  });

  test("[TM40] patch, batch and preview take no empty input, and say so", async () => {
    folder.write("empty.txt", "");
    for (const args of [["patch", "notes.md"], ["batch"], ["preview", "replace"]])
      for (const [file, named] of [
        [[], "standard input"],
        [["empty.txt"], "empty.txt"],
      ] as const) {
        const { code, err } = await cli(folder.root, [...args, ...file], { input: "" });
        expect([code, err]).toEqual([2, `error: ${named} is empty; nothing was changed\n`]);
      }
  });

  test("[TM3] a usage error is one line, and JSON with --json", async () => {
    expect(await run("replce")).toEqual({
      code: 2,
      out: "",
      err: "error: unknown command 'replce'; did you mean replace?\n",
    });
    expect((await run("help", "replce")).err).toBe(
      "error: unknown command 'replce'; did you mean replace?\n",
    );
    expect((await run("help", "replace")).out).toContain("Usage: spliced replace");
    expect((await run("cat")).err).toBe("error: missing required argument 'path'; see: spliced cat --help\n");
    expect((await run("set", "s.toml", "a..b", "x")).err).toMatch(
      /^error: 'a\.\.b' is invalid for <key>\. Give /,
    );
    expect((await run("token", "add", "a")).err).toContain("; see: spliced token add --help\n");
    expect((await run("preview", "append", "a", "b")).err).toContain("; see: spliced preview --help\n");
    expect((await run("cat", "a", "--lins", "1")).err).toMatch(/^error: .* did you mean --lines\?\n$/);
    for (const args of [["replce"], ["cat"], ["set", "s.toml", "a..b", "x"], ["restore", "--no"]])
      expect(JSON.parse((await run("--json", ...args)).out), args.join(" ")).toMatchObject({
        error: { code: "USAGE" },
      });
    const elsewhere = await cli(makeFolder().root, ["--json", "ls"]);
    expect(JSON.parse(elsewhere.out)).toMatchObject({ error: { code: "NO_DAEMON" } });
  });

  test("[TM4, TM5] ids may be shortened, and undo prints what it undid", async () => {
    folder.write("short.md", "one\n");
    const made = await run("--json", "--agent", "ada", "append", "short.md", "two", "-m", "the reason");
    const { changeId } = JSON.parse(made.out) as { changeId: string };
    const ambiguous = await run("undo", "chg_");
    expect(ambiguous).toMatchObject({ code: 2, err: expect.stringContaining(changeId) });
    expect(ambiguous.err).toMatch(/^error: chg_ is the beginning of \d+ ids\n/);
    const undone = await run("undo", changeId.slice(4, 14));
    expect(undone.out).toMatch(
      new RegExp(
        `\\n {2}undid \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d {2}${changeId} .*ada.*the reason\\n$`,
      ),
    );
    expect(folder.read("short.md")).toBe("one\n");
    expect((await run("redo")).out).toMatch(new RegExp(`\\n {2}redid .*${changeId} .*ada.*the reason\\n$`));
    const proposed = JSON.parse((await run("--json", "propose", "short.md", "one", "1")).out) as {
      id: string;
    };
    // The only proposal is not named by an empty id.
    expect(await run("reject", "")).toEqual({ code: 2, out: "", err: "error: the id is empty\n" });
    expect((await run("reject", proposed.id.slice(0, 12))).out).toBe(`withdrew ${proposed.id}\n`);
    expect((await run("approve", proposed.id.slice(0, 12))).err).toContain(`${proposed.id} was rejected`);
    const asked = await run("--json", "chat", "short.md", "Is it short?", "--wait", "0");
    const { thread } = JSON.parse(asked.out) as { thread: string };
    expect((await run("threads", "--resolve", thread.slice(0, 12))).out).toBe(`resolved ${thread}\n`);
  });

  test("[TM6] diff reports that the file has all edits, and compares with git", async () => {
    const { root, write } = makeFolder({ "a.md": "one\n" });
    const git = (...args: string[]) => execFileSync("git", args, { cwd: root });
    git("init", "-q");
    await serveFolder(root);
    expect((await cli(root, ["diff", "--git", "a.md"])).err).toContain("no commit of git");
    git("add", "a.md");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
    expect((await cli(root, ["diff", "a.md"])).err).toContain("the file has all edits");
    expect((await cli(root, ["diff", "--git", "a.md"])).err).toContain("as in git's newest commit");
    await cli(root, ["append", "a.md", "two"]);
    expect((await cli(root, ["diff", "--git", "a.md"])).out).toContain("@@ -1,1 +1,2 @@\n one\n+two\n");
    write("new.md", "new\n");
    expect((await cli(root, ["diff", "--git", "new.md"])).out).toContain("--- /dev/null\n");
  });

  test("[TM7] set makes a new field only with --create, and names what is missing", async () => {
    const refused = await run("set", "s.toml", "a.nmae", "y");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("a in s.toml has no field nmae") });
    expect(refused.err).toContain("--create");
    expect((await run("set", "s.toml", "b.c", "y")).err).toContain("s.toml has no field b");
    expect((await run("set", "s.toml", "a.list[2]", "y")).code).toBe(1);
    expect(folder.read("s.toml")).toBe('[a]\nname = "x"\nlist = [1]\n');
    expect((await run("set", "s.toml", "a.list[0]", "2")).code).toBe(0);
    expect((await run("set", "s.toml", "a.nmae", "y", "--create")).code).toBe(0);
    expect(folder.read("s.toml")).toBe('[a]\nname = "x"\nlist = [2]\nnmae = "y"\n');
  });

  test("[TM9] watch prints time, id, author and message, and selects events", async () => {
    folder.write("w.md", "one\n");
    const watches = [["--by", "ada"], ["--kind", "delete,rename"], []].map((args) =>
      startCli(folder.root, ["watch", ...args, "w*.md"]),
    );
    for (const { err } of watches) await until("watch has started", () => err().includes("watching 1 file"));
    await run("--agent", "ada", "append", "w.md", "two", "-m", "reason");
    await run("--agent", "bob", "append", "w.md", "three");
    await run("--agent", "bob", "mv", "w.md", "w2.md");
    await until("all is printed", () => watches.slice(1).every(({ out }) => out().includes("w2.md")));
    const [byAda, moves, all] = watches.map(({ out }) => out());
    expect(byAda).toMatch(/^\d\d:\d\d:\d\d {2}chg_\w+ {2}ada w\.md \+"two\\n" {2}\(reason\)\n$/);
    expect(moves).toMatch(/^\d\d:\d\d:\d\d {2}chg_\w+ {2}doc\.renamed w\.md → w2\.md by bob\n$/);
    // The daemon may notice the new file after the watch began.
    const lines = all!.split("\n").filter((line) => !line.includes("doc.created"));
    expect(lines).toHaveLength(4);
    expect(await run("watch", "--kind", "nothing")).toMatchObject({ code: 2 });
  });

  test("[TM34] an option takes one value, and options that contradict each other are a usage error", async () => {
    for (const [both, named] of [
      [["--first", "--all"], "'--all'"],
      [["--all", "--nth", "2"], "'--nth <n>'"],
      [["--first", "--nth", "2"], "'--nth <n>'"],
    ] as const) {
      const { code, err } = await run("replace", "notes.md", "one", "two", ...both);
      expect([code, err]).toEqual([2, expect.stringContaining(`cannot be used with option ${named}`)]);
    }
    expect((await run("approve", "--file", "notes.md", "prop_unknown")).err).toContain("NOT_FOUND");
  });

  further("[TM34] the refusal of two options, or of an argument and an option, names both", async () => {
    for (const [args, one, other] of [
      [["propose", "notes.md", "--delete", "--rename", "x.md"], "--delete", "--rename"],
      [["propose", "notes.md", "--write", "x", "--append", "y"], "--write", "--append"],
      [["propose", "--files", "x", "--delete"], "--files", "--delete"],
      [["propose", "notes.md", "one", "two", "--delete"], "<old>", "--delete"],
      [["propose", "notes.md", "--files", "x"], "<path>", "--files"],
      [["approve", "prop_1", "--hunks", "1", "--file", "notes.md"], "--hunks", "--file"],
      [["undo", "chg_1", "--by", "ada"], "<change>", "--by"],
      [["undo", "chg_1", "--since", "2h"], "<change>", "--since"],
      [["undo", "--batch", "x", "--in", "notes.md"], "--batch", "--in"],
      [["redo", "chg_1", "--batch", "x"], "<change>", "--batch"],
      [["mcp", "--install", "claude", "--print-config", "http"], "--install", "--print-config"],
      [["chat", "--thread", "x", "--new", "y"], "--new", "--thread"],
      [["write", "made.md", "notes.md", "--create", "--base", "1-x"], "--create", "--base"],
      [["write", "made.md", "notes.md", "--create", "--view", "markdown"], "--create", "--view"],
      [["preview", "replace", "--confirm"], "--confirm", "--apply"],
    ] as const) {
      const { code, err } = await cli(folder.root, args);
      expect([code, err]).toEqual([2, expect.stringContaining(one)]);
      expect(err).toContain(other);
    }
    expect((await run("proposals")).err).toBe("no proposal waits\n");
    expect(existsSync(folder.at("made.md"))).toBe(false);
  });

  test("[TM39] a refused value is named by its argument or option, and never by a parameter", async () => {
    const long = "m".repeat(101);
    for (const [args, said] of [
      [["append", "notes.md", "x", "-m", long], "--message: the text is longer than 80 characters"],
      [["history", "--by", long], "--by: the text is longer than 100 characters"],
      [["ls", "[a"], "<glob>: a [ is never closed"],
      [["watch", "[a"], "<glob>: a [ is never closed"],
      [["search", "(", "--regex"], "<text> is no valid regex: missing closing ): `(`\n"],
      [["replace", "notes.md", "", "x"], "<old>: the text is empty"],
    ] as const) {
      const { code, err } = await cli(folder.root, args, { hangsMs: 5000 });
      expect([code, err]).toEqual([1, expect.stringContaining(`error: INVALID_ARGUMENT: ${said}`)]);
      expect(err).not.toContain("rpc.discover");
    }
    const json = await cli(folder.root, ["preview", "append"], { input: '{"path":"notes.md"}' });
    expect(json.err).toContain('"text" is missing');
  });

  test("[TM37] an empty name, path or id is a usage error, and so is a range whose first line is the last", async () => {
    for (const [args, named] of [
      [["--agent", "", "append", "notes.md", "x"], "--agent <name>"],
      [["--agent", " ", "append", "notes.md", "x"], "--agent <name>"],
      [["watch", "--by", ""], "--by <author>"],
      [["history", "--by", ""], "--by <agent>"],
      [["checkpoint", "create", ""], "<name>"],
      [["approve", "prop_1", "--file", ""], "--file <path>"],
      [["cat", "notes.md", "--lines", "5-2"], "2-5"],
      [["blame", "notes.md", "-l", "5-2"], "2-5"],
    ] as const) {
      const { code, err } = await cli(folder.root, args, { hangsMs: 5000 });
      expect([code, err]).toEqual([2, expect.stringContaining(named)]);
    }
    expect(await run("replace", "notes.md", "one", "")).toMatchObject({ code: 0 });
    expect(await run("undo", "-m", "")).toMatchObject({ code: 0 });
  });

  test("[TM16] prune shows how much it would drop, and drops it with --yes", async () => {
    folder.write("old.md", "");
    // An edit with a reason stays a change of its own, also when the document rests before the count.
    for (const line of ["1", "2", "3"]) await run("append", "old.md", line, "-m", `adds ${line}`);
    const count = async () =>
      JSON.parse((await run("history", "old.md", "--json")).out).changes.length as number;
    const before = await count();
    const asked = await until(
      "the changes are old",
      () => run("prune", "--older", "1s"),
      ({ out }) => /this drops \d+ changes of \d+ documents \(about \d+ kB\)/.test(out),
    );
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining("--yes") });
    expect(await count()).toBe(before);
    await until("old.md rests", async () => {
      await run("prune", "--older", "1s", "--yes");
      return (await count()) === 1;
    });
    expect(folder.read("old.md")).toBe("1\n2\n3\n");
    expect(await run("prune")).toMatchObject({ code: 2 });
  });

  test("[TM17] a renaming and its undo name both paths in the history", async () => {
    await run("new", "old.toml", "a = 1");
    await run("mv", "old.toml", "new.toml");
    const undone = await run("undo", "--in", "new.toml");
    expect(undone).toMatchObject({ code: 0 });
    const { out } = await run("history", "old.toml");
    expect(out).toContain("renamed old.toml → new.toml  undone");
    expect(out).toContain("renamed new.toml → old.toml  undoes");
  });

  test("[TM21] an empty list says so, and names the authors that there are", async () => {
    await run("--agent", "ada", "append", "notes.md", "listed");
    const { code, out, err } = await run("history", "--by", "adda", "notes.md");
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toMatch(/^there is no change of adda; the newest changes are of: .*\bada\b/);
    expect((await run("ls", "none/**")).err).toBe("no document matches none/**\n");
    expect((await run("proposals", "--status", "expired")).err).toBe("no such proposal\n");
  });

  test("[TM24] times are those of this computer's clock", async () => {
    await run("append", "notes.md", "timed");
    const hours = async (TZ: string) => {
      const { out } = await cli(folder.root, ["history", "notes.md", "-n", "1"], { env: { TZ } });
      return new Date(`${out.slice(0, 10)}T${out.slice(11, 19)}Z`).getTime() / 3_600_000;
    };
    expect((await hours("Etc/GMT-9")) - (await hours("UTC"))).toBe(9);
    expect((await run("prune", "--older", "3000d")).out).toMatch(
      / before \d{4}-\d\d-\d\d \d\d:\d\d:\d\d to drop\n$/,
    );
    expect((await run("status")).out).toMatch(/ since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n/);
  });

  test("[TM25] a path that names no document is a usage error, and so is an unknown edit", async () => {
    expect(await run("cat", ".")).toMatchObject({ code: 2, err: expect.stringContaining("spliced ls") });
    expect(await run("new", "x/y/")).toMatchObject({ code: 2, err: expect.stringContaining("a folder") });
    expect(existsSync(folder.at("x/y"))).toBe(false);
    const unknown = await cli(folder.root, ["preview", "frob"], { input: "{}" });
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining("replace, patch, append") });
  });

  test("[TM23] a command whose answer cannot be written names the reason", async () => {
    const onto = (file: string, ...args: string[]) => {
      const out = openSync(file, "w");
      const ran = spawnSync(process.execPath, [BIN, ...args], {
        cwd: folder.root,
        stdio: ["ignore", out, "pipe"],
        encoding: "utf8",
      });
      closeSync(out);
      return ran;
    };
    if (!existsSync("/dev/full")) return console.warn("this system has no /dev/full: [TM23] is not tried");
    expect(onto("/dev/full", "ls")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^error: the answer cannot be written: ENOSPC.*\n$/),
    });
    const early = spawnSync("/bin/sh", ["-c", `"$0" "$1" metrics | head -n 1`, process.execPath, BIN], {
      cwd: folder.root,
      encoding: "utf8",
    });
    expect(early).toMatchObject({ status: 0, stderr: "", stdout: expect.stringMatching(/^up .*\n$/) });
  });

  test("[TM18] a file that cannot be read is named in words", async () => {
    for (const args of [
      ["propose", "x.md", "--create", "none.txt"],
      ["write", "notes.md", "none.txt"],
      ["patch", "notes.md", "none.txt"],
      ["batch", "none.txt"],
    ])
      expect(await run(...args)).toMatchObject({
        code: 2,
        err: expect.stringContaining("cannot read none.txt: there is no such file; nothing was changed"),
      });
    expect((await run("write", "notes.md", ".")).err).toContain("it is a folder");
  });

  test("[TM19] every command uses the token in SPLICED_TOKEN", async () => {
    const token = await tokenFor(folder.root, "narrow", "notes.md=read", "**=none");
    const narrow = (...args: string[]) => cli(folder.root, args, { env: { SPLICED_TOKEN: token } });
    expect((await narrow("ls")).out).toContain("notes.md");
    expect((await narrow("ls")).out).not.toContain("s.toml");
    expect((await narrow("cat", "s.toml")).code).toBe(1);
    expect((await narrow("append", "notes.md", "x")).err).toContain("PERMISSION_DENIED");
    expect((await narrow("lane", "ls")).err).toContain("PERMISSION_DENIED");
    expect((await narrow("resume")).err).toContain("PERMISSION_DENIED");
    expect((await narrow("undo")).code).toBe(1);
    expect(await narrow("status")).toMatchObject({ code: 0, err: "" });
    for (const args of [["ls"], ["open", "--print"]]) {
      const none = await cli(folder.root, args, { env: { SPLICED_TOKEN: "x".repeat(32) } });
      expect(none.err).toContain("the token in SPLICED_TOKEN is not a token of this workspace");
    }
  });

  test("[TM8] status reports documents, disk use and what waits", async () => {
    await run("propose", "notes.md", "one", "1");
    const { out } = await run("status");
    expect(out).toMatch(/Documents in memory: \d+; equal to their files: \d+\./);
    expect(out).toMatch(/\d\.\d MB of the disk are in \.spliced/);
    expect(out).toContain("1 proposal; see: spliced proposals");
    expect((await run("status", "--all")).out).toContain("synced       notes.md");
    const { waiting, diskBytes } = JSON.parse((await run("status", "--json")).out);
    expect(waiting).toEqual({ proposals: 1, previews: 0 });
    expect(diskBytes).toBeGreaterThan(10_000);
    await daemon.stop();
  });
});

describe.concurrent("commands on daemons", () => {
  further("[TM8] status names files that the daemon cannot read", async () => {
    const folder = makeFolder({ "a.md": "x\n", "shut.md": "x\n" });
    chmodSync(folder.at("shut.md"), 0);
    const { located } = await startDaemon(folder.root, HELD_BACK);
    const health = async () => (await (await fetch(`${located.url}/health`)).json()) as Health;
    await until("the folder is covered", health, ({ cover }) => cover.stage === "covered");
    expect((await cli(folder.root, ["status"])).out).toContain("shut.md cannot be read; see: ls -l");
    expect((await health()).cover.unread).toEqual([]);
  });

  test("[TM11] a folder inside a served one is served only with --inside", async () => {
    const folder = makeFolder({ "sub/a.md": "x\n" });
    const { pid } = await serveFolder(folder.root);
    for (const command of ["run", "start"]) {
      const refused = await cli(folder.at("sub"), [command, "--port", "0"]);
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`process ${pid}`) });
      expect(refused.err).toContain("--inside");
    }
    expect(existsSync(folder.at("sub/.spliced"))).toBe(false);
    atEnd(() => cli(folder.at("sub"), ["stop"]));
    expect((await cli(folder.at("sub"), ["start", "--port", "0", "--inside"])).code).toBe(0);
    expect(locateDaemon(folder.at("sub"))?.root).toBe(folder.at("sub"));
  });

  test("[TM61] status says that a folder was moved while its daemon ran, and restart serves it there", async () => {
    const outer = makeFolder({ "before/a.md": "x\n" });
    const daemon = await startDaemon(outer.at("before"));
    await (await daemon.connect()).request("edit.append", { path: "a.md", text: "y\n" });
    renameSync(outer.at("before"), outer.at("after"));
    const moved = await cli(outer.at("after"), ["status"]);
    expect(moved).toMatchObject({
      code: 0,
      out: expect.stringContaining("serve it here with: spliced restart"),
    });
    atEnd(() => cli(outer.at("after"), ["stop"]));
    expect(await cli(outer.at("after"), ["restart", "--port", "0"])).toMatchObject({ code: 0 });
    expect((await cli(outer.at("after"), ["status"])).out).toContain("No open problem.");
    expect((await cli(outer.at("after"), ["history", "a.md"])).out).toContain("+2");
  });

  test("[TM46] status says that the daemon has another version than the command", async () => {
    const folder = makeFolder({ "a.md": "x\n" });
    await serveFolder(folder.root);
    expect((await cli(folder.root, ["status"])).out).toContain("No open problem.");
    const upgraded = makeFolder({ "package.json": '{"name":"spliced","version":"99.1.0","type":"module"}' });
    cpSync(dirname(BIN), upgraded.at("dist/bin"), { recursive: true });
    symlinkSync(resolve(dirname(BIN), "../../node_modules"), upgraded.at("node_modules"));
    const status = [upgraded.at("dist/bin/spliced.js"), "status"];
    const { stdout } = spawnSync(process.execPath, status, { cwd: folder.root, encoding: "utf8" });
    expect(stdout).toMatch(
      /the daemon has version \S+, this command 99\.1\.0; restart it with: spliced restart\n/,
    );
  });

  test("[TM89] a command that lists or removes is also found by its other name", async () => {
    const folder = makeFolder({ "a.md": "x\n" });
    await serveFolder(folder.root);
    const run = (...args: string[]) => cli(folder.root, args);
    await run("token", "add", "bot", "--allow", "**=read");
    expect((await run("token", "ls")).out).toBe((await run("token", "list")).out);
    expect((await run("token", "rm", "bot")).out).toContain("bot");
    expect((await run("lane", "list")).out).toContain("no lanes");
    expect((await run("checkpoint", "ls")).code).toBe(0);
    expect((await run("list")).out).toBe((await run("ls")).out);
    expect((await run("help", "list")).out).toContain("Usage: spliced ls|list");
    expect((await run("lane", "list", "--x")).err).toContain("see: spliced lane list --help");
    expect((await run("remove", "a.md")).out).toContain("deleted a.md");
  });

  test("[TM88] hints and help name npx in a command that came through npx, and programs read none", async () => {
    const folder = makeFolder({ "a.md": "x\n" });
    const env = { npm_command: "exec", npm_lifecycle_script: "'spliced'" };
    const run = (...args: string[]) => cli(folder.root, args, { env });
    expect((await run("ls")).err).toContain("\nstart one here with: npx spliced start\n");
    expect((await run("histroy")).err).toContain("did you mean");
    expect((await run("history", "--nonsense")).err).toContain("see: npx spliced history --help\n");
    expect((await run("chat", "--help")).out).toMatch(
      /^Usage: npx spliced chat(.*\n)*.*\$ npx spliced threads/,
    );
    const program = await run("ls", "--json");
    expect(JSON.parse(program.out)).toMatchObject({
      error: { suggestion: "start one here with: spliced start" },
    });
    const daemon = await serveFolder(folder.root);
    expect((await run("threads")).out).toContain("start one with: npx spliced chat");
    expect((await run("rm", "a.md")).out).toContain("(return it with: npx spliced restore a.md)");
    expect((await run("cat", "a.md")).err).toContain("`npx spliced restore`");
    await daemon.stop();
  });

  test("[TM49] a home folder is served only by its name", async () => {
    const folder = makeFolder({ "a.md": "x\n" });
    const env = { HOME: folder.root };
    for (const command of ["run", "start", "restart"])
      expect(await cli(folder.root, [command, "--port", "0"], { env }), command).toMatchObject({
        code: 2,
        err: `error: no folder was named, so spliced would serve all of ${folder.root}\nname the project's folder: spliced ${command} <folder>\n`,
      });
    expect(existsSync(folder.at(".spliced"))).toBe(false);
    atEnd(() => cli(folder.root, ["stop"], { env }));
    expect(await cli(folder.root, ["start", folder.root, "--port", "0"], { env })).toMatchObject({ code: 0 });
    expect(await cli(folder.root, ["restart", "--port", "0"], { env })).toMatchObject({ code: 0 });
  });

  test.runIf(process.platform === "linux")(
    "[TM85] the root of the file system and a folder of the kernel are never served",
    async () => {
      const folder = makeFolder({ "a.md": "x\n" });
      symlinkSync("/proc/self", folder.at("link"));
      // Without the refusal the missing configuration would keep the daemon from all of these folders.
      const settings = ["--config", folder.at("none.ts")];
      for (const command of ["run", "start", "restart"])
        for (const root of ["/", "/proc", "/sys/kernel", "/dev", folder.at("link")]) {
          const refused = await cli(folder.root, [command, root, ...settings]);
          expect(refused, `${command} ${root}`).toMatchObject({ code: 2, out: "" });
          expect(refused.err).toMatch(/^error: spliced does not serve \/.*: .*\n/);
          expect(refused.err).toContain(`\nname the project's folder: spliced ${command} <folder>\n`);
        }
      expect((await cli("/", ["mcp"])).err).toContain("does not serve /: it is the root");
      expect((await cli(folder.root, ["service", "/"])).err).toContain("does not serve /: it is the root");
      expect((await cli(folder.root, ["doctor", "/proc"])).out).toContain(
        "the files in /proc are the kernel's",
      );
    },
  );

  test("[TM12] restart starts another process at the same address, from a subfolder, too", async () => {
    const folder = makeFolder({ "sub/a.md": "x\n" });
    atEnd(() => cli(folder.root, ["stop"]));
    await cli(folder.root, ["start", "--port", "0"]);
    const before = locateDaemon(folder.root)!;
    expect(await cli(folder.at("sub"), ["restart"])).toMatchObject({ code: 0 });
    const after = locateDaemon(folder.root)!;
    expect([after.url, after.pid === before.pid, after.root]).toEqual([before.url, false, folder.root]);
    await cli(folder.root, ["stop"]);
    expect(await cli(folder.root, ["restart"])).toMatchObject({ code: 0 });
  });

  test("[TM29] restart leaves the daemon as it is if the configuration cannot be used", async () => {
    const folder = makeFolder({ "a.md": "x\n" });
    atEnd(() => cli(folder.root, ["stop"]));
    await cli(folder.root, ["start", "--port", "0"]);
    const before = locateDaemon(folder.root)!;
    folder.write("daemon.config.ts", 'export default { port: "x" };\n');
    const refused = await cli(folder.root, ["restart"]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/daemon\.config\.ts cannot be used:\n {2}port: expected/);
    expect(refused.err).toMatch(/\nthe daemon goes on with the configuration that it had\n$/);
    expect(locateDaemon(folder.root)).toEqual(before);
  });

  test("[TM22] watch names the reason if the daemon goes away", async () => {
    const folder = makeFolder({ "a.md": "x\n" });
    const daemon = await serveFolder(folder.root);
    const { err, ended } = startCli(folder.root, ["watch"]);
    await until("watch has started", () => err().includes("watching 1 file"));
    await daemon.stop();
    expect(await ended).toBe(3);
    expect(err()).toContain("error: the daemon closed the connection");
  });

  test.runIf(inTerminal("node"))("[TM20] Ctrl-C and Ctrl-D answer a question with no", async () => {
    const folder = makeFolder({ "s.json": '{"a": 1}\n' });
    await serveFolder(folder.root);
    for (const key of ["C-c", "C-d"]) {
      const asks = `'${process.execPath}' '${BIN}' set s.json b 2; echo "code $?"; read -r end`;
      const terminal = openTerminal(folder.root, ["sh", "-c", asks]);
      await terminal.shows("[y/N]");
      terminal.press(key);
      const screen = await terminal.shows("code 1");
      expect(screen).toContain("error: s.json has no field b");
      expect(screen).not.toContain("AbortError");
    }
    expect(folder.read("s.json")).toBe('{"a": 1}\n');
  });

  test("[TM13] init writes a configuration that a daemon accepts, and overwrites nothing", async () => {
    const folder = makeFolder({ ".splicedignore": "mine\n" });
    const { out } = await cli(folder.root, ["init"]);
    expect(out).toContain(`created ${folder.at("daemon.config.ts")}\n`);
    expect(out).toContain("is there already");
    expect(folder.read(".splicedignore")).toBe("mine\n");
    // A person removes the slashes before a setting.
    const settings = folder.read("daemon.config.ts").replace(/^( *)\/\/ (?=\w+:)/gm, "$1");
    expect(settings.match(/^ {2}\w+:/gm)).toHaveLength(5);
    folder.write("daemon.config.ts", settings.replace("8000", "0"));
    await serveFolder(folder.root);
    const plain = makeFolder({ "daemon.config.js": "export default {};\n" });
    await cli(plain.root, ["init"]);
    expect(existsSync(plain.at("daemon.config.ts"))).toBe(false);
    expect(plain.read(".splicedignore")).toMatch(/^# /);
  });

  test("[TM14] log prints the newest lines, with a daemon or without, and follows", async () => {
    const folder = makeFolder({ "a.md": "x\n" });
    const daemon = await serveFolder(folder.root);
    // The daemon writes its log while it serves, so a line may be there a moment after its event.
    const ready = /^\d{4}-\d\d-\d\d .* info {3}daemon\.ready {2}root=/m;
    await until("the start is in the log", async () => ready.test((await cli(folder.root, ["log"])).out));
    const following = startCli(folder.root, ["log", "--follow"]);
    await until("the log is printed", () => following.out().includes("daemon.ready"));
    await cli(folder.root, ["append", "a.md", "y"]);
    await until("the request is printed", () => following.out().includes("method=edit.append"));
    following.child.kill("SIGINT");
    expect(await following.ended).toBe(0);
    await daemon.stop();
    const last = await cli(folder.root, ["log", "-n", "1", "--json"]);
    expect(JSON.parse(last.out)).toMatchObject({ event: "daemon.stopped" });
    expect(await cli(makeFolder().root, ["log"])).toMatchObject({ code: 3 });
  });

  test("[TM15] in the foreground, the daemon prints a line for each change and none for requests", async () => {
    const folder = makeFolder({ "a.md": "x\n" });
    const { err, child } = startCli(folder.root, ["run", "--port", "0"]);
    await until("the daemon serves", () => err().includes("daemon.ready"));
    await cli(folder.root, ["--agent", "ada", "append", "a.md", "y"]);
    await cli(folder.root, ["ls"]);
    await until("the change is printed", () => err().includes("changed"));
    expect(err()).toMatch(/INFO: changed {2}path=a\.md {2}author=ada {2}chars="\+2 -0" {2}changeId=chg_/);
    expect(err()).not.toMatch(/request|session/);
    child.kill("SIGTERM");
    await until("the daemon stopped", () => err().includes("daemon.stopped"));
  });
});
