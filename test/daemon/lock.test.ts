import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { processBegan } from "../../src/client/process.ts";
import { LockedError, lockWorkspace } from "../../src/daemon/process/lock.ts";
import { folderId } from "../../src/state/folder.ts";

function state(): string {
  const folder = mkdtempSync(join(tmpdir(), "spliced-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The number of a process that has ended. */
const dead = spawnSync("true").pid;

describe("the lock", () => {
  test("[LK1] one process holds it, and another can take it after the release", () => {
    const folder = state();
    const unlock = lockWorkspace("/ws", folder);
    expect(() => lockWorkspace("/ws", folder)).toThrow(LockedError);
    expect(() => lockWorkspace("/ws", folder)).toThrow(`process ${process.pid}`);
    unlock();
    lockWorkspace("/ws", folder)();
    expect(existsSync(join(folder, "daemon.lock"))).toBe(false);
  });

  test("[LK2] a lock in a copy of a workspace is replaced; the original's lock stays valid", () => {
    const [folder, copy] = [state(), state()];
    const unlock = lockWorkspace("/ws", folder);
    cpSync(folder, copy, { recursive: true });
    lockWorkspace("/copy", copy)();
    expect(() => lockWorkspace("/ws", folder)).toThrow(LockedError);
    unlock();
  });

  test("[LK1] a lock that another process holds and has not written yet is that process's", () => {
    const folder = state();
    const unlock = lockWorkspace("/ws", folder);
    const file = join(folder, "daemon.lock");
    const written = readFileSync(file, "utf8");
    writeFileSync(file, "");
    const writer = spawn("sh", ["-c", `sleep 0.1; printf %s '${written}' > '${file}'`]);
    onTestFinished(() => void writer.kill());
    expect(() => lockWorkspace("/ws", folder)).toThrow(`process ${process.pid}`);
    unlock();
  });

  test("[LK3] a lock holds although its process cannot be seen, as from another container", () => {
    const folder = state();
    const unlock = lockWorkspace("/ws", folder);
    const file = join(folder, "daemon.lock");
    const held = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...held, pid: dead }));
    expect(() => lockWorkspace("/ws", folder)).toThrow("outside of this container or sandbox");
    unlock();
  });

  test("[LK3] a lock of the system's ends with its process, and one of an earlier version counts while that lives", () => {
    const folder = state();
    const file = join(folder, "daemon.lock");
    const holder = spawnSync("flock", [file, "true"]);
    expect(holder.status).toBe(0);
    lockWorkspace("/ws", folder)();
    const earlier = { pid: process.ppid, began: processBegan(process.ppid), folder: folderId(folder) };
    writeFileSync(file, JSON.stringify(earlier));
    expect(() => lockWorkspace("/ws", folder)).toThrow(`process ${process.ppid}`);
  });

  const stale: [name: string, content: string][] = [
    ["of a process that is gone", JSON.stringify({ pid: dead, began: "1" })],
    ["of an earlier process with this number", JSON.stringify({ pid: process.pid, began: "1" })],
    ["half written", '{"pid":'],
    ["empty", ""],
  ];
  for (const [name, content] of stale)
    test(`[LK2] ${name} is taken over`, () => {
      const folder = state();
      writeFileSync(join(folder, "daemon.lock"), content);
      lockWorkspace("/ws", folder)();
    });
});
