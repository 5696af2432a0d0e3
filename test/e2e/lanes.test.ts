import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { ask, makeStage, startAgent } from "./agent-stage.ts";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { type ServedFolder, startDaemon } from "./daemon.ts";
import { type Folder, folderAt, makeFolder } from "./folder.ts";
import { times } from "./long.ts";
import { chosenSeed, seeded } from "./seed.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

/** A workspace in a folder of its own, so that its lanes lie beside it. */
function makeWorkspace(files: Readonly<Record<string, string>>): Folder {
  const around = makeFolder();
  const root = join(around.root, "notes");
  mkdirSync(root);
  const workspace = folderAt(root);
  for (const [path, content] of Object.entries(files)) workspace.write(path, content);
  return workspace;
}

async function addLane(owner: Client, name: string, more: object = {}): Promise<Folder> {
  const { folder } = await owner.request("lane.add", { name, ...more });
  return folderAt(folder);
}

function git(cwd: string, ...args: string[]): string {
  const env = {
    ...process.env,
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b",
  };
  return execFileSync("git", args, { cwd, env, encoding: "utf8" }).trim();
}

describe("lanes of a real daemon", () => {
  let workspace: Folder;
  let daemon: ServedFolder;
  let owner: Client;
  beginShared(async () => {
    workspace = makeWorkspace({
      "a.md": "one\ntwo\nthree\nfour\nfive\n",
      "shared.md": "start\n",
      "sub/b.md": "b\n",
      ".gitignore": "node_modules\n*.log\n",
      "node_modules/x/index.js": "x\n",
      "build.log": "log\n",
      ".env": "SECRET=1\n",
    });
    git(workspace.root, "init", "-q");
    git(workspace.root, "add", "-A");
    git(workspace.root, "commit", "-qm", "first");
    workspace.write("a.md", "one\ntwo\nthree\nfour\nFIVE\n");
    symlinkSync("sub/b.md", workspace.at("link.md"));
    daemon = await serveFolder(workspace.root);
    owner = await daemon.connect({ name: "ada", role: "person" });
  });

  test("[LV1, LV18, LV19] a lane has the files, links to what is ignored, nothing private, and a worktree", async () => {
    const lane = await addLane(owner, "looks");
    expect(lane.root).toBe(join(workspace.root, "../notes.lanes/looks"));
    expect(lane.read("sub/b.md")).toBe("b\n");
    expect(existsSync(lane.at(".env"))).toBe(false);
    expect(readlinkSync(lane.at("node_modules"))).toBe(workspace.at("node_modules"));
    expect(readlinkSync(lane.at("build.log"))).toBe(workspace.at("build.log"));
    expect(readlinkSync(lane.at("link.md"))).toBe("sub/b.md");
    expect(lstatSync(lane.at("sub/b.md")).isFile()).toBe(true);
    expect(git(lane.root, "rev-parse", "HEAD")).toBe(git(workspace.root, "rev-parse", "HEAD"));
    expect(git(lane.root, "diff", "--stat", "a.md")).toContain("1 insertion(+), 1 deletion(-)");
    expect(git(lane.root, "status", "--short", "--", "sub")).toBe("");
    git(lane.root, "commit", "-qam", "in the lane");
    expect(git(workspace.root, "log", "-1", "--format=%s")).toBe("first");
    const refused = await cli(workspace.root, ["lane", "rm", "looks"]);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toMatch(/the commit [0-9a-f]{12} is at the end of no branch/);
    git(lane.root, "checkout", "-q", "-b", "kept");
    expect(await cli(workspace.root, ["lane", "rm", "looks"])).toMatchObject({ code: 0 });
    expect(existsSync(lane.root)).toBe(false);
    expect(workspace.read("node_modules/x/index.js")).toBe("x\n");
    expect(git(workspace.root, "worktree", "list").split("\n")).toHaveLength(1);
    expect(git(workspace.root, "log", "-1", "--format=%s", "kept")).toBe("in the lane");
  });

  test("[LV2, LV3, LV4, HI9] two lanes and a person save one file, nothing is lost, and each change has its author", async () => {
    const [ann, bob] = [await addLane(owner, "ann"), await addLane(owner, "bob")];
    const random = seeded(chosenSeed(31));
    const places = [
      [ann, "ann"],
      [bob, "bob"],
      [workspace, "disk"],
    ] as const;
    const markers: [marker: string, author: string][] = [];
    const writers = places.map(async ([folder, author]) => {
      for (let n = 0; n < 12; n++) {
        const marker = `${author}-${n}`;
        const file = folder.at("shared.md");
        const text = readFileSync(file, "utf8");
        // By rename, as most tools save; sometimes as a shell appends.
        if (random.next() < 0.3) appendFileSync(file, `${marker}\n`);
        else {
          writeFileSync(`${file}.tmp.1.ab`, `${text}${marker}\n`);
          renameSync(`${file}.tmp.1.ab`, file);
        }
        markers.push([marker, author]);
        await pause(30 + random.next() * 120);
      }
    });
    await Promise.all(writers);
    const all = markers.map(([marker]) => marker).sort();
    const sorted = (folder: Folder) => folder.read("shared.md").trim().split("\n").slice(1).sort();
    for (const [folder] of places)
      await until(
        "every line is everywhere",
        () => sorted(folder),
        (lines) => String(lines) === String(all),
      );
    const { text } = await owner.request("doc.read", { path: "shared.md" });
    const { runs } = await owner.request("blame", { path: "shared.md" });
    const { changes } = await owner.history.list({ path: "shared.md", limit: 1000 });
    const authors = (at: number) => {
      const run = runs.find(({ from, to }) => from <= at && at < to);
      // The person's save may lack lines that came between the person's reading and renaming: the daemon returns them.
      const rescue = changes.find(
        (change) => change.changeId === run?.changeId && change.author === "spliced",
      );
      return rescue === undefined ? [run?.author] : rescue.lacked?.authors;
    };
    for (const [marker, writer] of markers)
      expect(authors(text.indexOf(`${marker}\n`)), marker).toContain(writer);
  });

  further("[LV20] commands in a lane act on its workspace, with the same paths", async () => {
    const lane = await addLane(owner, "cmd");
    const sub = lane.at("sub");
    expect((await cli(sub, ["cat", "b.md"])).out).toBe("b\n");
    expect(await cli(sub, ["append", "b.md", "more"])).toMatchObject({ code: 0 });
    await until("the lane has it", () => lane.read("sub/b.md") === "b\nmore\n");
    expect(workspace.read("sub/b.md")).toBe("b\nmore\n");
    const status = JSON.parse((await cli(lane.root, ["status", "--json"])).out);
    expect(status.root).toBe(workspace.root);
  });

  test("[LV20] a planted file makes no folder a lane", async () => {
    const lane = await addLane(owner, "model");
    const planted = makeFolder();
    for (const path of [".spliced/lane.json"]) planted.write(path, readFileSync(lane.at(path), "utf8"));
    const ran = await cli(planted.root, ["ls"]);
    expect(ran.code).toBe(3);
    expect(ran.err).toContain("no daemon serves this folder");
    planted.write(
      ".spliced/lane.json",
      JSON.stringify({ content: { workspace: workspace.root, name: "model" } }),
    );
    expect((await cli(planted.root, ["ls"])).code).toBe(3);
  });

  test("[LV7, LV22, LV29, LV32] what a token does not allow stays in the lane, and is named where people look", async () => {
    await cli(workspace.root, ["token", "add", "reader", "--allow", "**=read"]);
    const lane = await addLane(owner, "reader", { token: "reader" });
    lane.write("sub/b.md", "mine\n");
    const listed = () => cli(workspace.root, ["lane", "ls"]);
    await until("the list names it", async () => /refused +sub\/b\.md/.test((await listed()).out));
    expect(lane.read("sub/b.md")).toBe("mine\n");
    const status = await cli(workspace.root, ["status"]);
    expect(status.out).toMatch(/the lane reader: 1 file waits; see: spliced lane ls/);
    const refused = await cli(workspace.root, ["lane", "rm", "reader", "--json"]);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out).error.details.waiting).toMatchObject([
      { path: "sub/b.md", status: "refused" },
    ]);
    expect(existsSync(lane.at("sub/b.md"))).toBe(true);
    expect(await cli(workspace.root, ["lane", "rm", "reader", "--force"])).toMatchObject({ code: 0 });
    expect(existsSync(lane.root)).toBe(false);
    expect(workspace.read("node_modules/x/index.js")).toBe("x\n");
  });

  further(
    "[LV8] writes of a lane made with --propose wait as one proposal, for the person to approve",
    async () => {
      const made = JSON.parse((await cli(workspace.root, ["lane", "add", "shy", "--propose", "--json"])).out);
      const lane = folderAt(made.folder);
      lane.write("a.md", "ONE\ntwo\nthree\nfour\nFIVE\n");
      lane.write("made.md", "made\n");
      const proposal = await until("it is proposed", async () => {
        const { lanes } = await owner.request("lane.list", {});
        const shy = lanes.find(({ name }) => name === "shy")!;
        const { proposals } = await owner.request("proposal.list", { status: "pending" });
        return proposals.find(({ id, files }) => id === shy.proposal && files?.length === 2)?.id;
      });
      expect(workspace.read("a.md")).toContain("one\n");
      const listed = await cli(workspace.root, ["lane", "ls"]);
      expect(listed.out).toContain(`${proposal} waits; see: spliced proposals\n`);
      expect(await cli(workspace.root, ["approve", proposal!])).toMatchObject({ code: 0 });
      await until("the workspace has the edit", () => workspace.read("a.md").startsWith("ONE\n"));
      await until("the workspace has the new file", () => workspace.read("made.md") === "made\n");
      await until("nothing waits", async () => {
        const { lanes } = await owner.request("lane.list", {});
        return lanes.find(({ name }) => name === "shy")!.waiting.length === 0;
      });
    },
  );

  test("[LV26] a hook in a lane claims nothing, so that a person's save stays the person's", async () => {
    const lane = await addLane(owner, "hooked");
    const call = {
      session_id: "s1",
      tool_use_id: "t1",
      tool_name: "Bash",
      tool_input: { command: "sed -i s/b/B/ *" },
    };
    const input = JSON.stringify({ hook_event_name: "PreToolUse", cwd: lane.root, ...call });
    expect(await cli(lane.root, ["hook", "claude"], { input })).toMatchObject({ code: 0, out: "" });
    workspace.write("sub/mine.md", "mine\n");
    const created = await until("the workspace has it", async () => {
      const { changes } = await owner.history.list({ path: "sub/mine.md" });
      return changes[0];
    });
    expect(created).toMatchObject({ author: "disk" });
    expect(created).not.toHaveProperty("certainty");
  });

  test("[LV21, LV31] refuses folders, names and tokens that cannot be", async () => {
    const full = makeFolder({ "x.md": "x\n" });
    const add = (request: object) => owner.request("lane.add", { name: "bad", ...request } as never);
    await expect(add({ folder: workspace.at("inside") })).rejects.toThrow("it is in the workspace");
    await expect(add({ folder: join(workspace.root, "..") })).rejects.toThrow("the workspace is in it");
    await expect(add({ folder: full.root })).rejects.toThrow("needs an empty folder");
    await expect(add({ folder: "relative" })).rejects.toThrow("not an absolute path");
    await expect(add({ name: "../x" })).rejects.toThrow("cannot be the name of a lane");
    await expect(add({ name: "Disk" })).rejects.toThrow("cannot be the name of a lane");
    await expect(add({ token: "nobody" })).rejects.toThrow('there is no token "nobody"');
    const lane = await addLane(owner, "twice");
    await expect(add({ name: "twice" })).rejects.toThrow("there is a lane twice already");
    await expect(add({ folder: lane.at("nested") })).rejects.toThrow("which is a workspace or a lane");
    expect(full.read("x.md")).toBe("x\n");
    expect(existsSync(workspace.at("inside"))).toBe(false);
  });

  test("[LV28] a file that is no text stays in the lane as it is, and is named", async () => {
    const lane = await addLane(owner, "binary");
    writeFileSync(lane.at("picture.png"), Buffer.from([0x89, 0x50, 0, 1]));
    await until("it is named", async () => {
      const { lanes } = await owner.request("lane.list", {});
      return lanes.find(({ name }) => name === "binary")!.waiting[0]?.status === "blocked";
    });
    expect(existsSync(workspace.at("picture.png"))).toBe(false);
  });
});

further(
  "[LV13] a daemon that is killed again and again loses no write in a lane, and makes none twice",
  async () => {
    const workspace = makeWorkspace({ "a.md": "start\n", "b.md": "start\n" });
    const random = seeded(chosenSeed(31));
    const first = await startDaemon(workspace.root);
    const owner = await first.connect({ role: "person" });
    const lane = await addLane(owner, "ann");
    const written = { "a.md": ["start"], "b.md": ["start"] };
    let ends = false;
    const write = async (path: "a.md" | "b.md", folder: Folder, author: string) => {
      for (let n = 0; !ends; n++) {
        const line = `${author}-${n}`;
        appendFileSync(folder.at(path), `${line}\n`); // as a shell does: nothing in between can be lost by the writer
        written[path].push(line);
        await pause(20 + random.next() * 60);
      }
    };
    const writers = [
      write("a.md", lane, "ann"),
      write("b.md", workspace, "disk"),
      write("b.md", lane, "ann"),
    ];
    let daemon = first;
    for (let kills = 1; kills <= 4; kills++) {
      await pause(200 + random.next() * 500);
      await daemon.kill();
      if (kills < 4) daemon = await startDaemon(workspace.root);
      else await serveFolder(workspace.root);
    }
    ends = true;
    await Promise.all(writers);
    for (const path of ["a.md", "b.md"] as const)
      for (const folder of [lane, workspace])
        await until(
          `${path} has every line once`,
          () => folder.read(path).trim().split("\n").sort(),
          (lines) => String(lines) === String([...written[path]].sort()),
        );
  },
);

test("[LV18] the setting `lanes` names what a lane gets as copies, and what it does not get", async () => {
  const workspace = makeWorkspace({
    ".gitignore": "dist\n*.log\nnode_modules\n",
    "dist/out.js": "out\n",
    "x.log": "log\n",
    "node_modules/m.js": "m\n",
    "daemon.config.ts": 'export default { lanes: { copy: ["dist"], skip: ["*.log"] } };\n',
  });
  const daemon = await serveFolder(workspace.root);
  const lane = await addLane(await daemon.connect({ role: "person" }), "own");
  lane.write("dist/out.js", "mine\n");
  expect(workspace.read("dist/out.js")).toBe("out\n");
  expect(existsSync(lane.at("x.log"))).toBe(false);
  expect(readlinkSync(lane.at("node_modules"))).toBe(workspace.at("node_modules"));
});

test("[LV25] an agent with --lane works in a lane of its name, and its answer lists what it wrote there", async () => {
  const stage = await makeStage({ "notes.md": "one\ntwo\n", "saved.md": "one\n" });
  const scripted = ["--", process.execPath, resolve(import.meta.dirname, "scripted-acp-agent.js")];
  await startAgent(stage.root, ["--lane", ...scripted]);
  atEnd(() => rmSync(`${stage.root}.lanes`, { recursive: true, force: true }));
  const { lanes } = await (await stage.daemon.connect({ role: "person" })).request("lane.list", {});
  expect(lanes).toMatchObject([{ name: "bot", folder: `${stage.root}.lanes/bot`, agent: "owner/bot" }]);
  const { thread, messageId, answer } = await ask(stage.person, "save saved.md saved");
  expect(answer).toMatchObject({ text: "Saved." });
  await until("the workspace has it", () => stage.text("saved.md") === "saved\n");
  const { changes } = await stage.person.history.list({ path: "saved.md" });
  expect(changes[0]).toMatchObject({ author: "bot" });
  expect(changes[0]).not.toHaveProperty("certainty");
  const { messages } = await stage.person.thread.get({ thread });
  expect(messages.find(({ id }) => id === messageId)!.changes).toEqual([changes[0]!.changeId]);
});

test("[LV23] a lane that was being made when the daemon was killed is gone after the next start", async () => {
  const workspace = makeWorkspace(
    Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`d${i % 9}/${i}.md`, `${i}\n`])),
  );
  const first = await startDaemon(workspace.root);
  const owner = await first.connect({ role: "person" });
  owner.request("lane.add", { name: "half" }).catch(() => undefined);
  const folder = join(workspace.root, "../notes.lanes/half");
  await until("some files are there", () => existsSync(join(folder, "d1/1.md")), Boolean, 15_000, 1);
  await first.kill();
  expect(existsSync(join(folder, "d8/2996.md"))).toBe(false);
  const again = await serveFolder(workspace.root);
  const { lanes } = await (await again.connect({ role: "person" })).request("lane.list", {});
  expect(lanes).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

test("[TM38] lane rm in a copied workspace says that the lane's folder stays", async () => {
  const workspace = makeWorkspace({ "a.md": "one\n" });
  const first = await serveFolder(workspace.root);
  const owner = await first.connect();
  const { root: lane } = await addLane(owner, "ada");
  await first.stop();
  const copy = folderAt(`${workspace.root}-copy`);
  cpSync(workspace.root, copy.root, { recursive: true, verbatimSymlinks: true });
  expect(await cli(copy.root, ["adopt"])).toMatchObject({ code: 0 });
  const second = await serveFolder(copy.root);
  expect(await cli(copy.root, ["lane", "rm", "ada"])).toEqual({
    code: 0,
    out: `removed lane ada; the folder stays, since it is not this workspace's: ${lane}\n`,
    err: "",
  });
  expect(existsSync(join(lane, "a.md"))).toBe(true);
  await second.stop();
});

further("[LV34] the next start finishes the removal of a lane in which the daemon was killed", async () => {
  const names = Array.from({ length: times(1000, 3000) }, (_, i) => `d${i % 9}/${i}.md`);
  const workspace = makeWorkspace(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
  for (const first of ["d0/0.md", "d4/706.md", "d8/17.md"]) {
    const killed = await startDaemon(workspace.root);
    const owner = await killed.connect({ role: "person" });
    const lane = await addLane(owner, "half");
    owner.request("lane.remove", { name: "half" }).catch(() => undefined);
    await until("some files are gone", () => !existsSync(lane.at(first)), Boolean, 15_000, 1);
    await killed.kill();
    const next = await serveFolder(workspace.root);
    const { lanes } = await (await next.connect({ role: "person" })).request("lane.list", {});
    expect(lanes).toEqual([]);
    expect(existsSync(lane.root)).toBe(false);
    expect(names.filter((name) => workspace.read(name) !== `${name}\n`)).toEqual([]);
    await next.stop();
  }
});

further(
  "[LV15] the workspace keeps everything when the folder of a lane is removed, and the lane says so",
  async () => {
    const workspace = makeWorkspace({ "a.md": "a\n", "b.md": "b\n" });
    const daemon = await serveFolder(workspace.root);
    const owner = await daemon.connect({ role: "person" });
    const lane = await addLane(owner, "gone");
    rmSync(lane.root, { recursive: true, force: true });
    atEnd(() => rmSync(lane.root, { recursive: true, force: true }));
    await until("it is said", async () => {
      const { lanes } = await owner.request("lane.list", {});
      return lanes[0]!.problem === "its folder is missing";
    });
    await pause(1500);
    expect([workspace.read("a.md"), workspace.read("b.md")]).toEqual(["a\n", "b\n"]);
    await owner.request("lane.remove", { name: "gone", force: true });
    expect((await owner.request("lane.list", {})).lanes).toEqual([]);
  },
);
