import { homedir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../mirror/clock.ts";
import { gitAt } from "../../mirror/disk/git.ts";
import { openSandbox } from "../../mirror/disk/sandbox.ts";
import { chokidarWatcher, type Watcher } from "../../mirror/disk/watcher.ts";
import { editorsAt } from "../../mirror/editors/editors.ts";
import type { Reached } from "../../mirror/step.ts";
import { IgnoreRules } from "../../paths/ignore-rules.ts";
import type { OuterRules } from "../../paths/outer-rules.ts";
import { makeOwnFolder } from "../../state/own.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb.ts";
import { sealStore } from "../../store/lmdb/provenance.ts";
import { storeIn } from "../../store/lmdb/set-aside.ts";
import { surveyorOf } from "../../workspace/cover/surveyor.ts";
import { threadSurveyor } from "../../workspace/cover/surveyor-thread.ts";
import { Workspace } from "../../workspace/folder/workspace.ts";
import type { Limits } from "../../workspace/ports.ts";
import { ThreadWorkers } from "../../workspace/workers/workers.ts";
import type { Config } from "../config/define-config.ts";
import { writeChanges } from "../log/change-lines.ts";
import type { DaemonLog } from "../log/log.ts";
import { collectEarly } from "../process/spare-memory.ts";
import { openIgnoring } from "./ignoring.ts";
import { pooledRandom } from "./pooled-random.ts";

const DAY_MS = 86_400_000;

interface WorkspaceOptions {
  readonly root: string;
  /** The folder `.spliced`. */
  readonly state: string;
  readonly config: Config;
  /** The rules for ignored files from outside the folder. */
  readonly outer: OuterRules;
  readonly log: DaemonLog;
  readonly reached: Reached;
  /** Takes the watcher's hints; returns true for a path that is none of the workspace's documents. */
  readonly isElsewhere: (path: string) => boolean;
}

interface OpenWorkspace {
  readonly workspace: Workspace;
  readonly watcher: Watcher;
}

/** Opens the documents of a folder with their store and their watcher. The end of each part becomes a step of `teardown`. */
export function openWorkspace(
  { root, state, config, outer, log: { log, onTerminal }, reached, isElsewhere }: WorkspaceOptions,
  teardown: (() => unknown)[],
): OpenWorkspace {
  const report = (event: string, details: object) => log.warn({ event, ...details });
  const files = openSandbox(root, reached);
  teardown.push(() => files.close());
  const store = openLmdbStore(storeIn(state), reached);
  teardown.push(() => store.close());
  sealStore(storeIn(state));
  const workers = new ThreadWorkers();
  teardown.push(() => workers.close());
  // Until the workspace is closed it looks at files, and only with these rules it knows which of them are documents.
  const ignoring = openIgnoring(root, outer, (file, reason) => report("ignore.unused", { file, reason }));
  teardown.push(() => ignoring.files.close());
  const editors = editorsAt(root, { home: homedir(), env: process.env });
  teardown.push(() => editors.close());
  let endLines: (() => void) | undefined;
  teardown.push(() => endLines?.());
  // The watcher and the workspace need each other. The watcher stops first.
  let opened: Workspace | undefined;
  teardown.push(() => opened?.close());
  const cookies = join(state, "cookies");
  makeOwnFolder(cookies);
  const watcher = chokidarWatcher(
    systemClock,
    (path) => void (isElsewhere(path) || opened?.hint(path)),
    (trouble) => log.warn({ event: trouble ? "watcher.looking" : "watcher.watching", ...trouble }),
    cookies,
  );
  teardown.push(() => watcher.close());
  const here = surveyorOf(files, new IgnoreRules(outer, ignoring.files.read));
  const ports = {
    files,
    ignored: ignoring.rules,
    store,
    clock: systemClock,
    random: pooledRandom(),
    watcher,
    git: gitAt(root),
    editors,
    workers,
    surveyor: threadSurveyor({ root, outer }, here),
    reached,
    report,
    passing: collectEarly,
  };
  opened = new Workspace(ports, limitsOf(config));
  if (onTerminal !== undefined) endLines = writeChanges(opened, (entry) => onTerminal.info(entry));
  return { workspace: opened, watcher };
}

function limitsOf({ limits, timing, staleSaves, keepHistoryDays, cover }: Config): Limits {
  return { ...limits, ...timing, staleSaves, keepHistoryMs: keepHistoryDays * DAY_MS, cover };
}
