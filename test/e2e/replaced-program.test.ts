import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, renameSync, symlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect, test } from "vitest";
import { connect, locateDaemon } from "../../src/client/index.ts";
import { processLives } from "../../src/client/process.ts";
import { further } from "../helpers/further.ts";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { BIN } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { stdioHost } from "./mcp-client.ts";
import { until } from "./until.ts";

/** Larger than what the daemon computes without a thread. */
const LARGE = "line of a large text\n".repeat(20_000);

/** Installs a copy of the program, as npm does. */
function install(): Folder {
  const installed = makeFolder({ "package.json": '{"name":"spliced","version":"0.1.0","type":"module"}' });
  cpSync(dirname(BIN), installed.at("dist/bin"), { recursive: true });
  symlinkSync(resolve(dirname(BIN), "../../node_modules"), installed.at("node_modules"));
  return installed;
}

test("[LT10] a daemon whose program is removed or replaced says so, and works on when it is back", async () => {
  const [installed, folder] = [install(), makeFolder({ "small.md": "one\n" })];
  const bin = installed.at("dist/bin/spliced.js");
  atEnd(() => cli(folder.root, ["stop"]));
  execFileSync(process.execPath, [bin, "start", "--port", "0"], { cwd: folder.root });
  const client = await connect({ folder: folder.root, name: "agent" });
  atEnd(() => client.close());
  renameSync(installed.at("dist"), installed.at("away"));
  const diff = () => client.request("diff.build", { original: LARGE, updated: `${LARGE}more\n` });
  await expect(diff()).rejects.toMatchObject({
    code: "INTERNAL",
    suggestion: expect.stringContaining("spliced restart"),
  });
  expect((await client.request("doc.read", { path: "small.md" })).text).toBe("one\n");
  expect((await cli(folder.root, ["status"])).out).toContain("program were removed while it runs");
  renameSync(installed.at("away"), installed.at("dist"));
  expect((await diff()).changed).toBe(true);
  appendFileSync(installed.at("dist/bin/daemon.js"), "// another version\n");
  expect((await cli(folder.root, ["status"])).out).toContain("program were replaced while it runs");
});

further("[LT10] a daemon that a client started ends once its program was replaced", async () => {
  const [installed, folder] = [install(), makeFolder({ "a.md": "one\n" })];
  atEnd(() => cli(folder.root, ["stop"]));
  const host = await stdioHost(folder.root, "claude-code", [], {}, installed.at("dist/bin/spliced.js"));
  await host.say("read", { path: "a.md" });
  const { pid } = locateDaemon(folder.root)!;
  appendFileSync(installed.at("dist/bin/daemon.js"), "// another version\n");
  await until("the daemon ended", () => !processLives(pid));
  expect(await host.say("read", { path: "a.md" })).toContain("one");
  expect(locateDaemon(folder.root)?.pid).not.toBe(pid);
});
