import type { ChangeRecord, Seq, Store } from "../../store/store.ts";
import type { Vector } from "../base/vector.ts";
import { type LinkedDocument, type LinkState, withAll } from "./link-state.ts";

/** A change in a journal that a message has brought: a new one, one that was there, or `known` operations. */
export interface Brought {
  readonly seq: Seq;
  readonly as: "new" | "again" | "known";
  /** The changes that came with it, where one message brought several again. */
  readonly beside?: readonly Seq[];
}

/**
 * Finds the changes of other machines that a journal has without their messages, because a crash took these from the
 * link state. A message names its causes, so changes that build on such a change wait until its message comes again (M4).
 */
export class Traces {
  readonly #store: Store;
  readonly #state: LinkState;
  /** The first change of each document that this process received. */
  readonly #since = new Map<string, Seq>();

  constructor(store: Store, state: LinkState) {
    this.#store = store;
    this.#state = state;
  }

  /** Sets the state of a document whose change the messages `last` brought; returns as `LinkState.set`. */
  set(linked: LinkedDocument, brought: Brought, last: Vector): readonly string[] {
    return this.#state.set(withAll(this.#noted(linked, brought), last, brought.seq));
  }

  /** Returns a document with the changes before the brought one whose messages are not known. */
  #noted(document: LinkedDocument, { seq, as, beside = [] }: Brought): LinkedDocument {
    const { found, ...linked } = document;
    // The message may have brought any of them.
    if (as === "known") return linked;
    const { id, last } = linked;
    const since = this.#since.get(id) ?? Number.POSITIVE_INFINITY;
    const numbers = [...(found ?? [])];
    const newest = Math.max(0, ...Object.values(last).map((one) => one.seq));
    for (let before = newest + 1; before < Math.min(seq, since); before++)
      if (isForeign(this.#store.change(id, before))) numbers.push(before);
    if (as === "new") this.#since.set(id, Math.min(seq, since));
    const left = numbers.filter((number) => number !== seq && !beside.includes(number));
    return left.length === 0 ? linked : { ...linked, found: left };
  }
}

/**
 * Returns what a document has brought whose changes have these numbers in the journal. If it brought nothing new, that is
 * these changes alone: later ones may have come with messages that a crash took.
 */
export function broughtAgain(seqs: readonly (Seq | undefined)[], brought: Brought): Brought {
  const beside = seqs.filter((seq) => seq !== undefined);
  if (brought.as === "new" || beside.length < seqs.length) return brought;
  return { seq: beside.reduce((newest, seq) => Math.max(newest, seq)), as: "again", beside };
}

/** Returns true for another machine's change of the text whose message this machine does not know. */
export function isUntraced(
  change: ChangeRecord,
  { last, found = [] }: LinkedDocument,
  self: string,
): boolean {
  if (!isForeign(change)) return false;
  const isBeyond = Object.entries(last).every(([from, newest]) => from === self || newest.seq < change.seq);
  return isBeyond || found.includes(change.seq);
}

function isForeign(change: ChangeRecord | undefined): boolean {
  return change?.machine !== undefined && change.file === undefined;
}
