import type { Actor } from "../../src/workspace/access/actor.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { History } from "../../src/workspace/history/history.ts";
import { Undo } from "../../src/workspace/history/undo.ts";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import type { Process } from "./process.ts";
import type { World } from "./world.ts";

const KINDS = [
  [3, "undo"],
  [1, "redo"],
  [2, "rename by request"],
  [1, "delete by request"],
  [3, "restore"],
] as const;

const DAVE: Actor = { name: "dave", agent: "owner/dave", rights: FULL_RIGHTS };

/** An agent that renames, deletes and restores the file through the daemon, and undoes and redoes changes. */
export class Requests {
  readonly #world: World;
  #running = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** The number of requests without an answer. */
  get running(): number {
    return this.#running;
  }

  turn(): void {
    const { process } = this.#world;
    if (process === undefined) return;
    const kind = this.#world.weighted(KINDS);
    switch (kind) {
      case "rename by request":
        this.#rename(process);
        break;
      case "delete by request":
        this.#delete(process);
        break;
      case "restore":
        this.#restore(process);
        break;
      default:
        this.#undo(process, kind);
    }
  }

  #delete(process: Process): void {
    const { path } = this.#world;
    this.#follow(process, `deletes ${path}`, async () => {
      const document = await process.workspace.open(path);
      return isRefusal(document) ? document : process.workspace.remove(DAVE, document);
    });
  }

  #restore(process: Process): void {
    const { path, disk } = this.#world;
    if (disk.inode(path) !== undefined) return;
    this.#world.restorations++;
    this.#follow(process, `restores ${path}`, () =>
      process.workspace.restore(DAVE, path).finally(() => this.#world.restorations--),
    );
  }

  #rename(process: Process): void {
    const { path } = this.#world;
    const to = this.#world.newName();
    this.#follow(process, `renames ${path} to ${to}`, async () => {
      const document = await process.workspace.open(path);
      return isRefusal(document) ? document : process.workspace.rename(DAVE, document, to);
    });
  }

  #undo(process: Process, kind: "undo" | "redo"): void {
    const { random, made, ledger } = this.#world;
    if (made.length === 0) return;
    const { mark, changeId } = random.pick(made);
    const { workspace, editor } = process;
    const undo = new Undo(workspace, editor, new History(workspace), new FileBatches(workspace));
    ledger.withdraw(mark);
    this.#follow(process, `${kind}es ${mark} ${changeId}`, () =>
      undo[kind](DAVE, { changeId, ack: random.pick(["mirrored", "durable"]) }),
    );
  }

  /** Follows a request to its answer. */
  #follow(process: Process, what: string, request: () => Promise<unknown>): void {
    this.#world.say(`dave ${what}`);
    this.#running++;
    const answered = request().finally(() => this.#running--);
    answered.then(
      (outcome) => {
        if (!process.alive) return;
        this.#world.say(
          `dave ${what}: ${isRefusal(outcome) ? `${outcome.code} ${outcome.message}` : "done"}`,
        );
      },
      (error: unknown) => {
        if (process.alive)
          this.#world.wrong(`dave ${what} threw ${error instanceof Error ? error.stack : error}`);
      },
    );
  }
}
