import type { RandomBytes } from "../../src/doc/peers.ts";
import { IgnoreRules } from "../../src/paths/ignore-rules.ts";
import { NO_RULES } from "../../src/paths/outer-rules.ts";
import { surveyorOf } from "../../src/workspace/cover/surveyor.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { maintain } from "../../src/workspace/folder/maintenance.ts";
import { Workspace } from "../../src/workspace/folder/workspace.ts";
import type { FakeClock } from "../helpers/fake-clock.ts";
import type { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeEditors } from "../helpers/fake-editors.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { FakeWatcher } from "../helpers/fake-watcher.ts";
import type { MemoryStore } from "../helpers/memory-store.ts";
import { NO_GIT } from "../helpers/no-git.ts";
import { SimulatedWorkers } from "./workers.ts";

const LIMITS = {
  maxFileBytes: 1 << 20,
  deleteGraceMs: 500,
  mirrorEveryMs: 20,
  verifyMs: 1000,
  idleMs: 3000,
  staleSaves: "merge" as const,
  keepHistoryMs: 0,
};

export interface Parts {
  readonly clock: FakeClock;
  readonly disk: FakeDisk;
  readonly store: MemoryStore;
  readonly random: RandomBytes;
  /** Returns the number of hints for one change. */
  readonly copies: () => number;
  /** Called when a call of the files begins, to change the disk at that moment. */
  readonly before: (what: string) => void;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
  readonly listen: (event: WorkspaceEvent) => void;
  readonly swapBlindly: boolean;
  /** Returns true to end the process in the middle of a swap that met an unseen save. */
  readonly diesInSwap: () => boolean;
  /** False for runs that were found before the daemon covered files: a pass would change their order of steps. */
  readonly covers: boolean;
  /** True when workers get every job that they can do. */
  readonly workers: boolean;
}

/** One process of the daemon, from its start to its stop or crash. */
export class Process {
  readonly workspace: Workspace;
  readonly editor: Editor;
  readonly watcher: FakeWatcher;
  readonly store: MemoryStore;
  readonly #files: FakeFiles;
  readonly #abort = new AbortController();
  readonly #house: Promise<void>;
  #gates: (() => void)[] = [];
  #alive = true;

  constructor(parts: Parts) {
    const { clock, disk, store, random, before, swapBlindly, diesInSwap } = parts;
    const alive = (run: () => void) => {
      if (this.#alive) run();
    };
    this.store = store;
    const ignored = new IgnoreRules(NO_RULES, (path) => disk.text(path));
    const gate = () =>
      this.#alive ? new Promise<void>((open) => this.#gates.push(open)) : Promise.resolve();
    this.#files = new FakeFiles(disk, { gate, before, swapBlindly, diesInSwap });
    this.watcher = new FakeWatcher((path) => this.workspace.hint(path), parts.copies);
    this.workspace = new Workspace(
      {
        files: this.#files,
        store,
        clock,
        random,
        watcher: this.watcher,
        git: NO_GIT,
        editors: new FakeEditors(),
        workers: new SimulatedWorkers(gate, parts.workers),
        ignored,
        surveyor: surveyorOf(this.#files, ignored),
        reached: () => {},
        report: (event, details) => alive(() => parts.report(event, details)),
      },
      { ...LIMITS, cover: { maxFiles: parts.covers ? 1000 : 0, maxBytes: 1 << 24 } },
    );
    this.editor = new Editor(this.workspace);
    this.workspace.listen((event) => alive(() => parts.listen(event)));
    this.#house = maintain(this.workspace, this.#abort.signal).catch((error: unknown) =>
      alive(() => parts.report("house.ended", { reason: String(error) })),
    );
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Reads and writes of files that wait to go on. */
  get gates(): number {
    return this.#gates.length;
  }

  openGate(index = 0): void {
    this.#gates.splice(index, 1)[0]?.();
  }

  /**
   * Ends the process as `kill -9` does; the first `kept` waiting writes of the store still become durable. Returns the
   * remaining store. The process reaches neither file nor store any more, and its memory is freed.
   */
  async kill(kept: number): Promise<MemoryStore> {
    this.#alive = false;
    this.#files.crash();
    const store = this.store.crash(kept);
    this.#abort.abort();
    while (this.#gates.length > 0) this.openGate();
    await this.workspace.close();
    return store;
  }

  /** Stops in order; the caller drives gates, store and clock until this resolves. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#house;
    await this.watcher.close();
    await this.workspace.close();
    await this.store.close();
    this.#alive = false;
  }
}
