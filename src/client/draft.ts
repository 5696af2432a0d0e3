import { compose, rebase } from "../text/delta.ts";
import { diff } from "../text/diff/diff.ts";
import { invert, normalize, type Splice } from "../text/splice.ts";
import type { Text } from "../text/text.ts";
import { splitEdit } from "./split-edit.ts";

type Splices = readonly Splice[];

/**
 * A document with one client's unconfirmed edits: the confirmed text, the one sent edit, and the edits made since. Does
 * no I/O; positions are in code points. A method that changes the visible text returns the splices for an editor.
 *
 *     confirmed ── sent ──► · ── waiting ──► visible
 */
export class Draft {
  #confirmed: Text;
  #sent: Splices | undefined;
  #waiting: Splices = [];
  #visible: Text;

  constructor(text: Text) {
    this.#confirmed = text;
    this.#visible = text;
  }

  get confirmed(): Text {
    return this.#confirmed;
  }

  get visible(): Text {
    return this.#visible;
  }

  /** True while edits wait to be sent. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** True while edits are not confirmed. */
  get isPending(): boolean {
    return this.#sent !== undefined || this.isWaiting;
  }

  /**
   * Applies an own edit, in positions of the visible text. @throws RangeError when a position is outside it
   */
  edit(splices: Splices): void {
    this.#visible = this.#visible.splice(splices);
    this.#waiting = compose(this.#waiting, splices);
  }

  /**
   * Marks the waiting edits as sent and returns them, in positions of the confirmed text. An edit that
   * inserts more than `most` UTF-16 units is split; its rest keeps waiting.
   */
  send(most = Number.POSITIVE_INFINITY): Splices {
    if (this.#sent !== undefined) throw new Error("an edit is under way already");
    const { first, rest } = splitEdit(this.#waiting, most);
    this.#sent = first;
    this.#waiting = rest;
    return first;
  }

  /** Returns the sent edit to the waiting ones, because the daemon did not apply it. */
  unsend(): void {
    this.#waiting = compose(this.#sent ?? [], this.#waiting);
    this.#sent = undefined;
  }

  /** Applies a change of another author to the confirmed text and carries own edits over it. */
  applyRemote(splices: Splices): Splices {
    this.#confirmed = this.#confirmed.splice(splices);
    const crossed = cross(this.#sent ?? [], splices);
    if (this.#sent !== undefined) this.#sent = crossed.own;
    return this.#carryOver(crossed.theirs);
  }

  /** Confirms the sent edit as the daemon applied it, perhaps merged with other authors' changes. */
  confirm(splices: Splices): Splices {
    const expected = this.#confirmed.splice(this.#sent ?? []);
    const same = areSame(this.#sent ?? [], splices);
    this.#confirmed = same ? expected : this.#confirmed.splice(splices);
    this.#sent = undefined;
    return this.#carryOver(same ? [] : diff(expected.toString(), this.#confirmed.toString()));
  }

  /**
   * Reverts the sent edit, which the daemon refused. `lost` applies it again, in positions of the visible
   * text after that.
   */
  revertSent(): { readonly splices: Splices; readonly lost: Splices } {
    const sent = this.#sent ?? [];
    this.#sent = undefined;
    const splices = this.#carryOver(invert(normalize(sent), this.#confirmed.removed(normalize(sent))));
    return { splices, lost: cross(sent, this.#waiting).own };
  }

  /** Carries the waiting edits over a change of the text beneath them. */
  #carryOver(splices: Splices): Splices {
    const { own, theirs } = cross(this.#waiting, splices);
    this.#waiting = own;
    this.#visible = this.#visible.splice(theirs);
    return theirs;
  }
}

/**
 * Carries two edits of one text over each other. At the same position theirs comes first, as in the daemon.
 */
function cross(own: Splices, theirs: Splices): { readonly own: Splices; readonly theirs: Splices } {
  return { own: rebase(own, theirs).splices, theirs: rebase(theirs, own, "ours").splices };
}

function areSame(a: Splices, b: Splices): boolean {
  const [first, second] = [normalize(a), normalize(b)];
  return (
    first.length === second.length &&
    first.every((s, i) => {
      const other = second[i]!;
      return s.from === other.from && s.to === other.to && s.insert === other.insert;
    })
  );
}
