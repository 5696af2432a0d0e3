import { diff } from "../text/diff/diff.ts";
import { makesTokens } from "../text/merge/made-tokens.ts";
import { mergeEdits } from "../text/merge/merge-edits.ts";
import type { Splice } from "../text/splice.ts";
import { Text } from "../text/text.ts";
import type { TakenIn } from "./updates.ts";

/** A save and the edits that its author had not seen: both begin with the text `known`. */
interface SaveBesideEdits {
  readonly known: string;
  readonly saved: readonly Splice[];
  readonly pending: readonly Splice[];
  /** The texts that the edits made, and the save. */
  readonly before: Text;
  readonly text: Text;
}

/**
 * Returns where a save and the edits beside it changed the same text, and the splices that mend Loro's merge of them.
 * Neither merging the splices nor Loro loses text, so the longer of both results contains something twice. Loro merges
 * characters, so where the sides meet its text may have a word or a number that neither side wrote.
 */
export function mergeSave(
  { known, saved, pending, before, text }: SaveBesideEdits,
  loro: Text,
): Pick<TakenIn, "overlaps"> & { readonly corrections: readonly Splice[] } {
  const merged = mergeEdits(Text.of(known), saved, pending);
  const overlaps = [...merged.overlaps, ...merged.close];
  const wanted = before.splice(merged.splices);
  const isMended =
    wanted.chars < loro.chars ||
    (!wanted.equals(loro) && makesTokens(loro.toString(), [known, before.toString(), text.toString()]));
  return { overlaps, corrections: isMended ? diff(loro.toString(), wanted.toString()) : [] };
}
