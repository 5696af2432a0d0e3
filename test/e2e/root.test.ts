import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { further } from "../helpers/further.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import { until, within } from "./until.ts";

const NAMES = Array.from({ length: 12 }, (_, i) => `${i}.md`);
const FILES = Object.fromEntries(NAMES.map((name) => [`w/${name}`, `${name}\n`]));
/** Short times, and a wait of several grace times and verify scans, after which no document may be deleted. */
const SETTINGS = "export default { timing: { deleteGraceMs: 50, verifyMs: 100 } };\n";
const LONG_ENOUGH_MS = 800;

const mountable =
  spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "pipe" }).status === 0;
if (!mountable) console.warn("no file systems can be mounted here: the test of unmounting is left out");

/** Starts a daemon on `root` with all documents loaded, and records its reports of deletions. */
async function served(root: string, through: readonly string[] = [], seenAt = root) {
  const daemon = await startDaemon(root, { through, seenAt });
  const client = await daemon.connect();
  const deleted: string[] = [];
  client.on("doc.deleted", ({ path }) => deleted.push(path));
  await client.request("subscribe", { pattern: "*.md" });
  return { daemon, client, deleted };
}

async function rootOf({ located }: Daemon): Promise<string> {
  return ((await (await fetch(`${located.url}/health`)).json()) as { root: string }).root;
}

describe("a root that goes", () => {
  further(
    "[EE25] removed with all that is in it: it is said, nobody is told of deletions, and requests are answered",
    async () => {
      const outer = makeFolder({ ...FILES, "w/daemon.config.ts": SETTINGS });
      const { daemon, client, deleted } = await served(outer.at("w"));
      rmSync(outer.at("w"), { recursive: true });
      await until("it is said", async () => (await rootOf(daemon)) === "gone");
      const edit = client.request("edit.append", { path: NAMES[0]!, text: "two\n", ack: "durable" });
      await within(
        "an answer",
        edit.catch(() => undefined),
      );
      await pause(LONG_ENOUGH_MS);
      expect(deleted).toEqual([]);
    },
  );

  further(
    "[EE25] another folder in its place: nothing of it is touched or believed, and the first goes on when it is back",
    async () => {
      const outer = makeFolder({ ...FILES, "w/daemon.config.ts": SETTINGS });
      const { daemon, client, deleted } = await served(outer.at("w"));
      renameSync(outer.at("w"), outer.at("away"));
      mkdirSync(outer.at("w"));
      writeFileSync(outer.at(`w/${NAMES[0]}`), "another\n");
      expect(await rootOf(daemon)).toBe("gone");
      const edit = client.request("edit.append", { path: NAMES[0]!, text: "two\n", ack: "durable" });
      await within(
        "an answer",
        edit.catch(() => undefined),
      );
      await pause(LONG_ENOUGH_MS);
      expect(outer.read(`w/${NAMES[0]}`)).toBe("another\n");
      expect([deleted, existsSync(outer.at("w/.spliced"))]).toEqual([[], false]);
      rmSync(outer.at("w"), { recursive: true });
      renameSync(outer.at("away"), outer.at("w"));
      await client.request("edit.append", { path: NAMES[1]!, text: "three\n" });
      expect(await rootOf(daemon)).toBe("present");
      expect(outer.read(`w/${NAMES[1]}`)).toBe(`${NAMES[1]}\nthree\n`);
    },
  );

  test.runIf(mountable)(
    "[EE25] unmounted, and mounted again: nothing is deleted, and it goes on",
    async () => {
      const outer = makeFolder({ ...FILES, "w/daemon.config.ts": SETTINGS });
      mkdirSync(outer.at("mounted"));
      // Only processes in the daemon's namespace see the mount; others find the daemon by the folder beneath.
      const script = `mount --bind ${outer.at("w")} ${outer.at("mounted")}; cd ${outer.at("mounted")}; exec "$@"`;
      const through = ["unshare", "-m", "sh", "-c", script, "sh"];
      const { daemon, client, deleted } = await served(outer.at("mounted"), through, outer.at("w"));
      const inside = (script: string) =>
        execFileSync("nsenter", ["-t", String(daemon.pid), "-m", "sh", "-c", script], { stdio: "pipe" });
      inside(`umount -l ${outer.at("mounted")}`);
      await until("it is said", async () => (await rootOf(daemon)) === "gone");
      await pause(LONG_ENOUGH_MS);
      expect(deleted).toEqual([]);
      inside(`mount --bind ${outer.at("w")} ${outer.at("mounted")}`);
      await until("it is said", async () => (await rootOf(daemon)) === "present");
      await client.request("edit.append", { path: NAMES[0]!, text: "two\n" });
      expect(outer.read(`w/${NAMES[0]}`)).toBe(`${NAMES[0]}\ntwo\n`);
    },
  );
});
