import { onTestFinished } from "vitest";
import type { Document } from "../../src/workspace/document/document.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import type { EditRequest, EditResult } from "../../src/workspace/edits/request.ts";
import type { Workspace } from "../../src/workspace/folder/workspace.ts";
import type { Outcome } from "../../src/workspace/outcome/refusal.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { drained } from "../helpers/drained.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import type { FakeFiles } from "../helpers/fake-files.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { ALICE, accepted } from "./harness.ts";

/** More turns of the event loop than any request needs that waits for nothing else. */
const TURNS = 20;

/**
 * A machine with the file `a.md`. Its store keeps a write, and its time passes, only when the test says so. Its daemon
 * can be killed between any two steps, and starts again on the same disk with the records that were durable.
 */
export class Machine {
  readonly clock = new FakeClock();
  readonly disk = new FakeDisk(this.clock);
  #store = new MemoryStore({ atOnce: false });
  #files!: FakeFiles;
  #workspace!: Workspace;

  constructor(text: string) {
    this.disk.save("a.md", text);
    this.#start();
    onTestFinished(() => this.#end(0).then(() => undefined));
  }

  get workspace(): Workspace {
    return this.#workspace;
  }

  get store(): MemoryStore {
    return this.#store;
  }

  /** Opens a document, and stores what that needs. */
  async document(path = "a.md"): Promise<Document> {
    return accepted(await this.flushed(this.#workspace.open(path)));
  }

  async text(path = "a.md"): Promise<string> {
    return (await this.document(path)).text.toString();
  }

  /** Appends to a document for Alice; resolves once the store has that, unless the request asks otherwise. */
  append(text: string, request: Partial<EditRequest> = {}): Promise<Outcome<EditResult>> {
    const plan = planAppend(text);
    return new Editor(this.#workspace).edit(ALICE, {
      kind: "append",
      path: "a.md",
      ack: "durable",
      plan,
      ...request,
    });
  }

  /** Appends to `a.md` as `append` does; returns the document once its file has that. */
  async appended(text: string): Promise<Document> {
    const document = await this.document();
    const edited = this.append(text);
    await this.settled();
    accepted(await this.flushed(edited));
    await this.flushed(document.mirror.reached(document.head.seq));
    return document;
  }

  /** Runs all work that waits for neither the store nor time. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await drained();
  }

  /** Returns the result of some work, and keeps every write of the store until then. */
  async flushed<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    while (!ended) await this.#step();
    return work;
  }

  /** Keeps the writes that wait, and those that follow from them. */
  async flush(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await this.#step();
  }

  /** Kills the daemon and starts it again; the first `kept` waiting writes become durable. */
  async killed(kept = 0): Promise<void> {
    this.#store = await this.#end(kept);
    this.#start();
  }

  #step(): Promise<void> {
    this.#store.flush();
    return drained();
  }

  async #end(kept: number): Promise<MemoryStore> {
    this.#files.crash();
    const store = this.#store.crash(kept);
    await this.#workspace.close();
    return store;
  }

  #start(): void {
    const { files, workspace } = onFakes(this.disk, this.#store, () => {}, this.clock);
    this.#files = files;
    this.#workspace = workspace;
  }
}
