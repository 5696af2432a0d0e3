import type { Pair } from "../../doc/pair.ts";
import type { Peer } from "../../doc/peers.ts";
import type { ChangeRecord, UpdateRecord } from "../../store/store.ts";
import type { DraftedChange } from "../journal/change.ts";

/** A change on its way into the journal, and the updates that the journal gets with it. */
export interface Accepted {
  readonly change: ChangeRecord;
  readonly updates: UpdateRecord;
  /** Resolves once the change is durable. */
  readonly durable: Promise<void>;
}

/** An edit whose updates `seal` completes. */
interface OpenEdit extends Omit<Accepted, "updates"> {
  readonly updates: { -readonly [K in keyof UpdateRecord]: UpdateRecord[K] };
}

/**
 * Owns the edits of one author that become one commit of Loro, because each alone would take ten times as long. Every
 * edit stays a change of its own.
 */
export class JoinedEdits {
  readonly #pair: Pair;
  readonly #sealed: (edit: Accepted) => void;
  #edits: OpenEdit[] = [];

  /** `sealed` gets each edit once its updates are complete, in their order. */
  constructor(pair: Pair, sealed: (edit: Accepted) => void) {
    this.#pair = pair;
    this.#sealed = sealed;
  }

  /** Makes an edit of memory; `append` gives it to the journal, with updates that are complete once it is sealed. */
  add(
    peer: Peer,
    { change, after }: Pick<DraftedChange, "change" | "after">,
    append: (updates: UpdateRecord) => Promise<void>,
  ): Promise<void> {
    if (!this.#pair.joins(peer)) this.seal();
    this.#pair.join(peer, change.splices, after);
    const updates: OpenEdit["updates"] = {};
    const durable = append(updates);
    this.#edits.push({ change, updates, durable });
    return durable;
  }

  /** Commits the edits: the update of all belongs to the newest. @throws on a defect */
  seal(): void {
    const memory = this.#pair.seal();
    if (memory === undefined) return;
    const edits = this.#edits;
    this.#edits = [];
    for (const { updates } of edits.slice(0, -1)) updates.joined = true;
    edits.at(-1)!.updates.memory = memory;
    for (const edit of edits) this.#sealed(edit);
  }
}
