import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { chokidarWatcher } from "../../src/mirror/disk/watcher.ts";
import { FakeWatcher } from "../helpers/fake-watcher.ts";
import { watcherContract } from "./watcher.ts";

watcherContract("the system", async (onHint) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "spliced-watch-")));
  for (const folder of ["folder/deep", "other", "notes~", ".a.swp", "aside", "cookies"])
    mkdirSync(join(root, folder), { recursive: true });
  const path = (name: string) => join(root, name);
  const watcher = chokidarWatcher(
    systemClock,
    onHint,
    (trouble) => {
      throw new Error(`not watched: ${trouble?.reason}`);
    },
    path("cookies"),
  );
  onTestFinished(async () => {
    await watcher.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    watcher,
    path,
    save(name, text) {
      writeFileSync(path("aside/new"), text);
      renameSync(path("aside/new"), path(name));
    },
    write: (name, text) => writeFileSync(path(name), text),
    remove: (name) => rmSync(path(name)),
    makeAgain(folder, name) {
      rmSync(path(folder), { recursive: true, force: true });
      mkdirSync(path(folder));
      writeFileSync(path(`${folder}/${name}`), "");
    },
    moveAway: (folder) => renameSync(path(folder), path("aside/was-there")),
    until: (so) =>
      vi.waitFor(() => {
        if (!so()) throw new Error("not yet");
      }, 10_000),
  };
});

watcherContract("the fake", async (onHint) => {
  const watcher = new FakeWatcher(onHint);
  const path = (name: string) => `/watched/${name}`;
  const changed = (name: string) => watcher.changed(path(name));
  return {
    watcher,
    path,
    save: changed,
    write: changed,
    remove: changed,
    makeAgain: (folder, name) => changed(`${folder}/${name}`),
    moveAway() {},
    async until(so) {
      so();
      while (watcher.waiting > 0) watcher.deliver();
      if (!so()) throw new Error("was not hinted at");
    },
  };
});

describe("the fake as a watcher", () => {
  test("[WA4] drops, doubles and delays hints as it is told to", () => {
    const hints: string[] = [];
    const copies: Record<string, number> = { "/f/dropped": 0, "/f/once": 1, "/f/twice": 2 };
    const watcher = new FakeWatcher(
      (path) => hints.push(path),
      (path) => copies[path] ?? 1,
    );
    watcher.watch("/f");
    for (const path of Object.keys(copies)) watcher.changed(path);
    expect([hints.length, watcher.waiting]).toEqual([0, 3]);
    watcher.deliver(2);
    watcher.deliver();
    watcher.deliver();
    expect(hints).toEqual(["/f/twice", "/f/once", "/f/twice"]);
  });
});

test("[WA5] a folder that is removed and made again before its watch is there is watched all the same", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "spliced-watch-")));
  const hints = new Set<string>();
  const watcher = chokidarWatcher(
    systemClock,
    (path) => hints.add(path),
    () => {},
    root,
  );
  onTestFinished(async () => {
    await watcher.close();
    rmSync(root, { recursive: true, force: true });
  });
  const folders = Array.from({ length: 24 }, (_, i) => join(root, `${i}`));
  for (const [turns, folder] of folders.entries()) {
    mkdirSync(folder);
    watcher.watch(folder);
    for (let turn = 0; turn < turns % 8; turn++) await setImmediate();
    rmSync(folder, { recursive: true });
    // The watch is requested for a missing folder, and the system gives the next folder its inode number.
    for (let turn = 0; turn < turns / 8; turn++) await setImmediate();
    mkdirSync(folder);
  }
  let round = 0;
  await vi.waitFor(() => {
    const name = `${round++}.md`;
    for (const folder of folders) writeFileSync(join(folder, name), "");
    const unheard = folders.filter((folder) => ![...hints].some((path) => path.startsWith(`${folder}/`)));
    if (unheard.length > 0) throw new Error(`not heard of: ${unheard.join(" ")}`);
  }, 10_000);
});
