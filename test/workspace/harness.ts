import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type Clock, systemClock } from "../../src/mirror/clock.ts";
import { type Git, gitAt } from "../../src/mirror/disk/git.ts";
import { IgnoreFiles } from "../../src/mirror/disk/ignore-files.ts";
import { openSandbox } from "../../src/mirror/disk/sandbox.ts";
import type { Files } from "../../src/mirror/files.ts";
import { IgnoreRules } from "../../src/paths/ignore-rules.ts";
import { NO_RULES } from "../../src/paths/outer-rules.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb.ts";
import type { Store } from "../../src/store/store.ts";
import type { Actor } from "../../src/workspace/access/actor.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { surveyorOf } from "../../src/workspace/cover/surveyor.ts";
import type { Document } from "../../src/workspace/document/document.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import type { EditRequest, EditResult } from "../../src/workspace/edits/request.ts";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { Workspace } from "../../src/workspace/folder/workspace.ts";
import { History } from "../../src/workspace/history/history.ts";
import { Undo, type UndoRequest } from "../../src/workspace/history/undo.ts";
import { type Outcome, Refusal } from "../../src/workspace/outcome/refusal.ts";
import type { Limits } from "../../src/workspace/ports.ts";
import { PolicyEditor } from "../../src/workspace/proposals/policy-editor.ts";
import { Proposals } from "../../src/workspace/proposals/proposals.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { FakeEditors } from "../helpers/fake-editors.ts";
import { FakeFiles } from "../helpers/fake-files.ts";
import { InlineWorkers } from "../helpers/inline-workers.ts";
import type { MemoryState } from "../helpers/memory-state.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { NO_GIT } from "../helpers/no-git.ts";

export const ALICE: Actor = { name: "alice", agent: "owner/alice", rights: FULL_RIGHTS };
export const BOB: Actor = { name: "bob", agent: "owner/bob", rights: FULL_RIGHTS };

export const LIMITS: Limits = {
  maxFileBytes: 1 << 20,
  deleteGraceMs: 50,
  mirrorEveryMs: 20,
  verifyMs: 1000,
  idleMs: 60_000,
  cover: { maxFiles: 1000, maxBytes: 1 << 24 },
  staleSaves: "merge",
  keepHistoryMs: 0,
};

export const EXPIRE_DAYS = 30;

/** The files and the store of a bench. */
interface Ground {
  readonly clock: Clock;
  readonly files: Files & { close(): void };
  readonly ignored: IgnoreRules;
  readonly store: Store;
  readonly git: Git;
  read(path: string): string;
  /** Reads a file as another program does, which leaves a trace. */
  readAsProgram(path: string): string;
  /** Writes a file in place, as an outsider. */
  write(path: string, content: string | Uint8Array): void;
  /** Saves a file as most editors do: aside, then renamed over it. */
  save(path: string, content: string): void;
  rename(path: string, to: string): void;
  remove(path: string): void;
  chmod(path: string, mode: number): void;
  /** Returns the same files and store, opened again. */
  reopened(): Ground;
  end(): void;
}

/** Returns a disk that shows which files were read, and a store in memory. */
export function tellingReads(): Ground {
  return inMemory(systemClock, new FakeDisk(systemClock, { tellsReads: true }));
}

/** Returns a disk and a store in memory for a machine so slow that long work pauses for others at each of its steps. */
export function slow(): Ground {
  let ms = 0;
  return inMemory({ ...systemClock, elapsed: () => (ms += 10) });
}

/** Returns a disk and a store in memory, which pass the contract suites of the real ones. */
function inMemory(clock: Clock, disk = new FakeDisk(clock), state?: MemoryState): Ground {
  const store = new MemoryStore({}, state);
  return {
    clock,
    files: new FakeFiles(disk),
    ignored: new IgnoreRules({ ...NO_RULES, globs: ["**/ignored"] }, (path) => disk.text(path)),
    store,
    git: NO_GIT,
    readAsProgram: (path) => disk.read(path) ?? "",
    read: (path) => {
      const text = disk.text(path);
      if (text === undefined) throw new Error(`${path} is not there`);
      return text;
    },
    write: (path, content) => disk.write(path, content),
    save: (path, content) => disk.save(path, content),
    rename: (path, to) => disk.move(path, to),
    remove: (path) => disk.remove(path),
    chmod: (path, mode) => disk.chmod(path, mode),
    reopened: () => inMemory(clock, disk, store.durable),
    end() {},
  };
}

function onDisk(root: string): Ground {
  const at = (path: string) => join(root, path);
  return {
    clock: systemClock,
    files: openSandbox(root, () => {}),
    ignored: new IgnoreRules(NO_RULES, new IgnoreFiles(root).read),
    store: openLmdbStore(at(".spliced/store")),
    git: gitAt(root),
    read: (path) => readFileSync(at(path), "utf8"),
    readAsProgram: (path) => readFileSync(at(path), "utf8"),
    write: (path, content) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    save: (path, content) => {
      const aside = at(".spliced/editor.tmp");
      writeFileSync(aside, content);
      renameSync(aside, at(path));
    },
    rename: (path, to) => renameSync(at(path), at(to)),
    remove: (path) => rmSync(at(path)),
    chmod: (path, mode) => chmodSync(at(path), mode),
    reopened: () => onDisk(root),
    end: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A workspace in memory, with no watcher: it sees a change of a file when it looks at the file. */
export class Bench {
  readonly events: WorkspaceEvent[] = [];
  readonly workers = new InlineWorkers();
  readonly editors = new FakeEditors();
  workspace!: Workspace;
  editor!: Editor;
  fileBatches!: FileBatches;
  proposals!: Proposals;
  policyEditor!: PolicyEditor;
  history!: History;
  undoing!: Undo;
  #ground: Ground;
  #close: () => Promise<void> = async () => {};

  constructor(
    files: Record<string, string | Uint8Array>,
    limits: Partial<Limits> = {},
    ground: Ground = inMemory(systemClock),
  ) {
    this.#ground = ground;
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    this.#open(limits);
    onTestFinished(() => this.end());
  }

  /** Closes the workspace and removes its files; the end of the test does so at the latest. */
  async end(): Promise<void> {
    await this.#close();
    this.#close = async () => {};
    this.#ground.end();
  }

  #open(limits: Partial<Limits>): void {
    const { clock, files, ignored, store, git } = this.#ground;
    const random = (size: number) => randomBytes(size);
    const watcher = {
      watch() {},
      unwatch() {},
      drained: async () => false,
      trouble: undefined,
      close: async () => {},
    };
    const ports = {
      files,
      ignored,
      store,
      clock,
      random,
      watcher,
      git,
      editors: this.editors,
      workers: this.workers,
      surveyor: surveyorOf(files, ignored),
      reached() {},
      report() {},
    };
    this.workspace = new Workspace(ports, { ...LIMITS, ...limits });
    this.editor = new Editor(this.workspace);
    this.fileBatches = new FileBatches(this.workspace);
    this.proposals = new Proposals(this.workspace, this.editor, this.fileBatches, EXPIRE_DAYS);
    this.policyEditor = new PolicyEditor(this.editor, this.proposals);
    this.history = new History(this.workspace);
    this.undoing = new Undo(this.workspace, this.editor, this.history, this.fileBatches);
    this.workspace.listen((event) => this.events.push(event));
    this.#close = async () => {
      await this.workspace.close();
      await store.close();
      files.close();
    };
  }

  /** Stops in order and starts again on the same files and store. */
  async restart(meanwhile: () => void = () => {}): Promise<void> {
    await this.#close();
    meanwhile();
    this.#ground = this.#ground.reopened();
    this.#open({});
  }

  read(path: string): string {
    return this.#ground.read(path);
  }

  /** Reads a file as another program does, which leaves a trace. */
  readAsProgram(path: string): string {
    return this.#ground.readAsProgram(path);
  }

  write(path: string, content: string | Uint8Array): void {
    this.#ground.write(path, content);
  }

  save(path: string, content: string): void {
    this.#ground.save(path, content);
  }

  rename(path: string, to: string): void {
    this.#ground.rename(path, to);
  }

  remove(path: string): void {
    this.#ground.remove(path);
  }

  chmod(path: string, mode: number): void {
    this.#ground.chmod(path, mode);
  }

  async document(path: string): Promise<Document> {
    return accepted(await this.workspace.open(path));
  }

  async text(path: string): Promise<string> {
    return (await this.document(path)).text.toString();
  }

  /** The first result, of one document mostly. */
  async undo(actor: Actor, request: UndoRequest = {}): Promise<Outcome<EditResult>> {
    const results = await this.undoing.undo(actor, request);
    return results instanceof Refusal ? results : results[0]!;
  }

  async redo(actor: Actor, request: UndoRequest = {}): Promise<Outcome<EditResult>> {
    const results = await this.undoing.redo(actor, request);
    return results instanceof Refusal ? results : results[0]!;
  }

  edit(actor: Actor, request: Omit<EditRequest, "kind">): Promise<Outcome<EditResult>> {
    return this.editor.edit(actor, { kind: "test", ...request });
  }
}

/** A workspace in memory whose time passes only when the test says so, and whose disk the test can fill. */
export class TimedBench extends Bench {
  readonly clock: FakeClock;
  readonly disk: FakeDisk;

  constructor(files: Record<string, string | Uint8Array>, limits: Partial<Limits> = {}) {
    const clock = new FakeClock();
    const disk = new FakeDisk(clock);
    super(files, limits, inMemory(clock, disk));
    this.clock = clock;
    this.disk = disk;
  }

  /** Returns the result of some work, and lets as much time pass as it needs. */
  async passing<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    for (let ms = 0; !ended && ms < 60_000; ms += 100) await this.clock.advance(100);
    return work;
  }
}

/** A workspace on a real folder and a real store, for tests of links, folders, permissions and bytes. */
export class DiskBench extends Bench {
  readonly root: string;

  constructor(files: Record<string, string | Uint8Array>, limits: Partial<Limits> = {}) {
    const root = mkdtempSync(join(tmpdir(), "spliced-test-"));
    super(files, limits, onDisk(root));
    this.root = root;
  }

  path(path: string): string {
    return join(this.root, path);
  }
}

/** The value of an outcome that must not be a refusal. */
export function accepted<T>(outcome: Outcome<T>): T {
  if (outcome instanceof Refusal) expect.fail(`refused: ${outcome.code} ${outcome.message}`);
  return outcome;
}

/** The code of an outcome that must be a refusal. */
export function refused(outcome: Outcome<unknown>): Refusal {
  if (!(outcome instanceof Refusal)) expect.fail("was not refused");
  return outcome;
}
