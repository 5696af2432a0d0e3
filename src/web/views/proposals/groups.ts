import { filesOf } from "../../../client/browser.ts";
import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";

/** The proposals of one document, or of the same several, newest first. */
interface ProposalGroup {
  readonly paths: readonly string[];
  readonly proposals: readonly ProposalEntry[];
}

/** Groups proposals by the files that they are about. Groups with a newer proposal come first. */
export function groupByPath(proposals: readonly ProposalEntry[]): ProposalGroup[] {
  const groups = new Map<string, ProposalEntry[]>();
  for (const proposal of proposals) {
    const key = JSON.stringify([...new Set(filesOf(proposal).map(({ path }) => path))]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [proposal]);
    else group.push(proposal);
  }
  return [...groups].map(([key, of]) => ({ paths: JSON.parse(key) as string[], proposals: of }));
}
