import { randomBytes } from "node:crypto";
import { systemClock } from "../../src/mirror/clock.ts";
import { Workspace } from "../../src/workspace/folder/workspace.ts";
import type { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { FakeWatcher } from "../helpers/fake-watcher.ts";
import { InlineWorkers } from "../helpers/inline-workers.ts";
import type { MemoryStore } from "../helpers/memory-store.ts";
import { LIMITS } from "./harness.ts";

/** A workspace on a fake disk and store, which may outlive it; its files can crash. Nothing is watched. */
export function onFakes(
  disk: FakeDisk,
  store: MemoryStore,
  report: (event: string) => void = () => {},
): { readonly workspace: Workspace; readonly files: FakeFiles } {
  const files = new FakeFiles(disk);
  const watcher = new FakeWatcher(
    () => {},
    () => 0,
  );
  const inGit = () => Promise.resolve(false);
  const workers = new InlineWorkers();
  const rest = { random: (size: number) => randomBytes(size), inGit, workers, reached() {} };
  return {
    files,
    workspace: new Workspace({ files, store, watcher, clock: systemClock, report, ...rest }, LIMITS),
  };
}
