import { type ReadonlySignal, signal } from "@preact/signals";
import type { Client } from "../../../client/browser.ts";
import type { NotificationParams } from "../../../protocol/schemas/schemas.ts";
import { showError } from "../base/messages.ts";
import { type HistoryChange, withChange } from "./changes.ts";

/** The changes that a stream contains: all, or only the ones of a document, of an author, or of both. */
export interface ChangeFilter {
  readonly path?: string | undefined;
  /** A name or an id of an agent. */
  readonly agent?: string | undefined;
}

/** Changes in one request for older ones. */
const PAGE_SIZE = 60;
/** Most changes that stay in memory as new ones arrive (I15). */
const MOST_CHANGES = 3_000;

/** A live list of changes, newest first. Older changes are loaded on request. */
export class ChangeStream {
  readonly #client: Client;
  readonly #filter: ChangeFilter;
  readonly #ends: readonly (() => void)[];
  readonly #changes = signal<readonly HistoryChange[] | undefined>(undefined);
  readonly #hasOlder = signal(false);
  readonly #loading = signal(false);
  readonly #isRefused = signal(false);
  /** Changes that arrived while a request was under way; its answer may lack them. */
  #arrivedWhileLoading: HistoryChange[] = [];
  /** The number of the newest request; answers to earlier ones are ignored. */
  #request = 0;

  constructor(client: Client, filter: ChangeFilter = {}) {
    this.#client = client;
    this.#filter = filter;
    const reload = () => void this.reload();
    this.#ends = [
      client.on("doc.changed", (changed) => this.#add(changed)),
      client.on("doc.created", ({ path }) => void this.#addNewest(path)),
      client.on("doc.deleted", ({ path }) => void this.#addNewest(path)),
      client.on("doc.renamed", ({ docId, to }) => {
        this.#move(docId, to);
        void this.#addNewest(to);
      }),
      client.on("resync", reload),
    ];
    reload();
  }

  /** The loaded changes; undefined until the daemon has answered. */
  get changes(): ReadonlySignal<readonly HistoryChange[] | undefined> {
    return this.#changes;
  }

  /** Whether the history has older changes. */
  get hasOlder(): ReadonlySignal<boolean> {
    return this.#hasOlder;
  }

  /** Whether the list has reached its limit. */
  get isFull(): boolean {
    return (this.#changes.value?.length ?? 0) >= MOST_CHANGES;
  }

  get loading(): ReadonlySignal<boolean> {
    return this.#loading;
  }

  /** Whether the newest request failed. */
  get isRefused(): ReadonlySignal<boolean> {
    return this.#isRefused;
  }

  /** Loads the newest changes again, as many as the list has, and 1,000 at most. */
  async reload(): Promise<void> {
    const limit = Math.min(Math.max(PAGE_SIZE, this.#changes.value?.length ?? 0), 1000);
    await this.#load({ limit }, (changes) => {
      this.#changes.value = changes;
      for (const change of this.#arrivedWhileLoading) this.#put(change);
    });
  }

  /** Loads older changes, unless there are none or a request is under way. */
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
    onLoaded: (changes: HistoryChange[]) => void,
  ): Promise<void> {
    const request = ++this.#request;
    this.#loading.value = true;
    try {
      const { changes, more } = await this.#client.history.list({ ...this.#filter, ...range });
      if (request !== this.#request) return;
      this.#isRefused.value = false;
      this.#hasOlder.value = more;
      onLoaded(changes);
    } catch (error) {
      if (request !== this.#request) return;
      this.#isRefused.value = true;
      showError("Could not load the history", error);
    } finally {
      if (request === this.#request) {
        this.#loading.value = false;
        this.#arrivedWhileLoading = [];
      }
    }
  }

  #add({ sha256: _sha256, splices: _splices, ...changed }: NotificationParams<"doc.changed">): void {
    const { path, agent } = this.#filter;
    if (path !== undefined && path !== changed.path) return;
    const change = { ...changed, undone: false };
    const matches = agent === undefined || this.#isBy(changed);
    if (matches && this.#loading.value) this.#arrivedWhileLoading.push(change);
    if (matches) this.#put(change);
    else if (changed.undoes !== undefined) this.#mark(change);
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

  /** Marks the change that a change of another author undoes, which this list may contain. */
  #mark(change: HistoryChange): void {
    const known = this.#changes.value;
    if (known === undefined) return;
    const changes = withChange(known, change);
    if (changes === undefined) void this.reload();
    else this.#changes.value = changes.filter(({ changeId }) => changeId !== change.changeId);
  }

  /** Adds the newest change of a document that was created, deleted or renamed, as the event does not contain it. */
  async #addNewest(path: string): Promise<void> {
    const { agent } = this.#filter;
    if (this.#filter.path !== undefined && this.#filter.path !== path) return;
    const newest = await this.#client.history.list({ path, limit: 1 }).catch(() => undefined); // the document is gone again
    const change = newest?.changes[0];
    if (change === undefined || (agent !== undefined && !this.#isBy(change))) return;
    // The history of the workspace leaves out files that were there before.
    const isExisting =
      change.origin === "disk" && change.previous === null && this.#filter.path === undefined;
    if (!isExisting) this.#put(change);
  }

  #move(docId: string, path: string): void {
    const moved = this.#changes.value?.map((change) =>
      change.docId === docId ? { ...change, path } : change,
    );
    if (moved !== undefined) this.#changes.value = moved;
  }
}
