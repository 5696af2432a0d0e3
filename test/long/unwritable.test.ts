import { spawnSync } from "node:child_process";
import { chmodSync, chownSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { unable } from "../e2e/able.ts";
import { startDaemon } from "../e2e/daemon.ts";
import { mountOver, noMounts, remount } from "../e2e/faulty-disk.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { until } from "../e2e/until.ts";

/** The user `nobody`. */
const NOBODY = 65534;
const AS_NOBODY = [
  "setpriv",
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  "--clear-groups",
  ...["--inh-caps=-all", "--bounding-set=-all"],
];

/** The reason why no daemon of another user or with limits can be started here; undefined when it can. */
function unprivileged(): string | undefined {
  const [command, ...args] = [...AS_NOBODY, process.execPath, "--version"];
  const { status, error, stderr } = spawnSync(command!, args, { encoding: "utf8" });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

function noLimits(): string | undefined {
  const { status, error } = spawnSync("prlimit", ["--version"]);
  return process.platform === "linux" && status === 0 ? undefined : (error?.message ?? "no prlimit");
}

/** Limits the open files of a process; the system refuses all further ones. */
function limitFiles(pid: number, most: number): void {
  const { status, stderr } = spawnSync("prlimit", ["--pid", `${pid}`, `--nofile=${most}:`], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}

const append = (client: Client, path: string, text: string) =>
  client.request("edit.append", { path, text, ack: "durable" });

async function statusOf(client: Client, path: string) {
  return (await client.request("doc.status", { path })).docs[0];
}

interface Trouble {
  readonly spoil: () => void;
  /** The status in this condition. */
  readonly why: RegExp;
  /** The work that continues meanwhile. */
  readonly meanwhile: () => Promise<void>;
  readonly mend: () => void;
}

/** Edits a file that cannot be written. The daemon stores and reports the edit, and writes it after the repair. */
async function isBlocked(
  client: Client,
  folder: Folder,
  path: string,
  { spoil, why, meanwhile, mend }: Trouble,
): Promise<void> {
  await append(client, path, "two\n");
  await until("it is written", () => folder.read(path) === "one\ntwo\n");
  const told: string[] = [];
  client.on("mirror.blocked", (blocked) => told.push(`blocked ${blocked.path}`));
  client.on("mirror.recovered", (recovered) => told.push(`recovered ${recovered.path}`));
  await client.request("subscribe", { path });
  spoil();
  const before = folder.read(path);
  await append(client, path, "kept\n");
  const status = await until(
    "it says so",
    () => statusOf(client, path),
    (seen) => seen?.syncStatus === "blocked",
  );
  expect(status).toMatchObject({ pendingWrites: 1, problem: expect.stringMatching(why) });
  expect((await client.request("doc.read", { path })).text).toBe(`${before}kept\n`);
  expect(folder.read(path)).toBe(before);
  await meanwhile();
  mend();
  await until("the file holds it", () => folder.read(path) === `${before}kept\n`);
  await until(
    "that is said, too",
    () => told,
    ({ length }) => length === 2,
  );
  expect(told).toEqual([`blocked ${path}`, `recovered ${path}`]);
  expect(await statusOf(client, path)).toMatchObject({ syncStatus: "synced", pendingWrites: 0 });
}

/** Edits another file, which the daemon writes. */
async function goesOn(client: Client, folder: Folder): Promise<void> {
  await append(client, "other.md", "two\n");
  await until("the other one is written", () => folder.read("other.md") === "one\ntwo\n");
}

describe("a file that cannot be written", () => {
  test.skipIf(unable("read-only mounts", noMounts()))(
    "[FA7] on a file system that became read-only is blocked and says why, others go on, and it recovers alone",
    async () => {
      const folder = makeFolder({ "other.md": "one\n" });
      mountOver(folder.at("mounted"));
      folder.write("mounted/a.md", "one\n");
      const client = await (await startDaemon(folder.root)).connect();
      await isBlocked(client, folder, "mounted/a.md", {
        spoil: () => remount(folder.at("mounted"), "ro"),
        why: /EROFS/,
        meanwhile: () => goesOn(client, folder),
        mend: () => remount(folder.at("mounted"), "rw"),
      });
    },
  );

  test.skipIf(unable("a daemon of nobody's", unprivileged()))(
    "[FA7] in a folder that its user may not write to is blocked and says why, others go on, and it recovers alone",
    async () => {
      const folder = makeFolder({ "other.md": "one\n", "theirs/a.md": "one\n" });
      for (const path of ["", "other.md", "theirs", "theirs/a.md"])
        chownSync(folder.at(path), NOBODY, NOBODY);
      const client = await (await startDaemon(folder.root, { through: AS_NOBODY })).connect();
      await isBlocked(client, folder, "theirs/a.md", {
        spoil: () => chmodSync(folder.at("theirs"), 0o555),
        why: /EACCES/,
        meanwhile: () => goesOn(client, folder),
        mend: () => chmodSync(folder.at("theirs"), 0o755),
      });
    },
  );

  test.skipIf(unable("limits of a process", noLimits()))(
    "[FA7] for want of descriptors is blocked and says why, what is in memory is read, and it recovers alone",
    async () => {
      const folder = makeFolder({ "a.md": "one\n", "other.md": "one\n" });
      const daemon = await startDaemon(folder.root);
      const client = await daemon.connect();
      const read = () => client.request("doc.read", { path: "other.md" });
      await read();
      await isBlocked(client, folder, "a.md", {
        spoil: () => limitFiles(daemon.pid, 1),
        why: /EMFILE/,
        meanwhile: async () => expect((await read()).text).toBe("one\n"),
        mend: () => limitFiles(daemon.pid, 1024),
      });
    },
  );
});
