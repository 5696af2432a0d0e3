import type { Decoded } from "../../mirror/format.ts";
import type { Lacked } from "../../store/store.ts";
import { diff } from "../../text/diff/diff.ts";
import type { Text } from "../../text/text.ts";
import { editSize, onlyAdds } from "../../workspace/saves/ranges.ts";
import { staleSave } from "../../workspace/saves/stale-save.ts";
import type { FileState } from "./file-state.ts";
import { lackedEdits } from "./lacked.ts";
import type { ShownText } from "./shown-texts.ts";

/** The text that a write was made from, and the edits of others that it removes unread (I6f). */
interface Origin {
  readonly from: ShownText | undefined;
  readonly lacked: Lacked | undefined;
}

/** Returns the origin of a write in a lane's file. */
export function originOf(state: FileState, content: Decoded): Origin {
  const { document, agreed, host } = state;
  const { seq } = state.record;
  const { newest, oldest } = state.texts;
  const from =
    staleBase(state, content) ?? (seq === undefined ? undefined : { ...newest, seq, text: agreed.text });
  if (from === undefined || document === undefined || host.actor === undefined)
    return { from, lacked: undefined };
  return { from, lacked: lackedEdits(document.versions, host.actor, { oldest, from, content }) };
}

/** Returns the text that a write was made from, if that is older than the one that the file had (I6). */
function staleBase(state: FileState, content: Decoded): ShownText | undefined {
  const { document, agreed, texts } = state;
  const { actor, workspace } = state.host;
  const { seq, own } = state.record;
  if (actor === undefined || seq === undefined || workspace.limits.staleSaves === "disk") return undefined;
  if (document === undefined || document.closed !== undefined || document.deleted) return undefined;
  const base = texts.newestRead("some", "unclear");
  // A program that only adds to the file, or changes it in place, need not read it.
  if (base !== undefined)
    return isFrom(base, agreed, content) || onlyAddsTo(base, agreed, content) ? base : undefined;
  // A program may have read its own text back, and not the one before. Then its text only adds to what it had read.
  const before = texts.newestRead("some");
  const added = before && [...new Set([before, texts.oldest])].find((text) => addsTo(text, content));
  if (added !== undefined && isFrom(added, agreed, content)) return added;
  if (own !== undefined) return undefined;
  // Another program than the writer may have read the newest text.
  const held = { seq, isAlone: false };
  const judged = { known: agreed.text, held, content, saver: actor, evidence: [] };
  const named = staleSave({ versions: document.versions, ...judged })?.rescue?.base;
  const older = named === undefined ? undefined : document.versions.find(named);
  return older && { seq: older.seq, since: older.seq, text: document.versions.textAt(older.seq)! };
}

function addsTo({ text }: Pick<ShownText, "text">, content: Decoded): boolean {
  return onlyAdds(diff(text.toString(), content.text.toString()));
}

/** True where a write only adds to a text, and removes some of the newest one, which its author has not read. */
function onlyAddsTo(text: ShownText, newest: Decoded, content: Decoded): boolean {
  return addsTo(text, content) && !addsTo(newest, content);
}

/** True where a write differs less from a text than from the newest one. */
function isFrom({ text }: ShownText, newest: Decoded, content: Decoded): boolean {
  return changed(text, content.text) < changed(newest.text, content.text);
}

/** Returns the size of the difference between two texts, in code points. */
function changed(from: Text, to: Text): number {
  return editSize(diff(from.toString(), to.toString()));
}
