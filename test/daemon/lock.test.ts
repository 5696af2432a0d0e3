import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { LockedError, lockWorkspace } from "../../src/daemon/lock.ts";

function state(): string {
  const folder = mkdtempSync(join(tmpdir(), "spliced-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

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

  test("[LK2] a take-over with a time in the future, which an archive can contain, does not count", () => {
    const folder = state();
    writeFileSync(join(folder, "daemon.lock"), "{}");
    const taking = join(folder, "daemon.lock.taking");
    writeFileSync(taking, "1");
    const future = Date.now() / 1000 + 1_000_000;
    utimesSync(taking, future, future);
    lockWorkspace("/ws", folder)();
    expect(existsSync(taking)).toBe(false);
  });

  test("[LK1] a lock that another process has created and not yet written is that process's", () => {
    const folder = state();
    const unlock = lockWorkspace("/ws", folder);
    const file = join(folder, "daemon.lock");
    const written = readFileSync(file, "utf8");
    writeFileSync(file, "");
    const writer = spawn("sh", ["-c", `sleep 0.2; printf %s '${written}' > '${file}'`]);
    onTestFinished(() => void writer.kill());
    expect(() => lockWorkspace("/ws", folder)).toThrow(`process ${process.pid}`);
    unlock();
  });

  test("[LK2] an empty lock is taken over after a while", () => {
    const folder = state();
    const file = join(folder, "daemon.lock");
    writeFileSync(file, "");
    const past = Date.now() / 1000 - 60;
    utimesSync(file, past, past);
    lockWorkspace("/ws", folder)();
    expect(existsSync(file)).toBe(false);
  });

  const dead = spawnSync("true").pid;
  const stale: [name: string, content: string][] = [
    ["of a process that is gone", JSON.stringify({ pid: dead, began: "1" })],
    ["of an earlier process with this number", JSON.stringify({ pid: process.pid, began: "1" })],
    ["half written", '{"pid":'],
  ];
  for (const [name, content] of stale)
    test(`[LK2] ${name} is taken over`, () => {
      const folder = state();
      writeFileSync(join(folder, "daemon.lock"), content);
      lockWorkspace("/ws", folder)();
    });
});
