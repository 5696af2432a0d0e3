import type { Clock } from "../../mirror/clock.ts";
import { type Shelved, shelfOf } from "../../store/shelf.ts";
import { type Store, storeFailure } from "../../store/store.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { addParts, EMPTY_DRAFT } from "./draft.ts";
import type { AnswerPart, Draft, ThreadAuthor } from "./thread.ts";

/** The least time between two writes of an answer under way, in milliseconds: a model sends a part for each word. */
const PACE_MS = 150;

/** The thread and the message that an answer is for, and its author. */
export interface AnswerOf {
  readonly threadId: string;
  readonly messageId: string;
  readonly holder: ThreadAuthor;
}

/** Parts of an answer under way, as they are stored until it ends. */
interface StoredParts extends AnswerOf {
  readonly id: string;
  readonly parts: readonly AnswerPart[];
}

const NEVER = new AbortController().signal;

const partShelf = shelfOf<StoredParts>("parts");

interface AnswerOptions {
  readonly of: AnswerOf;
  readonly store: Store;
  readonly clock: Clock;
  /** Returns false once the answer has ended. */
  readonly isUnderWay: () => boolean;
  /** Sends parts to the followers of the thread; `index` is the number of parts up to and with these. */
  readonly show: (parts: readonly AnswerPart[], index: number) => void;
}

/** Owns one answer under way. It stores the parts, some at a time, before it sends them to clients. */
export class AnswerUnderWay {
  readonly #options: AnswerOptions;
  readonly #turns = new KeyedQueue<"write">();
  #draft = EMPTY_DRAFT;
  #shown = EMPTY_DRAFT;
  #waiting: AnswerPart[] = [];
  /** Parts that were shown although the store refused them. */
  #unstored: readonly AnswerPart[] = [];
  /** The number of records, and the time of the last record. */
  #records = 0;
  #written = Number.NEGATIVE_INFINITY;
  #isSoon = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  /** The answer as far as its author sent it. */
  get draft(): Draft {
    return this.#draft;
  }

  /** The answer as far as clients have received it. */
  get shown(): Draft {
    return this.#shown;
  }

  /** The removals of the stored parts, to be written with the end of the answer. */
  get removals(): Shelved[] {
    const { threadId } = this.#options.of;
    return Array.from({ length: this.#records }, (_, n) => removalOf(keyOf(threadId, n)));
  }

  /** Adds parts, which clients receive soon: all of them, or none if the answer would exceed a bound. */
  add(parts: readonly AnswerPart[]): Outcome<Draft> {
    const draft = addParts(this.#draft, parts);
    if (isRefusal(draft)) return draft;
    this.#draft = draft;
    this.#waiting.push(...parts);
    void this.#showSoon();
    return draft;
  }

  /** Stores and shows all parts. */
  flush(): Promise<void> {
    return this.#turns.run(["write"], () => this.#write());
  }

  async #showSoon(): Promise<void> {
    const { clock } = this.#options;
    if (this.#isSoon) return;
    this.#isSoon = true;
    const rest = this.#written + PACE_MS - clock.elapsed();
    if (rest > 0) await clock.sleep(rest, NEVER);
    this.#isSoon = false;
    await this.flush();
  }

  async #write(): Promise<void> {
    const { of, store, clock, isUnderWay, show } = this.#options;
    if (this.#waiting.length === 0 || !isUnderWay()) return;
    this.#written = clock.elapsed();
    const draft = this.#draft;
    const added = this.#waiting.splice(0);
    const parts = [...this.#unstored, ...added];
    const id = keyOf(of.threadId, this.#records++);
    const record: StoredParts = { id, ...of, parts };
    const failure = await storeFailure(store.shelve({ shelf: partShelf, id, record }));
    this.#unstored = failure === undefined ? [] : parts;
    if (!isUnderWay()) return;
    this.#shown = draft;
    show(added, draft.index);
  }
}

/** An answer that was under way when an earlier process died, with the removals of its parts from the store. */
export interface LeftAnswer extends AnswerOf {
  readonly draft: Draft;
  readonly removals: readonly Shelved[];
}

/** Returns the answers that an earlier process left under way. */
export function leftAnswers(store: Store): LeftAnswer[] {
  const left = new Map<string, LeftAnswer>();
  for (const { id, parts, threadId, messageId, holder } of store.shelf(partShelf)) {
    const { draft = EMPTY_DRAFT, removals = [] } = left.get(threadId) ?? {};
    const longer = addParts(draft, parts);
    left.set(threadId, {
      threadId,
      messageId,
      holder,
      draft: isRefusal(longer) ? draft : longer,
      removals: [...removals, removalOf(id)],
    });
  }
  return [...left.values()];
}

/** Returns the id of a record; the records of an answer are in the order of their ids. */
function keyOf(threadId: string, n: number): string {
  return `${threadId}/${String(n).padStart(6, "0")}`;
}

function removalOf(id: string): Shelved {
  return { shelf: partShelf, id, record: null };
}
