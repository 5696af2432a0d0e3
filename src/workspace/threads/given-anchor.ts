import type { Text } from "../../text/text.ts";
import { type CommonVersion, commonVersion, localVersionOf } from "../document/common-version.ts";
import type { Workspace } from "../folder/workspace.ts";
import { isRefusal } from "../outcome/refusal.ts";
import type { StoredAnchor } from "./thread.ts";

/** An anchor as all machines know it: in the text of a version that other machines may lack. */
export interface GivenAnchor extends Omit<StoredAnchor, "base"> {
  readonly base: CommonVersion;
}

/** Returns an anchor for other machines. */
export function givenAnchor({ ports }: Workspace, { base, ...anchor }: StoredAnchor): GivenAnchor {
  return { ...anchor, base: commonVersion(ports.store, anchor.docId, base) };
}

/** Returns another machine's anchor in a version of this machine, at the nearest place of its quote. */
export async function takenAnchor(
  workspace: Workspace,
  { base, ...anchor }: GivenAnchor,
): Promise<StoredAnchor> {
  const document = await workspace.openedById(anchor.docId);
  if (document === undefined || isRefusal(document)) return { ...anchor, base: base.change };
  const local = localVersionOf(document, workspace.ports.store, base);
  if (local?.isSame === true) return { ...anchor, base: local.version };
  const version = local?.version ?? document.version;
  const seq = document.versions.find(version)?.seq;
  const text = seq === undefined ? undefined : document.versions.textAt(seq);
  const from = text && nearestPlace(text, anchor.quote, anchor.from);
  if (from === undefined) return { ...anchor, base: base.change };
  return { ...anchor, base: version, from, to: from + anchor.to - anchor.from };
}

/** Returns the place of a quote that is nearest to a position, in code points. */
function nearestPlace(text: Text, quote: string, near: number): number | undefined {
  if (quote === "") return Math.min(near, text.chars);
  const chars = Array.from(text.toString());
  const wanted = Array.from(quote);
  let best: number | undefined;
  for (let at = 0; at + wanted.length <= chars.length; at++) {
    if (best !== undefined && Math.abs(at - near) >= Math.abs(best - near)) continue;
    if (wanted.every((char, i) => chars[at + i] === char)) best = at;
  }
  return best;
}
