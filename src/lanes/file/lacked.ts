import type { Lacked } from "../../store/store.ts";
import { diff } from "../../text/diff/diff.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import { erasedSteps } from "../../workspace/saves/erased-steps.ts";
import { versionOf } from "../../workspace/versions/version.ts";
import type { VersionHistory } from "../../workspace/versions/version-history.ts";
import type { ShownText } from "./shown-texts.ts";
import type { Save } from "./take-in.ts";

/**
 * Returns the edits of others that a write in a lane removes although nothing in it shows that its author had seen
 * them: those that came into the file after `oldest`, the text that the agent wrote last.
 */
export function lackedEdits(
  versions: VersionHistory,
  { agent }: Actor,
  { oldest, from, content }: { readonly oldest: ShownText; readonly from: ShownText } & Pick<Save, "content">,
): Lacked | undefined {
  const base = versions.change(oldest.since);
  const splices = diff(oldest.text.toString(), from.text.toString());
  if (base === undefined || splices.length === 0) return undefined;
  const others = new Set<string>();
  for (let seq = oldest.since + 1; seq <= from.seq; seq++) {
    const change = versions.change(seq);
    if (change !== undefined && change.agent !== agent) others.add(change.author);
  }
  const authors = [...others];
  if (authors.length === 0) return undefined;
  const step = { splices, removed: oldest.text.removed(splices), from: oldest.since, authors };
  const changes = diff(from.text.toString(), content.text.toString());
  const erased = erasedSteps([step], from.text, content.text, changes);
  return erased.length === 0 ? undefined : { base: versionOf(base), authors, evidence: "texts" };
}
