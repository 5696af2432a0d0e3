import type { Image } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import type { ChangeRecord, Lacked, Origin } from "../../store/store.ts";
import type { Overlap } from "../../text/delta.ts";
import { merge } from "../../text/merge.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { type Actor, DISK, LATE_WRITER, RESCUER } from "../access/actor.ts";
import { rescue } from "../saves/rescue.ts";
import { mergedUnseen, type StaleBase, type StaleSave, staleSave } from "../saves/stale-save.ts";
import { versionOf } from "../versions/version.ts";
import type { Context } from "./context.ts";
import type { DocumentState } from "./document-state.ts";

/**
 * Owns what becomes of saves from outside: it merges them, gives back what a stale save lacked (I6), and reports
 * conflicts and text that a save took out.
 */
export class SaveIntake {
  readonly #context: Context;
  readonly #state: DocumentState;

  constructor(context: Context, state: DocumentState) {
    this.#context = context;
    this.#state = state;
  }

  /** Returns what a save takes out that its author need not have seen; undefined when it takes out nothing. */
  staleness(content: Decoded): StaleSave | undefined {
    if (this.#context.limits.staleSaves === "disk") return undefined;
    const { versions, newestLanded, fileText } = this.#state;
    return staleSave(versions, newestLanded, fileText, content);
  }

  /** Merges a save: the file, which is `image`, holds `content` now. */
  save(actor: Actor, origin: Origin, content: Decoded, image: Image, stale?: StaleSave): void {
    const state = this.#state;
    this.announceRevival(actor);
    const known = state.fileText;
    const pending = stale?.rescue && state.versions.since(state.newestLanded);
    const { overlaps } = state.takeIn(actor, origin, content, stale?.superseded);
    if (overlaps.length > 0) this.#announceConflict(actor, overlaps, known);
    const save = state.head;
    if (stale?.rescue && pending) this.#rescue(stale.rescue, known, pending);
    if (stale?.superseded) this.#announceSuperseded(save, stale.superseded);
    this.noteFile({ image, bom: content.bom });
  }

  /** Merges what a program wrote into a file that was replaced before: `known` became `content` there. */
  saveLate(known: Decoded, content: Decoded): void {
    const { text } = this.#state;
    const { splices, conflicts } = merge(known.text.toString(), text.toString(), content.text.toString());
    if (splices.length === 0) return;
    void this.#state.commit(LATE_WRITER, this.#state.draft(LATE_WRITER, splices, { origin: "disk" }));
    if (conflicts.length > 0) this.#announceConflict(LATE_WRITER, conflicts, known.text);
  }

  /** The file is the same text, but has another stamp. */
  touch(image: Image): void {
    this.announceRevival(DISK);
    this.noteFile({ image });
  }

  /** Announces that a deleted document has a file again. */
  announceRevival({ name: author }: Actor): void {
    const { record, path, id: docId } = this.#state;
    if (record.deleted) this.#state.announce({ type: "created", path, docId, author });
  }

  /** Records the file that holds the disk replica's text, which is all text when every change has landed. */
  noteFile(seen: { readonly image: Image; readonly bom?: boolean }): void {
    const { unwritten, head, record, journal } = this.#state;
    record.seen({ ...seen, ...(unwritten.length === 0 && { landed: head.seq }) }, journal.durable);
  }

  /**
   * Gives back what the save that was just merged lacked (I6), by a change of its own. `pending` is what the file
   * did not hold before the save.
   */
  #rescue({ base, authors, text, merge }: StaleBase, known: Text, pending: readonly Splice[]): void {
    const state = this.#state;
    const { path } = state;
    const { splices, overlaps } = rescue(known, merge, pending, state.text);
    if (splices.length === 0) return;
    const lacked = { base, authors };
    const message = `gives back what ${authors.join(", ")} wrote, which a save made from ${base} lacked`;
    const [merged, whole] = [known.splice(merge.splices), state.text.splice(splices)];
    const beside = mergedUnseen(merged, whole, state.head.beside?.authors ?? []);
    const drafted = state.draft(RESCUER, splices, { origin: "undo", message, lacked, ...beside });
    void state.commit(RESCUER, drafted);
    const [version, changeId] = [versionOf(state.head), drafted.change.id];
    const { conflicts } = merge;
    state.announce({ type: "rescued", path, version, changeId, ...lacked, conflicts, text });
    if (overlaps.length > 0) this.#announceConflict(RESCUER, overlaps, known);
  }

  /** Reports what a save took out that may have been meant (I6). */
  #announceSuperseded(save: ChangeRecord, lacked: Lacked): void {
    const { path } = this.#state;
    this.#state.announce({
      type: "superseded",
      path,
      version: versionOf(save),
      changeId: save.id,
      ...lacked,
    });
  }

  #announceConflict({ name: author }: Actor, conflicts: readonly Overlap[], base: Text): void {
    const { path, head } = this.#state;
    this.#state.announce({ type: "conflict", path, version: versionOf(head), author, conflicts, base });
  }
}
