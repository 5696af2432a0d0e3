import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { gitAt } from "../../src/mirror/git.ts";
import { openSandbox } from "../../src/mirror/sandbox.ts";
import { openLmdbStore } from "../../src/store/lmdb.ts";
import type { Actor } from "../../src/workspace/access/actor.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import type { Document } from "../../src/workspace/document/document.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import type { EditRequest, EditResult } from "../../src/workspace/edits/request.ts";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { Workspace } from "../../src/workspace/folder/workspace.ts";
import { History } from "../../src/workspace/history/history.ts";
import { Undo, type UndoRequest } from "../../src/workspace/history/undo.ts";
import { type Outcome, Refusal } from "../../src/workspace/outcome/refusal.ts";
import type { Limits } from "../../src/workspace/ports.ts";
import { PolicyEditor } from "../../src/workspace/proposals/policy-editor.ts";
import { Proposals } from "../../src/workspace/proposals/proposals.ts";
import { InlineWorkers } from "../helpers/inline-workers.ts";

export const ALICE: Actor = { name: "alice", agent: "owner/alice", rights: FULL_RIGHTS };
export const BOB: Actor = { name: "bob", agent: "owner/bob", rights: FULL_RIGHTS };

export const LIMITS: Limits = {
  maxFileBytes: 1 << 20,
  deleteGraceMs: 50,
  verifyMs: 1000,
  idleMs: 60_000,
  subscribeOpen: 10,
  staleSaves: "merge",
  keepHistoryMs: 0,
};

export const EXPIRE_DAYS = 30;

/** A workspace on a real folder and a real store, with no watcher: what is seen is what is looked at. */
export class Bench {
  readonly root: string;
  readonly events: WorkspaceEvent[] = [];
  readonly workers = new InlineWorkers();
  workspace!: Workspace;
  editor!: Editor;
  proposals!: Proposals;
  policyEditor!: PolicyEditor;
  history!: History;
  undoing!: Undo;
  #close: () => Promise<void> = async () => {};

  constructor(files: Record<string, string | Uint8Array>, limits: Partial<Limits> = {}) {
    this.root = mkdtempSync(join(tmpdir(), "spliced-test-"));
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    this.#open(limits);
    onTestFinished(() => this.end());
  }

  /** Closes it and takes its folder away; the end of the test does so at the latest. */
  async end(): Promise<void> {
    await this.#close();
    this.#close = async () => {};
    rmSync(this.root, { recursive: true, force: true });
  }

  #open(limits: Partial<Limits>): void {
    const files = openSandbox(this.root, () => {});
    const store = openLmdbStore(join(this.root, ".spliced", "store"));
    const random = (size: number) => randomBytes(size);
    const watcher = { watch() {}, trouble: undefined, close: async () => {} };
    const ports = {
      files,
      store,
      clock: systemClock,
      random,
      watcher,
      inGit: gitAt(this.root),
      workers: this.workers,
      reached() {},
      report() {},
    };
    this.workspace = new Workspace(ports, { ...LIMITS, ...limits });
    this.editor = new Editor(this.workspace);
    this.proposals = new Proposals(this.workspace, this.editor, EXPIRE_DAYS);
    this.policyEditor = new PolicyEditor(this.editor, this.proposals);
    this.history = new History(this.workspace);
    this.undoing = new Undo(this.workspace, this.editor, this.history);
    this.workspace.listen((event) => this.events.push(event));
    this.#close = async () => {
      await this.workspace.close();
      await store.close();
      files.close();
    };
  }

  /** Stops in order and starts again on the same folder and store. */
  async restart(meanwhile: () => void = () => {}): Promise<void> {
    await this.#close();
    meanwhile();
    this.#open({});
  }

  path(path: string): string {
    return join(this.root, path);
  }

  read(path: string): string {
    return readFileSync(this.path(path), "utf8");
  }

  /** Writes a file in place, as an outsider. */
  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), content);
  }

  /** Saves a file as most editors do: aside, then renamed over it. */
  save(path: string, content: string): void {
    const aside = join(this.root, ".spliced", "editor.tmp");
    writeFileSync(aside, content);
    renameSync(aside, this.path(path));
  }

  async document(path: string): Promise<Document> {
    return accepted(await this.workspace.open(path));
  }

  async text(path: string): Promise<string> {
    return (await this.document(path)).text.toString();
  }

  /** The first result, of one document mostly. */
  async undo(actor: Actor, request: Omit<UndoRequest, "hides"> = {}): Promise<Outcome<EditResult>> {
    const results = await this.undoing.undo(actor, { ...request, hides: () => false });
    return results instanceof Refusal ? results : results[0]!;
  }

  async redo(actor: Actor, request: Omit<UndoRequest, "hides"> = {}): Promise<Outcome<EditResult>> {
    const results = await this.undoing.redo(actor, { ...request, hides: () => false });
    return results instanceof Refusal ? results : results[0]!;
  }

  edit(actor: Actor, request: Omit<EditRequest, "kind">): Promise<Outcome<EditResult>> {
    return this.editor.edit(actor, { kind: "test", ...request });
  }
}

/** The value of an outcome that must not be a refusal. */
export function accepted<T>(outcome: Outcome<T>): T {
  if (outcome instanceof Refusal) throw new Error(`refused: ${outcome.code} ${outcome.message}`);
  return outcome;
}

/** The code of an outcome that must be a refusal. */
export function refused(outcome: Outcome<unknown>): Refusal {
  if (!(outcome instanceof Refusal)) throw new Error("was not refused");
  return outcome;
}
