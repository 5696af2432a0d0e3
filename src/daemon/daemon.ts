import { realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { processBegan } from "../client/process.ts";
import type { Lanes } from "../lanes/lanes.ts";
import { systemClock } from "../mirror/clock.ts";
import type { Reached } from "../mirror/step.ts";
import { noteProgram, programState } from "../own-program.ts";
import { packageVersion } from "../package.ts";
import { listedLanes } from "../protocol/handlers/lanes.ts";
import type { Service } from "../protocol/service/service.ts";
import { type DaemonFile, daemonFileIn, daemonFileText, proofOf } from "../state/daemon-file.ts";
import { checkState, checkWorkspace, folderId, openState } from "../state/folder.ts";
import { makeKey } from "../state/key.ts";
import { writeOwn } from "../state/own.ts";
import { setAsideIfUnfit, storesAside } from "../store/lmdb/set-aside.ts";
import { shareHeap } from "../system/process.ts";
import type { Rights } from "../workspace/access/rights.ts";
import { maintain } from "../workspace/folder/maintenance.ts";
import { flush } from "../workspace/folder/unwritten.ts";
import { loadConfig } from "./config/config.ts";
import { openLog } from "./log/log.ts";
import { outerRulesOf, userFile } from "./parts/ignoring.ts";
import { openServer } from "./parts/open-server.ts";
import { openService, resume } from "./parts/open-service.ts";
import { openWorkspace } from "./parts/open-workspace.ts";
import { deleted } from "./process/deleted-folder.ts";
import { readDoor, writeDoor } from "./process/door.ts";
import { lockWorkspace } from "./process/lock.ts";
import { replaced } from "./process/replaced-program.ts";
import { unused } from "./process/rest.ts";
import { collectEarly, spareMemory, thisProcess } from "./process/spare-memory.ts";
import { runInReverse } from "./process/teardown.ts";
import { healthOf } from "./reports/health.ts";
import { storedReport } from "./reports/stored-report.ts";

interface DaemonOptions {
  readonly root: string;
  readonly configFile?: string | undefined;
  readonly port?: number | undefined;
  /** True for a daemon that a client started: it ends after a while without use. */
  readonly rests?: boolean | undefined;
  /** The stream for readable log lines; a daemon in the background has none. */
  readonly terminal?: NodeJS.WriteStream | undefined;
  /** True for a daemon that follows one whose state folder was deleted. */
  readonly beginsAnew?: boolean | undefined;
  /** Called at each step of an edit, for tests. */
  readonly reached?: Reached;
}

/**
 * Why a daemon should end: its folder, or the state in it, is gone; or it is one that a client started, and no client uses
 * it any more, or its program was replaced. The next client starts another.
 */
type End = "deleted" | "state deleted" | "unused" | "replaced";

export interface Daemon {
  readonly root: string;
  readonly info: DaemonFile;
  /** Resolves when the daemon should end. */
  readonly ended: Promise<End>;
  /** Returns an address of the page that signs one browser in as the owner, once, within 15 minutes. */
  invite(): string;
  /** Stops the daemon. Every edit is durable by then, and in its file where the disk allows. */
  close(): Promise<void>;
}

/** Starts a daemon on a folder. @throws LockedError, ConfigError, StateError, or the system's error for the folder or port */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const root = realpathSync(options.root);
  const { reached = () => {} } = options;
  checkWorkspace(root);
  shareHeap(HEAPS);
  collectEarly(true);
  const ownPatterns = userFile(); // git finds it meanwhile
  noteProgram();
  const { config, given, file: configFile } = await loadConfig(root, options.configFile);
  const key = makeKey();
  const state = openState(root);
  checkState(state);
  const unlock = lockWorkspace(root, state);
  // One step for each part, in the order in which the parts are opened. Stopping runs the steps in reverse.
  const teardown: (() => unknown)[] = [unlock];
  let isReady = false;
  try {
    writeOwn(join(state, ".gitignore"), "*\n");
    const opened = await openLog(state, config.log, options.terminal);
    const { log } = opened;
    teardown.push(() => {
      if (isReady) log.info({ event: "daemon.stopped" });
      return opened.close();
    });
    if (options.beginsAnew) log.warn({ event: "state.deleted", reason: "the history begins anew" });
    const unfit = await setAsideIfUnfit(state, new Date());
    if (unfit !== undefined) log.error({ event: "store.set_aside", ...unfit });
    const outer = await outerRulesOf(root, config.ignore, given.ignore && configFile, ownPatterns);
    let lanes: Lanes | undefined;
    const isElsewhere = (path: string) => lanes?.hint(path) ?? false;
    const opening = { root, state, config, outer, log: opened, reached, isElsewhere };
    const { workspace, watcher } = openWorkspace(opening, teardown);
    const { store } = workspace.ports;
    const ending = new AbortController();
    let maintenance: Promise<void> | undefined;
    teardown.push(async () => {
      ending.abort();
      await maintenance;
      if (store.trouble?.kind !== "failed") await flush(workspace, FLUSH_MS);
    });
    const doorFile = join(state, "door.json");
    const door = readDoor(doorFile);
    const { token } = door;
    const logged: Service["log"] = (level, event, details) => log[level]({ event, ...details });
    const asked = { root, state, config, configFile, token, log: logged, reached };
    const { service, keys, machines } = openService(workspace, asked, teardown);
    lanes = service.lanes;
    await resume({ service, machines }, teardown);
    const own = { pid: process.pid, folder: folderId(state), began: processBegan(process.pid) };
    const version = packageVersion();
    const startedAt = new Date().toISOString();
    const isAnyPort = options.port === undefined && given.port === undefined;
    const address = {
      host: config.host,
      port: options.port ?? config.port,
      ...(isAnyPort && door.port !== undefined && { preferred: [door.port] }),
      anyPort: isAnyPort,
      allowedHosts: config.allowedHosts,
    };
    const health = async (asking: Rights | undefined) => {
      const troubles = {
        setAside: storesAside(state),
        watching: watcher.trouble,
        tokens: keys.damage,
        machines: machines.status,
        program: programState(),
      };
      const shown = healthOf(workspace, troubles, { version, startedAt }, asking);
      if (!asking?.allowsEverywhere("admin")) return shown;
      return {
        ...shown,
        ...(await listedLanes(service.lanes)),
        stored: storedReport(state, config, keys),
      };
    };
    const prove = (nonce: string, url: string) => proofOf(key, nonce, { ...own, url });
    const server = await openServer(
      service,
      { state, keys, address, workspace: root, prove, health },
      teardown,
    );
    const info: DaemonFile = {
      ...own,
      url: server.url,
      rpc: server.rpc,
      token,
      version,
      startedAt,
    };
    writeDoor(doorFile, { port: server.port, token });
    const file = daemonFileIn(state);
    writeOwn(file, daemonFileText(key, info));
    teardown.push(() => rmSync(file, { force: true }));
    const chores = [
      { what: "proposals", run: () => service.proposals.expire() },
      { what: "threads", run: () => service.threads.expire() },
      { what: "batches", run: () => service.batches.forget(workspace.limits.keepHistoryMs) },
    ];
    maintenance = maintain(workspace, ending.signal, chores).catch((error: unknown) =>
      log.error({ event: "housekeeping.ended", reason: String(error) }),
    );
    void spareMemory(
      systemClock,
      ending.signal,
      thisProcess(() => workspace.loaded.size),
    );
    log.info({ event: "daemon.ready", root, url: server.url, version });
    isReady = true;
    const restMs = options.rests ? config.restMinutes * MINUTE_MS : 0;
    const { connections } = server;
    const begun = () => service.metrics.begun;
    const used = (listener: () => void) => workspace.listen(listener);
    const gone = (): End => (workspace.ports.files.isRootPresent() ? "state deleted" : "deleted");
    const ends: Promise<End>[] = [deleted(state, systemClock, ending.signal).then(gone)];
    if (restMs > 0) {
      const using = { clock: systemClock, restMs, connections, begun, listen: used };
      ends.push(unused(using, ending.signal).then(() => "unused"));
      ends.push(replaced(systemClock, ending.signal).then(() => "replaced"));
    }
    return {
      root,
      info,
      ended: Promise.race(ends),
      invite: () => server.invite(keys.owner),
      close: () => runInReverse(teardown),
    };
  } catch (error) {
    await runInReverse(teardown);
    throw error;
  }
}

const MINUTE_MS = 60_000;
/** Parts of the C library's heap: with one, threads wait for one another; each more keeps some megabytes. */
const HEAPS = 2;
/** The longest that a stopping daemon waits for files that it cannot write at once; the store has every edit. */
const FLUSH_MS = 5_000;
