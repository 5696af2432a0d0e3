import { randomBytes } from "node:crypto";
import { type Clock, systemClock } from "../../src/mirror/clock.ts";
import { IgnoreRules } from "../../src/paths/ignore-rules.ts";
import { NO_RULES } from "../../src/paths/outer-rules.ts";
import { surveyorOf } from "../../src/workspace/cover/surveyor.ts";
import { Workspace } from "../../src/workspace/folder/workspace.ts";
import type { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeEditors } from "../helpers/fake-editors.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { FakeWatcher } from "../helpers/fake-watcher.ts";
import { InlineWorkers } from "../helpers/inline-workers.ts";
import type { MemoryStore } from "../helpers/memory-store.ts";
import { NO_GIT } from "../helpers/no-git.ts";
import { LIMITS } from "./harness.ts";

/** A workspace on a fake disk and store, which may outlive it; its files can crash. The watcher watches no folder. */
export function onFakes(
  disk: FakeDisk,
  store: MemoryStore,
  report: (event: string, details: Readonly<Record<string, unknown>>) => void = () => {},
  clock: Clock = systemClock,
  options: ConstructorParameters<typeof FakeFiles>[1] = {},
): { readonly workspace: Workspace; readonly files: FakeFiles } {
  const files = new FakeFiles(disk, options);
  const watcher = new FakeWatcher(
    () => {},
    () => 0,
  );
  const workers = new InlineWorkers();
  const ignored = new IgnoreRules(NO_RULES, (path) => disk.text(path));
  const surveyor = surveyorOf(files, ignored);
  const rest = {
    ignored,
    surveyor,
    random: (size: number) => randomBytes(size),
    git: NO_GIT,
    editors: new FakeEditors(),
    workers,
    reached() {},
  };
  return {
    files,
    workspace: new Workspace({ files, store, watcher, clock, report, ...rest }, LIMITS),
  };
}
