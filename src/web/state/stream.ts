import { type ReadonlySignal, signal } from "@preact/signals";
import type { Client } from "../../client/browser.ts";
import type { NotificationParams } from "../../protocol/schemas.ts";
import { type HistoryChange, withChange } from "./changes.ts";
import { showError } from "./messages.ts";

/** Which changes a stream has: all, or those of one document, of one author, or both. */
export interface ChangeFilter {
  readonly path?: string | undefined;
  /** A name or an id, as `history.list` takes it. */
  readonly agent?: string | undefined;
}

const PAGE_SIZE = 60;
/** Changes kept when new ones come; beyond them older ones are shown only to who asks for them (I15). */
const MOST_CHANGES = 3_000;

/** Changes, newest first: the newest as they are made, older ones as far as they are asked for. */
export class ChangeStream {
  readonly #client: Client;
  readonly #filter: ChangeFilter;
  readonly #ends: readonly (() => void)[];
  readonly #changes = signal<readonly HistoryChange[] | undefined>(undefined);
  readonly #hasOlder = signal(false);
  readonly #loading = signal(false);
  /** What was told while others were asked for; the answer may lack it. */
  #arrivedWhileLoading: HistoryChange[] = [];
  /** Answers to what was asked before it moved on are of no use any more. */
  #request = 0;

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
  get changes(): ReadonlySignal<readonly HistoryChange[] | undefined> {
    return this.#changes;
  }

  /** Whether there are older ones. */
  get hasOlder(): ReadonlySignal<boolean> {
    return this.#hasOlder;
  }

  /** There are as many as are kept. */
  get isFull(): boolean {
    return (this.#changes.value?.length ?? 0) >= MOST_CHANGES;
  }

  get loading(): ReadonlySignal<boolean> {
    return this.#loading;
  }

  /** Asks for as many as there are, anew. */
  async reload(): Promise<void> {
    const limit = Math.min(Math.max(PAGE_SIZE, this.#changes.value?.length ?? 0), 1000);
    await this.#load({ limit }, (changes) => {
      this.#changes.value = changes;
      for (const change of this.#arrivedWhileLoading) this.#put(change);
    });
  }

  /** Asks for older ones, if there are any and nothing is being asked for. */
  async loadOlder(): Promise<void> {
    const known = this.#changes.value;
    const last = known?.at(-1);
    if (known === undefined || last === undefined || !this.#hasOlder.value || this.#loading.value) return;
    await this.#load({ limit: PAGE_SIZE, before: last.changeId }, (changes) => {
      this.#changes.value = [...this.#changes.value!, ...changes];
    });
  }

  close(): void {
    this.#request++;
    for (const end of this.#ends) end();
  }

  async #load(
    range: { readonly limit: number; readonly before?: string },
    take: (changes: HistoryChange[]) => void,
  ): Promise<void> {
    const turn = ++this.#request;
    this.#loading.value = true;
    try {
      const { changes, more } = await this.#client.history.list({ ...this.#filter, ...range });
      if (turn !== this.#request) return;
      this.#hasOlder.value = more;
      take(changes);
    } catch (error) {
      if (turn === this.#request) showError("The history could not be read", error);
    } finally {
      if (turn === this.#request) {
        this.#loading.value = false;
        this.#arrivedWhileLoading = [];
      }
    }
  }

  #add({ sha256: _sha256, splices: _splices, ...told }: NotificationParams<"doc.changed">): void {
    const { path, agent } = this.#filter;
    if (path !== undefined && path !== told.path) return;
    const change = { ...told, undone: false };
    const mine = agent === undefined || this.#isBy(told);
    if (mine && this.#loading.value) this.#arrivedWhileLoading.push(change);
    if (mine) this.#put(change);
    else if (told.undoes !== undefined) this.#mark(change);
  }

  #isBy({ author, agent }: Pick<HistoryChange, "author" | "agent">): boolean {
    return agent === this.#filter.agent || author === this.#filter.agent;
  }

  #put(change: HistoryChange): void {
    const known = this.#changes.value;
    if (known === undefined) return;
    const changes = withChange(known, change);
    if (changes === undefined) return void this.reload();
    this.#changes.value = changes.slice(0, MOST_CHANGES);
    if (changes.length > MOST_CHANGES) this.#hasOlder.value = true;
  }

  /** Somebody else's change takes back one that may be shown here. */
  #mark(change: HistoryChange): void {
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
