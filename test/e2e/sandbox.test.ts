import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { unable } from "./able.ts";
import { BIN, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";

/** Hides all processes outside, as containers and sandboxes of agents do. */
const OWN_PROCESSES = ["--map-root-user", "--pid", "--fork", "--mount-proc"];
const OWN_NETWORK = ["--map-root-user", "--net"];

const { status, stderr } = spawnSync("unshare", [...OWN_PROCESSES, "true"], { encoding: "utf8" });
const noSandbox = unable(
  "a daemon outside of a sandbox",
  status === 0 ? undefined : `this system makes no sandbox: ${stderr}`,
);

/** Runs a command of spliced in a sandbox. */
function inside(folder: Folder, sandbox: readonly string[], ...args: readonly string[]) {
  const words = [...sandbox, process.execPath, BIN, ...args];
  const ran = spawnSync("unshare", words, { cwd: folder.root, encoding: "utf8" });
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
