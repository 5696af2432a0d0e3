import { setImmediate } from "node:timers/promises";
import { type ChangeRecord, firstSeqOf } from "../../store/store.ts";
import { compose, rebase } from "../../text/delta.ts";
import { minimal } from "../../text/diff/minimal.ts";
import { invert, type Splice } from "../../text/splice.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { type FileChange, isFileChange, othersSince } from "./undo-file.ts";

/** A plan to undo several changes of one document. */
export interface UndoPlan {
  readonly document: Document;
  /** The changes to undo, newest first. */
  readonly targets: readonly ChangeRecord[];
  /** In the positions of the text at `version`. */
  readonly splices: readonly Splice[];
  readonly version: string;
  /** The operation on the file, with the changes of the file that this undoes. */
  readonly file?: { readonly do: "remove" | "restore"; readonly undoes: readonly FileChange[] };
  /** The former path of the file. */
  readonly rename?: { readonly to: string; readonly undoes: readonly FileChange[] };
}

/** The most changes of one document that an undo looks through. */
const MOST_CHANGES = 20_000;
/** The changes that are looked through before other requests get a turn (I14). */
const YIELD_EVERY = 100;

/**
 * Plans to undo changes of one document, and to preserve all others. Refused where others build on them.
 */
export async function planUndo(
  document: Document,
  changes: readonly ChangeRecord[],
): Promise<Outcome<UndoPlan>> {
  const { version } = document;
  const targets = changes.toSorted((a, b) => b.seq - a.seq); // their times may be of a clock that was wrong
  const events = targets.filter(isFileChange);
  const existence = events.filter(({ file }) => file.kind !== "rename");
  const first = existence.at(-1);
  const wasThere = first === undefined ? !document.deleted : first.file.kind === "delete";
  const common = { document, targets, version };
  if (!wasThere) {
    if (document.deleted) return { ...common, splices: [] };
    const others = first && othersSince(document, first.agent, first.seq);
    return others ?? { ...common, splices: [], file: { do: "remove", undoes: existence } };
  }
  const rename = renameOf(document, events);
  if (isRefusal(rename)) return rename;
  const splices = await splicesOf(document, targets);
  if (isRefusal(splices)) return splices;
  return {
    ...common,
    splices,
    ...(document.deleted && existence.length > 0 && { file: { do: "restore", undoes: existence } }),
    ...(rename && { rename }),
  };
}

/** Returns the edit of the newest text that takes the changes back, one after the other. */
async function splicesOf(
  document: Document,
  targets: readonly ChangeRecord[],
): Promise<Outcome<readonly Splice[]>> {
  const { head, versions } = document;
  const edits = targets.filter(({ splices }) => splices.length > 0);
  const wanted = new Set(edits.map(({ seq }) => versions.entry(seq)?.seq ?? seq));
  const oldest = Math.min(...wanted);
  if (wanted.size > 0 && head.seq - oldest > MOST_CHANGES)
    return new Refusal("TOO_LARGE", `more than ${MOST_CHANGES} changes were made since`, {
      suggestion: "Name a later time.",
    });
  let { text } = document;
  let undo: Splice[] = [];
  /** The edit of `text` that leads to the newest text without the changes undone so far. */
  let later: readonly Splice[] = [];
  const others = new Set<string>();
  let looked = 0;
  for (let seq = head.seq; seq >= oldest; ) {
    if (++looked % YIELD_EVERY === 0) await setImmediate();
    const change = versions.entry(seq);
    if (change === undefined)
      return new Refusal("NOT_FOUND", "the history no longer reaches back that far", {
        suggestion: "Name a later time.",
      });
    const back = invert(change.splices, change.removed);
    if (wanted.has(seq)) {
      const at = text;
      const came = later.flatMap((splice) => minimal(at, splice));
      const { splices, overlaps } = rebase(back, came);
      if (overlaps.length > 0) return overlapRefusal(change, others);
      undo = compose(undo, splices);
      later = compose(came, splices);
    } else if (change.splices.length > 0) others.add(change.author);
    text = text.splice(back);
    later = compose(change.splices, later);
    seq = firstSeqOf(change) - 1;
  }
  return undo;
}

function overlapRefusal({ id }: ChangeRecord, others: ReadonlySet<string>): Refusal {
  return new Refusal("CONFLICT", `${[...others].join(", ")} changed the same text since ${id}`, {
    suggestion: "Undo these changes first, or undo single changes.",
    details: { changeId: id },
  });
}

/** Returns the path that the file had before its renames; refused if others renamed it since. */
function renameOf(document: Document, events: readonly FileChange[]): Outcome<UndoPlan["rename"]> {
  const renames = events.filter(({ file }) => file.kind === "rename");
  const first = renames.at(-1);
  if (first?.file.kind !== "rename") return undefined;
  const own = new Set(renames.map(({ seq }) => seq));
  for (let seq = document.head.seq; seq > first.seq; seq--) {
    const change = document.versions.change(seq);
    if (change?.file?.kind === "rename" && !own.has(seq))
      return new Refusal("CONFLICT", `${change.author} renamed the file since`, {
        suggestion: "Undo that first.",
        details: { changeId: change.id },
      });
  }
  return first.file.from === document.path ? undefined : { to: first.file.from, undoes: renames };
}
