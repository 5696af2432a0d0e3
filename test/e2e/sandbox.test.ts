import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { daemonFileText, readDaemonFile } from "../../src/state/daemon-file.ts";
import { makeKey } from "../../src/state/key.ts";
import { unable } from "./able.ts";
import { cli } from "./cli.ts";
import { BIN, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";

/** Hides all processes outside, as containers and sandboxes of agents do. */
const OWN_PROCESSES = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc"];
const OWN_NETWORK = ["unshare", "--map-root-user", "--net"];

const { status, stderr } = spawnSync("unshare", [...OWN_PROCESSES.slice(1), "true"], { encoding: "utf8" });
const noSandbox = unable(
  "a daemon outside of a sandbox",
  status === 0 ? undefined : `this system makes no sandbox: ${stderr}`,
);

/** Runs a command of spliced in a sandbox. */
function inside(folder: Folder, sandbox: readonly string[], ...args: readonly string[]) {
  const [program = "", ...words] = [...sandbox, process.execPath, BIN, ...args];
  const ran = spawnSync(program, words, { cwd: folder.root, encoding: "utf8" });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

test.skipIf(noSandbox)(
  "[LK3] no second daemon starts in a sandbox that hides the process of the first",
  async () => {
    const folder = makeFolder({ "notes.md": "one\n" });
    const daemon = await startDaemon(folder.root);
    const refused = inside(folder, [...OWN_PROCESSES, "--net"], "start", "--port", "0");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`process ${daemon.pid} there`) });
    expect(refused.err).toContain("outside of this container or sandbox");
    const client = await daemon.connect();
    await client.request("edit.append", { path: "notes.md", text: "two\n" });
    expect(readFileSync(folder.at("notes.md"), "utf8")).toBe("one\ntwo\n");
  },
);

test.skipIf(noSandbox)(
  "[LK4] commands in a sandbox reach the daemon outside, or say that it runs",
  async () => {
    const folder = makeFolder({ "notes.md": "one\n" });
    const daemon = await startDaemon(folder.root);
    expect(inside(folder, OWN_PROCESSES, "append", "notes.md", "two")).toMatchObject({ code: 0 });
    expect(readFileSync(folder.at("notes.md"), "utf8")).toBe("one\ntwo\n");
    const cut = inside(folder, OWN_NETWORK, "append", "notes.md", "three");
    expect(cut).toMatchObject({ code: 3, err: expect.stringContaining(`its process ${daemon.pid} runs`) });
  },
);

test.skipIf(noSandbox)(
  "[LK5] stop in a sandbox signals no process there that has the number of the daemon outside",
  async () => {
    const folder = makeFolder({ "notes.md": "one\n" });
    const daemon = await startDaemon(folder.root);
    // The sandbox's next process gets the daemon's number.
    const script = `echo ${daemon.pid - 1} > /proc/sys/kernel/ns_last_pid; sleep 300 & "$@"; code=$?; kill $! && exit $code`;
    const shell = ["sh", "-c", script, "sh"];
    const refused = inside(folder, [...OWN_PROCESSES, ...shell], "stop");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`process ${daemon.pid} there`) });
    expect(refused.err).toContain("no process was signalled");
  },
);

test.runIf(process.platform === "linux")(
  "[LK6] a daemon starts although a later process has the number of the killed one",
  async () => {
    const folder = makeFolder({ "notes.md": "one\n" });
    const killed = await startDaemon(folder.root);
    killed.signal("SIGKILL");
    await killed.ended;
    const state = folder.at(".spliced");
    const left = readDaemonFile(state);
    if (left.kind !== "genuine") throw new Error("the killed daemon left no file");
    writeFileSync(join(state, "daemon.json"), daemonFileText(makeKey(), { ...left.info, pid: process.pid }));
    expect(inside(folder, [], "start", "--port", "0")).toMatchObject({ code: 0 });
    expect(inside(folder, [], "stop")).toMatchObject({ code: 0 });
  },
);

test.skipIf(noSandbox)(
  "[LK7] a command in a sandbox without network and the daemon's process says that one may run outside",
  async () => {
    const folder = makeFolder({ "notes.md": "one\n" });
    const { pid } = await startDaemon(folder.root);
    for (const command of [["ls"], ["status"], ["stop"]]) {
      const refused = inside(folder, [...OWN_PROCESSES, "--net"], ...command);
      expect(refused).toMatchObject({ code: 3, err: expect.stringContaining(`process ${pid} there`) });
    }
  },
);

test("[LK7] a command with another key, as in a container with another home folder, says how to share it", async () => {
  const folder = makeFolder({ "notes.md": "one\n" });
  await startDaemon(folder.root);
  const refused = await cli(folder.root, ["ls"], { env: { XDG_STATE_HOME: makeFolder().root } });
  expect(refused).toMatchObject({ code: 3, err: expect.stringContaining("give the container its key") });
});
