import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
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
  test("[LK1] is held by one, and free again when it is given back", () => {
    const folder = state();
    const unlock = lockWorkspace("/ws", folder);
    expect(() => lockWorkspace("/ws", folder)).toThrow(LockedError);
    expect(() => lockWorkspace("/ws", folder)).toThrow(`process ${process.pid}`);
    unlock();
    lockWorkspace("/ws", folder)();
    expect(existsSync(join(folder, "daemon.lock"))).toBe(false);
  });

  test("[LK2] one that came with a copy of the workspace is taken over, that of the original stands", () => {
    const [folder, copy] = [state(), state()];
    const unlock = lockWorkspace("/ws", folder);
    cpSync(folder, copy, { recursive: true });
    lockWorkspace("/copy", copy)();
    expect(() => lockWorkspace("/ws", folder)).toThrow(LockedError);
    unlock();
  });

  test("[LK2] a take-over that begins in the future, as an archive can plant it, is nobody's", () => {
    const folder = state();
    writeFileSync(join(folder, "daemon.lock"), "{}");
    const taking = join(folder, "daemon.lock.taking");
    writeFileSync(taking, "1");
    const future = Date.now() / 1000 + 1_000_000;
    utimesSync(taking, future, future);
    lockWorkspace("/ws", folder)();
    expect(existsSync(taking)).toBe(false);
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
