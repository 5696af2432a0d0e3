import { type Image, sameContentStamp } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import type { UnseenSave } from "../../mirror/mirrored-document.ts";
import type { ChangeRecord, Origin, Seq } from "../../store/store.ts";
import { diff } from "../../text/diff/diff.ts";
import { commonHead, commonTail } from "../../text/diff/ends.ts";
import { merge } from "../../text/merge/merge.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { type Actor, DISK, LATE_WRITER, RESCUER } from "../access/actor.ts";
import { momentOf } from "../claims/claim.ts";
import { type Others, type OwnSave, reportOf } from "../claims/own-save.ts";
import { lackedSummary } from "../events/change-summary.ts";
import { isRefusal } from "../outcome/refusal.ts";
import { rescue } from "../saves/rescue.ts";
import { rescueMessage } from "../saves/rescue-message.ts";
import { isOlder, type SaveEvidence } from "../saves/save-evidence.ts";
import { mergedUnseen, type StaleBase, type StaleSave, staleSave } from "../saves/stale-save.ts";
import { digestNow } from "../versions/digest.ts";
import { versionOf } from "../versions/version.ts";
import { TokenWorkers } from "../workers/workers.ts";
import type { Context } from "./context.ts";
import { takenIn } from "./displaced-save.ts";
import type { DocumentState } from "./document-state.ts";

/**
 * Merges saves of other programs, rescues the edits that a stale save lacked (I6), and reports conflicts and removed
 * text.
 */
export class SaveIntake {
  readonly #context: Context;
  readonly #state: DocumentState;
  /** A worker's result: the splices that make `text` of the file's text `known`. */
  #comparison: { readonly known: Text; readonly text: Text; readonly splices: readonly Splice[] } | undefined;

  constructor(context: Context, state: DocumentState) {
    this.#context = context;
    this.#state = state;
  }

  /**
   * Returns the edits that a save removes and its author may not have seen; undefined when there are none. The file is
   * `image` now. A file that was deleted and made anew has a text of its own.
   */
  staleness(content: Decoded, image: Image): StaleSave | undefined {
    const { versions, texts, fileText: known, record } = this.#state;
    if (this.#context.limits.staleSaves === "disk" || record.deleted) return undefined;
    const saver = this.authorOf(image, content);
    const evidence = this.#evidence(saver);
    return staleSave({ versions, known, held: texts.newest, content, saver, evidence });
  }

  /** Has a worker compare a save with the file's text if that would take long, so that others continue (I14). */
  async compare({ text }: Decoded): Promise<void> {
    const known = this.#state.fileText;
    const [before, after] = [known.toString(), text.toString()];
    const head = commonHead(before, after);
    const common = head + commonTail(before, after, head);
    const workers = new TokenWorkers(this.#context.ports.workers, DISK);
    if (!workers.offloads(before.length + after.length - 2 * common)) return;
    const splices = await workers.run("diff", before, after);
    if (!isRefusal(splices)) this.#comparison = { known, text, splices };
  }

  /** Returns the splices of a save that `compare` found, if the file's text is the same still. */
  #compared({ text }: Decoded): readonly Splice[] | undefined {
    const found = this.#comparison;
    this.#comparison = undefined;
    return found?.known === this.#state.fileText && found.text === text ? found.splices : undefined;
  }

  /** Returns who saved the file that is `image` now; `content` is its new content, if that changed. */
  authorOf(image: Image, content?: Decoded): Actor {
    return this.#context.claims.authorOf([this.#state.path], momentOf(image), content);
  }

  /** Merges a save: the file, which is `image`, holds `content` now. */
  save(actor: Actor, origin: Origin, content: Decoded, image: Image, stale?: StaleSave): void {
    const state = this.#state;
    if (this.#isLeft(image)) return;
    state.revive(actor);
    const known = state.fileText;
    const before = state.head;
    const pending = stale?.rescue && this.#pending();
    const facts = { lacked: stale?.superseded, found: this.#compared(content) };
    const { overlaps } = state.takeIn(actor, origin, content, facts);
    if (overlaps.length > 0) state.announceConflict(actor, overlaps, known);
    const save = state.head;
    if (save === before) this.touch(actor, image);
    else state.texts.found({ seq: save.seq, isAlone: save.beside !== undefined }, image);
    const merged = state.text;
    const rescued = stale?.rescue && pending && this.#rescue(stale.rescue, known, pending);
    if (save !== before) this.announceRemoved(save);
    const beside = save.beside && { ...save.beside, text: merged };
    this.#tell(actor, content, {
      path: state.path,
      changeId: save.id,
      beside,
      rescued,
      removed: stale?.superseded,
    });
    // As of a new document: the program that saved the file decides whether it outlasts a power cut.
    const isKept = origin === "disk" && state.record.current.synced === undefined;
    this.noteFile({ image, bom: content.bom, ...(isKept && { synced: 0 }) });
  }

  /** Returns true for what a power cut left of the file: nobody has written it since. A renamed file is read again. */
  #isLeft(image: Image): boolean {
    const { texts, record } = this.#state;
    const known = record.current.image;
    return texts.isDamaged && known !== undefined && sameContentStamp(known, image);
  }

  /**
   * Merges a program's write into a file that the daemon had replaced: `known` became `content` there. Resolves once that
   * is durable, together with the note that an unseen save was taken in.
   */
  saveLate(known: Decoded, content: Decoded, unseen?: UnseenSave): Promise<void> {
    const { text, id } = this.#state;
    const { splices, conflicts } = merge(known.text.toString(), text.toString(), content.text.toString());
    const shelved = unseen === undefined ? [] : [takenIn(id, unseen.by)];
    if (splices.length === 0 && unseen === undefined) return this.#state.journal.durable;
    if (splices.length === 0) return this.#context.ports.store.shelve(...shelved);
    const meta = { origin: "disk", ...(unseen !== undefined && { message: unseen.message }) } as const;
    const drafted = this.#state.draft(LATE_WRITER, splices, meta);
    const durable = this.#state.commit(LATE_WRITER, drafted, { records: { shelved } });
    if (conflicts.length > 0) this.#state.announceConflict(LATE_WRITER, conflicts, known.text);
    return durable;
  }

  /** Records a new stamp of a file with the same text. */
  touch(actor: Actor, image: Image): void {
    this.#state.revive(actor);
    this.#state.texts.foundAgain(image);
    this.noteFile({ image });
  }

  /** Records the file that holds the disk replica's text, which is all text when every change has landed. */
  noteFile(seen: { readonly image: Image; readonly bom?: boolean; readonly synced?: Seq }): void {
    const { unwritten, head, record, journal } = this.#state;
    record.seen({ ...seen, ...(unwritten.length === 0 && { landed: head.seq }) }, journal.durable);
  }

  /**
   * Rescues the edits that the merged save lacked (I6), by a change of its own. `pending` are the edits that the file
   * did not hold before the save.
   */
  #rescue(
    { base, authors, evidence, text, merge }: StaleBase,
    known: Text,
    pending: readonly Splice[],
  ): Others | undefined {
    const state = this.#state;
    const { path } = state;
    const { splices, overlaps } = rescue(known, merge, pending, state.text);
    if (splices.length === 0) return undefined;
    const lacked = { base, authors, evidence };
    const message = rescueMessage(lacked);
    const [merged, whole] = [known.splice(merge.splices), state.text.splice(splices)];
    const beside = mergedUnseen(merged, whole, state.head.beside?.authors ?? []);
    const drafted = state.draft(RESCUER, splices, { origin: "undo", message, lacked, ...beside });
    void state.commit(RESCUER, drafted);
    const [version, changeId] = [versionOf(state.head), drafted.change.id];
    const { conflicts } = merge;
    state.announce({ type: "rescued", path, version, changeId, ...lackedSummary(lacked), conflicts, text });
    if (overlaps.length > 0) state.announceConflict(RESCUER, overlaps, known);
    return { authors, splices, text: whole };
  }

  /** Returns the edits that the file does not hold yet, as one edit of its text. */
  #pending(): readonly Splice[] {
    const { versions, texts, text, fileText } = this.#state;
    const since = texts.newest.isAlone ? undefined : versions.since(texts.newest.seq);
    return since ?? diff(fileText.toString(), text.toString());
  }

  /**
   * Returns the evidence, apart from the texts, of the version that a save was made from. Of two bounds the older one
   * tells more, so it comes first.
   */
  #evidence(saver: Actor): readonly SaveEvidence[] {
    const { texts } = this.#state;
    const { glimpsed } = texts;
    const read = texts.newestRead("some", "unclear");
    const unread: readonly SaveEvidence[] = [
      { by: "unread", text: read, isBound: true },
      { by: "unread", text: texts.newestRead("some"), isBound: true, isUnclear: true },
      ...(glimpsed ? [{ by: "unread", text: glimpsed, isBound: true, isUnclear: true } as const] : []),
    ];
    if (saver.credit?.certainty === "sure") return [...this.#readByAgent(saver), ...unread];
    const named = this.#loadedByEditors();
    const isLate = ({ text, isBound }: SaveEvidence) => isBound === true && isOlder(read, text);
    return [...named.filter((evidence) => !isLate(evidence)), ...unread, ...named.filter(isLate)];
  }

  #readByAgent(agent: Actor): readonly SaveEvidence[] {
    const { path, texts, versions } = this.#state;
    const read = this.#context.claims.reads.last(agent, path);
    if (read === undefined) return [];
    const change = read.sha256 === undefined ? undefined : versions.findHash(read.sha256);
    const text = change === undefined ? texts.at(read.at) : { seq: change.seq, isAlone: false };
    return text === undefined ? [] : [{ by: "claim", text }];
  }

  #loadedByEditors(): readonly SaveEvidence[] {
    const { path, texts } = this.#state;
    return this.#context.editors.loadedOf(path).flatMap((loaded): readonly SaveEvidence[] => {
      if (loaded.editor === "emacs") {
        const text = texts.at(loaded.changedAt);
        return text === undefined ? [] : [{ by: "editor", text, isBound: true }];
      }
      const named = texts.withStamps(loaded);
      const text = named.at(-1);
      return text === undefined ? [] : [{ by: "editor", text, instead: named.slice(0, -1) }];
    });
  }

  /** Notes the version that an agent has seen by its own save, and stores news about the save. */
  #tell(actor: Actor, content: Decoded, save: OwnSave): void {
    if (actor.credit === undefined || actor.credit.candidates !== undefined) return;
    const { reads, news } = this.#context.claims;
    reads.note(actor, this.#state.path, digestNow(content));
    const report = reportOf(save);
    if (report !== undefined) news.add(actor.agent, report);
  }

  /** Reports the edits of others that a change removed, perhaps on purpose (I6). */
  announceRemoved(change: ChangeRecord): void {
    const { author, id: changeId, lacked } = change;
    if (lacked === undefined) return;
    const { path } = this.#state;
    this.#state.announce({
      type: "superseded",
      path,
      version: versionOf(change),
      author,
      changeId,
      ...lackedSummary(lacked),
    });
  }
}
