import { compose, rebase } from "../text/delta.ts";
import { diff } from "../text/diff.ts";
import { invert, normalize, type Splice } from "../text/splice.ts";
import type { Text } from "../text/text.ts";
import { parted } from "./parted.ts";

type Splices = readonly Splice[];

/**
 * A document as one client sees it while its own edits are on their way: the text that the daemon has confirmed,
 * on it the one edit that was sent, on that those made since. Does no I/O; positions count code points. What
 * changes the shown text answers the splices that do the same to an editor's.
 *
 *     confirmed ── sent ──► · ── waiting ──► shown
 */
export class Draft {
  #confirmed: Text;
  #sent: Splices | undefined;
  #waiting: Splices = [];
  #shown: Text;

  constructor(text: Text) {
    this.#confirmed = text;
    this.#shown = text;
  }

  get confirmed(): Text {
    return this.#confirmed;
  }

  get shown(): Text {
    return this.#shown;
  }

  /** There are edits that are not sent. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** There are edits that are not confirmed. */
  get isPending(): boolean {
    return this.#sent !== undefined || this.isWaiting;
  }

  /** Makes an own edit, in the positions of the shown text. @throws RangeError where it does not fit that */
  edit(splices: Splices): void {
    this.#shown = this.#shown.splice(splices);
    this.#waiting = compose(this.#waiting, splices);
  }

  /**
   * Takes what waits as the edit that is sent, in the positions of the confirmed text. Of what puts in more than
   * `most` UTF-16 units, the rest goes on waiting.
   */
  send(most = Number.POSITIVE_INFINITY): Splices {
    if (this.#sent !== undefined) throw new Error("an edit is under way already");
    const { first, rest } = parted(this.#waiting, most);
    this.#sent = first;
    this.#waiting = rest;
    return first;
  }

  /** What was sent was not made, and waits again. */
  unsend(): void {
    this.#waiting = compose(this.#sent ?? [], this.#waiting);
    this.#sent = undefined;
  }

  /** Others changed the confirmed text: own edits are carried over that. */
  theirs(splices: Splices): Splices {
    this.#confirmed = this.#confirmed.splice(splices);
    const beneath = cross(this.#sent ?? [], splices);
    if (this.#sent !== undefined) this.#sent = beneath.own;
    return this.#beneath(beneath.theirs);
  }

  /** What was sent is confirmed as the daemon made it, perhaps with others' changes in it. */
  ours(splices: Splices): Splices {
    const meant = this.#confirmed.splice(this.#sent ?? []);
    const same = areSame(this.#sent ?? [], splices);
    this.#confirmed = same ? meant : this.#confirmed.splice(splices);
    this.#sent = undefined;
    return this.#beneath(same ? [] : diff(meant.toString(), this.#confirmed.toString()));
  }

  /** What was sent is refused and taken back out; `lost` puts it back, in the positions of what is shown then. */
  refused(): { readonly splices: Splices; readonly lost: Splices } {
    const sent = this.#sent ?? [];
    this.#sent = undefined;
    const splices = this.#beneath(invert(normalize(sent), this.#confirmed.removed(normalize(sent))));
    return { splices, lost: cross(sent, this.#waiting).own };
  }

  /** The text beneath the waiting edits changed. */
  #beneath(splices: Splices): Splices {
    const { own, theirs } = cross(this.#waiting, splices);
    this.#waiting = own;
    this.#shown = this.#shown.splice(theirs);
    return theirs;
  }
}

/** Both edits of one text, each carried over the other; at one place theirs comes first, as the daemon has it. */
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
