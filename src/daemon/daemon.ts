import { realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { processBegan } from "../client/process.ts";
import { ThreadExamination } from "../doc/examination.ts";
import type { Lanes } from "../lanes/lanes.ts";
import { systemClock } from "../mirror/clock.ts";
import { editorsAt } from "../mirror/editors/editors.ts";
import { gitAt } from "../mirror/git.ts";
import { openSandbox } from "../mirror/sandbox.ts";
import type { Reached } from "../mirror/step.ts";
import { chokidarWatcher } from "../mirror/watcher.ts";
import { packageVersion } from "../package.ts";
import { IgnoreRules } from "../paths/ignore-rules.ts";
import { listedLanes } from "../protocol/handlers/lanes.ts";
import { Rooms } from "../protocol/loro/rooms.ts";
import { safeName } from "../protocol/names.ts";
import { type Service, serve } from "../protocol/service.ts";
import { type DaemonFile, daemonFileIn, daemonFileText, proofOf } from "../state/daemon-file.ts";
import { checkState, checkWorkspace, folderId, openState } from "../state/folder.ts";
import { makeKey } from "../state/key.ts";
import { makeOwnFolder, writeOwn } from "../state/own.ts";
import { openLmdbStore } from "../store/lmdb.ts";
import { sealStore } from "../store/provenance.ts";
import { setAsideIfUnfit, storeIn, storesAside } from "../store/set-aside.ts";
import { shareHeap } from "../system/process.ts";
import { listen } from "../transport/server.ts";
import { userName } from "../user-name.ts";
import { surveyorOf } from "../workspace/cover/surveyor.ts";
import { threadSurveyor } from "../workspace/cover/surveyor-thread.ts";
import { maintain } from "../workspace/folder/maintenance.ts";
import { Workspace } from "../workspace/folder/workspace.ts";
import { ThreadWorkers } from "../workspace/workers/workers.ts";
import { openCaptures } from "./captures.ts";
import { writeChanges } from "./change-lines.ts";
import { loadConfig } from "./config.ts";
import { readDoor, writeDoor } from "./door.ts";
import { healthOf } from "./health.ts";
import { openIgnoring, outerRulesOf, userFile } from "./ignoring.ts";
import { lanePorts } from "./lane-ports.ts";
import { agentBounds, protectionIn } from "./limits.ts";
import { lockWorkspace } from "./lock.ts";
import { openLog } from "./log.ts";
import { machinesOnDemand } from "./machines-on-demand.ts";
import { mcpOnDemand } from "./mcp-on-demand.ts";
import { pageFiles } from "./page-files.ts";
import { pooledRandom } from "./pooled-random.ts";
import { unused } from "./rest.ts";
import { openSettings } from "./settings-file.ts";
import { BrowserSignIns } from "./sign-ins.ts";
import { collectEarly, spareMemory, thisProcess } from "./spare-memory.ts";
import { storedReport } from "./stored-report.ts";
import { runInReverse } from "./teardown.ts";
import { Tokens } from "./tokens.ts";

interface DaemonOptions {
  readonly root: string;
  readonly configFile?: string | undefined;
  readonly port?: number | undefined;
  /** True for a daemon that a client started: it ends after a while without use. */
  readonly rests?: boolean | undefined;
  /** The stream for readable log lines; a daemon in the background has none. */
  readonly terminal?: NodeJS.WriteStream | undefined;
  /** Called at each step of an edit, for tests. */
  readonly reached?: Reached;
}

export interface Daemon {
  readonly root: string;
  readonly info: DaemonFile;
  /** Resolves when the daemon should end, because a client started it and no client uses it any more. */
  readonly rested: Promise<void>;
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
    const { log, onTerminal, close: closeLog } = await openLog(state, config.log, options.terminal);
    teardown.push(() => {
      if (isReady) log.info({ event: "daemon.stopped" });
      return closeLog();
    });
    const unfit = await setAsideIfUnfit(state, new Date());
    if (unfit !== undefined) log.error({ event: "store.set_aside", ...unfit });
    const files = openSandbox(root, reached);
    teardown.push(() => files.close());
    const store = openLmdbStore(storeIn(state), reached);
    teardown.push(() => store.close());
    sealStore(storeIn(state));
    const workers = new ThreadWorkers();
    teardown.push(() => workers.close());
    let endLines: (() => void) | undefined;
    teardown.push(() => endLines?.());
    // The watcher and the workspace need each other. The watcher stops first.
    let opened: Workspace | undefined;
    let lanes: Lanes | undefined;
    teardown.push(() => opened?.close());
    const cookies = join(state, "cookies");
    makeOwnFolder(cookies);
    const watcher = chokidarWatcher(
      systemClock,
      (path) => void (lanes?.hint(path) || opened?.hint(path)),
      (trouble) => log.warn({ event: trouble ? "watcher.looking" : "watcher.watching", ...trouble }),
      cookies,
    );
    teardown.push(() => watcher.close());
    const report = (event: string, details: object) => log.warn({ event, ...details });
    const outer = await outerRulesOf(root, config.ignore, given.ignore && configFile, ownPatterns);
    const ignoring = openIgnoring(root, outer, (file, reason) => report("ignore.unused", { file, reason }));
    teardown.push(() => ignoring.files.close());
    const here = surveyorOf(files, new IgnoreRules(outer, ignoring.files.read));
    const editors = editorsAt(root, homedir());
    teardown.push(() => editors.close());
    const limits = {
      ...config.limits,
      ...config.timing,
      staleSaves: config.staleSaves,
      keepHistoryMs: config.keepHistoryDays * DAY_MS,
      cover: config.cover,
    };
    const workspace = new Workspace(
      {
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
      },
      limits,
    );
    opened = workspace;
    if (onTerminal !== undefined) endLines = writeChanges(workspace, (entry) => onTerminal.info(entry));
    const ending = new AbortController();
    let maintenance: Promise<void> | undefined;
    teardown.push(async () => {
      ending.abort();
      await maintenance;
      if (store.trouble?.kind !== "failed") await workspace.flush(FLUSH_MS);
    });
    const version = packageVersion();
    const captures = openCaptures(state, config.capture.hours, report);
    teardown.push(() => captures?.close());
    const machines = machinesOnDemand(workspace, state);
    const doorFile = join(state, "door.json");
    const door = readDoor(doorFile);
    const { token } = door;
    const logged: Service["log"] = (level, event, details) => log[level]({ event, ...details });
    const protection = protectionIn(root, config, configFile);
    const keys = new Tokens(join(state, "tokens.json"), token, logged, protection);
    const service = serve(workspace, {
      machines,
      expireDays: config.proposals.expireDays,
      serverVersion: version,
      maxMessageBytes: config.limits.maxMessageBytes,
      agents: agentBounds(config),
      settings: openSettings(join(state, "settings.json"), config),
      captures,
      promptsInHistory: config.promptsInHistory,
      log: logged,
      lanes: lanePorts(keys, config, reached),
    });
    await Promise.all([service.fileBatches.recover(), service.threads.answers.recover()]);
    lanes = service.lanes;
    teardown.push(() => service.lanes.close());
    service.lanes.start();
    await machines.open();
    teardown.push(() => machines.close());
    teardown.push(() => service.seenMemory.settled());
    teardown.push(() => service.threads.answers.close());
    const startedAt = new Date().toISOString();
    const rooms = new Rooms(
      workspace,
      new ThreadExamination((reason) => log.warn({ event: "loro.examiner_died", reason })),
    );
    teardown.push(() => rooms.close());
    const signIns = new BrowserSignIns(join(state, "sign-ins.json"), keys, service.log);
    const mcp = mcpOnDemand(service, keys);
    const own = { pid: process.pid, folder: folderId(state), began: processBegan(process.pid) };
    const isAnyPort = options.port === undefined && given.port === undefined;
    const server = await listen(service, {
      rooms,
      host: config.host,
      port: options.port ?? config.port,
      ...(isAnyPort && door.port !== undefined && { preferred: [door.port] }),
      anyPort: isAnyPort,
      allowedHosts: config.allowedHosts,
      keys,
      signIns,
      page: pageFiles(),
      prove: (nonce, url) => proofOf(key, nonce, { ...own, url }),
      person: personHere(),
      workspace: root,
      health: async (asking) => {
        const troubles = {
          setAside: storesAside(state),
          watching: watcher.trouble,
          tokens: keys.damage,
          machines: machines.status,
        };
        const health = healthOf(workspace, troubles, { version, startedAt }, asking);
        if (!asking?.allowsEverywhere("admin")) return health;
        return {
          ...health,
          ...(await listedLanes(service.lanes)),
          stored: storedReport(state, config, keys),
        };
      },
      mcp: mcp.handle,
    });
    teardown.push(
      () => server.close(),
      () => mcp.close(),
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
      { what: "batches", run: () => service.batches.forget(limits.keepHistoryMs) },
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
    const rested =
      restMs === 0
        ? new Promise<never>(() => {})
        : unused({ clock: systemClock, restMs, connections, begun, listen: used }, ending.signal);
    return {
      root,
      info,
      rested,
      invite: () => server.invite(keys.owner),
      close: () => runInReverse(teardown),
    };
  } catch (error) {
    await runInReverse(teardown);
    throw error;
  }
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Parts of the C library's heap: with one, threads wait for one another; each more keeps some megabytes. */
const HEAPS = 2;
/** The longest that a stopping daemon waits for files that it cannot write at once; the store has every edit. */
const FLUSH_MS = 5_000;

/** Returns the name for a person at the page who has given none: the user name, made safe to show. */
function personHere(): string {
  return safeName(userName() ?? "", "person");
}
