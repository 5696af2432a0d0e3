import { type ReadonlySignal, signal } from "@preact/signals";
import type { Client } from "../../client/browser.ts";
import type { NotificationParams } from "../../protocol/schemas.ts";
import { type Change, withChange } from "./changes.ts";
import { complain } from "./messages.ts";

/** Which changes a stream has: all, or those of one document, of one author, or both. */
export interface ChangeFilter {
  readonly path?: string | undefined;
  /** A name or an id, as `history.list` takes it. */
  readonly agent?: string | undefined;
}

const PAGE = 60;
/** Changes kept when new ones come; beyond them older ones are shown only to who asks for them (I15). */
const MOST = 3_000;

/** Changes, newest first: the newest as they are made, older ones as far as they are asked for. */
export class ChangeStream {
  readonly #client: Client;
  readonly #filter: ChangeFilter;
  readonly #ends: readonly (() => void)[];
  readonly #changes = signal<readonly Change[] | undefined>(undefined);
  readonly #more = signal(false);
  readonly #loading = signal(false);
  /** What was told while others were asked for; the answer may lack it. */
  #meanwhile: Change[] = [];
  /** Answers to what was asked before it moved on are of no use any more. */
  #turn = 0;

  constructor(client: Client, filter: ChangeFilter = {}) {
    this.#client = client;
    this.#filter = filter;
    const anew = () => void this.reload();
    this.#ends = [
      client.on("doc.changed", (changed) => this.#add(changed)),
      client.on("doc.created", ({ path }) => {
        if (filter.path === undefined || filter.path === path) void this.#addFirst(path);
      }),
      client.on("doc.renamed", ({ docId, to }) => this.#move(docId, to)),
      client.on("resync", anew),
    ];
    anew();
  }

  /** Undefined until they are known. */
  get changes(): ReadonlySignal<readonly Change[] | undefined> {
    return this.#changes;
  }

  /** Whether there are older ones. */
  get more(): ReadonlySignal<boolean> {
    return this.#more;
  }

  /** There are as many as are kept. */
  get isFull(): boolean {
    return (this.#changes.value?.length ?? 0) >= MOST;
  }

  get loading(): ReadonlySignal<boolean> {
    return this.#loading;
  }

  /** Asks for as many as there are, anew. */
  async reload(): Promise<void> {
    const limit = Math.min(Math.max(PAGE, this.#changes.value?.length ?? 0), 1000);
    await this.#ask({ limit }, (changes) => {
      this.#changes.value = changes;
      for (const change of this.#meanwhile) this.#put(change);
    });
  }

  /** Asks for older ones, if there are any and nothing is being asked for. */
  async older(): Promise<void> {
    const known = this.#changes.value;
    const last = known?.at(-1);
    if (known === undefined || last === undefined || !this.#more.value || this.#loading.value) return;
    await this.#ask({ limit: PAGE, before: last.changeId }, (changes) => {
      this.#changes.value = [...this.#changes.value!, ...changes];
    });
  }

  close(): void {
    this.#turn++;
    for (const end of this.#ends) end();
  }

  async #ask(
    range: { readonly limit: number; readonly before?: string },
    take: (changes: Change[]) => void,
  ): Promise<void> {
    const turn = ++this.#turn;
    this.#loading.value = true;
    try {
      const { changes, more } = await this.#client.history.list({ ...this.#filter, ...range });
      if (turn !== this.#turn) return;
      this.#more.value = more;
      take(changes);
    } catch (error) {
      if (turn === this.#turn) complain("The history could not be read", error);
    } finally {
      if (turn === this.#turn) {
        this.#loading.value = false;
        this.#meanwhile = [];
      }
    }
  }

  #add({ sha256: _sha256, splices: _splices, ...told }: NotificationParams<"doc.changed">): void {
    const { path, agent } = this.#filter;
    if (path !== undefined && path !== told.path) return;
    const change = { ...told, undone: false };
    const mine = agent === undefined || this.#isBy(told);
    if (mine && this.#loading.value) this.#meanwhile.push(change);
    if (mine) this.#put(change);
    else if (told.undoes !== undefined) this.#mark(change);
  }

  #isBy({ author, agent }: Pick<Change, "author" | "agent">): boolean {
    return agent === this.#filter.agent || author === this.#filter.agent;
  }

  #put(change: Change): void {
    const known = this.#changes.value;
    if (known === undefined) return;
    const changes = withChange(known, change);
    if (changes === undefined) return void this.reload();
    this.#changes.value = changes.slice(0, MOST);
    if (changes.length > MOST) this.#more.value = true;
  }

  /** Somebody else's change takes back one that may be shown here. */
  #mark(change: Change): void {
    const known = this.#changes.value;
    if (known === undefined) return;
    const changes = withChange(known, change);
    if (changes === undefined) void this.reload();
    else this.#changes.value = changes.filter(({ changeId }) => changeId !== change.changeId);
  }

  /** A document that was made is told of without its first change. */
  async #addFirst(path: string): Promise<void> {
    const { agent } = this.#filter;
    const first = await this.#client.history.list({ path, limit: 1 }).catch(() => undefined); // gone again
    const change = first?.changes[0];
    const worthTelling =
      change !== undefined && (change.origin !== "disk" || this.#filter.path !== undefined);
    if (worthTelling && (agent === undefined || this.#isBy(change))) this.#put(change);
  }

  #move(docId: string, path: string): void {
    const moved = this.#changes.value?.map((change) =>
      change.docId === docId ? { ...change, path } : change,
    );
    if (moved !== undefined) this.#changes.value = moved;
  }
}
