import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../src/client/index.ts";
import { type DaemonFile, daemonFileText } from "../../src/state/daemon-file.ts";
import { folderId, openState } from "../../src/state/folder.ts";
import { makeKey } from "../../src/state/key.ts";
import { further } from "../helpers/further.ts";
import { isRoot, STRANGER } from "../helpers/hostile.ts";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

/** A server that is no daemon, and its received request lines and token headers. */
const heard: string[] = [];
let url: string;
let innocent: ChildProcess;

beforeAll(async () => {
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url?.split("?")[0]} ${request.headers.authorization ?? "-"}`);
    response.end("proven, surely\n");
  });
  server.on("upgrade", (request, socket) => {
    heard.push(`upgrade ${request.headers.authorization ?? "-"}`);
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  atEnd(() => server.close());
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  innocent = spawn("sleep", ["600"]);
  atEnd(() => innocent.kill("SIGKILL"));
});

const lives = () => innocent.exitCode === null && innocent.signalCode === null;

function daemonFile(state: string): DaemonFile {
  const rpc = `${url.replace("http", "ws")}/rpc`;
  const about = { token: "secret", version: "0.1.0", startedAt: new Date().toISOString() };
  return { pid: innocent.pid!, url, rpc, ...about, folder: folderId(state), began: "1" };
}

/** A checkout with a daemon.json: it has the folder's own number, which no author could know, and no seal. */
function planted(files: Readonly<Record<string, string>>): Folder {
  const folder = makeFolder({ ...files, ".spliced/daemon.json": "" });
  folder.write(".spliced/daemon.json", JSON.stringify(daemonFile(folder.at(".spliced"))));
  return folder;
}

describe("a planted daemon.json", () => {
  const COMMANDS = [["status"], ["ls"], ["stop"], ["open", "--print"], ["resume"]];
  for (const command of COMMANDS)
    test(`[SF5, SF7, SF22] is trusted by no command: ${command.join(" ")} sends nothing to it, signals no process and reports it`, async () => {
      const { root } = planted({});
      const before = heard.length;
      const ran = await cli(root, command);
      expect(ran).toMatchObject({
        code: 3,
        err: expect.stringContaining("is not trusted, because your key"),
      });
      expect([heard.slice(before), lives()]).toEqual([[], true]);
    });

  further("[SF5] is replaced by the daemon that starts there", async () => {
    const { root } = planted({ "notes.md": "one\n" });
    const daemon = await startDaemon(root);
    expect((await cli(root, ["ls"])).out).toContain("notes.md");
    expect((await cli(root, ["stop"])).code).toBe(0);
    await daemon.ended;
  });
});

describe("the daemon.json of a daemon that is gone, with somebody else at its address", () => {
  /** Returns a folder whose killed daemon left its file; another process and another server have its numbers now. */
  function left(): string {
    const { root } = makeFolder();
    const state = openState(root);
    writeFileSync(`${state}/daemon.json`, daemonFileText(makeKey(), daemonFile(state)), { mode: 0o600 });
    return root;
  }

  test("[SF6] commands and the client challenge what is there, and send it no token", async () => {
    const root = left();
    heard.length = 0;
    const ran = await cli(root, ["status"]);
    expect(ran).toMatchObject({ code: 3, err: expect.stringContaining("does not prove to be the daemon") });
    await expect(connect({ folder: root, name: "reader", reconnect: false })).rejects.toThrow(
      /does not prove/,
    );
    expect(heard).toEqual(["GET /prove -", "GET /prove -"]);
  });

  test("[SF7] stop signals no process that may be another, and says so", async () => {
    const ran = await cli(left(), ["stop"]);
    expect(ran).toMatchObject({
      code: 1,
      err: expect.stringMatching(/does not prove.*no process was signalled/s),
    });
    expect(lives()).toBe(true);
  });
});

test("[SF6] the owner's token goes to the daemon's own address only", async () => {
  const { root } = makeFolder();
  await serveFolder(root);
  heard.length = 0;
  const rpc = `${url.replace("http", "ws")}/rpc`;
  await expect(connect({ folder: root, rpc, name: "reader", reconnect: false })).rejects.toThrow(
    /name a token/,
  );
  expect(heard).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "[SF7] stop ends a daemon that no longer answers, if it is the process that began when the daemon did",
  async () => {
    const { root } = makeFolder();
    const daemon = await startDaemon(root);
    daemon.signal("SIGSTOP");
    const stopped = cli(root, ["stop"]);
    const status = () => readFileSync(`/proc/${daemon.pid}/status`, "utf8");
    await until("it is signalled", () => !/^ShdPnd:\s0+$/m.test(status()));
    daemon.signal("SIGCONT");
    expect(await stopped).toMatchObject({ code: 0 });
    await daemon.ended;
  },
);

test.runIf(isRoot)(
  "[SF15] a state folder of another user in a folder above is not used, and is told of",
  async () => {
    const { root, at } = makeFolder();
    mkdirSync(at("mine/deep"), { recursive: true });
    mkdirSync(at(".spliced"));
    chownSync(at(".spliced"), STRANGER, STRANGER);
    for (const command of [["status"], ["ls"], ["token", "list"], ["mcp"]])
      expect(await cli(at("mine/deep"), command)).toMatchObject({
        code: 1,
        err: expect.stringContaining(`spliced does not use ${root}/.spliced: it belongs to user ${STRANGER}`),
      });
  },
);

test.runIf(isRoot)(
  "[TM42] a state folder of another user in a folder above keeps no folder from being served",
  async () => {
    const { root, at } = makeFolder();
    mkdirSync(at("mine"));
    mkdirSync(at(".spliced"));
    chownSync(at(".spliced"), STRANGER, STRANGER);
    atEnd(() => cli(at("mine"), ["stop"]));
    expect(await cli(at("mine"), ["start", "--port", "0"])).toMatchObject({
      code: 0,
      err: expect.stringContaining(`spliced does not use ${root}/.spliced`),
    });
    expect(await cli(at("mine"), ["ls"])).toMatchObject({ code: 0 });
  },
);
