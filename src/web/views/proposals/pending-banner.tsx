import { Icon } from "../../parts/controls/icon.tsx";
import { hrefOf } from "../../state/base/route.ts";
import { isAbout } from "../../state/proposals/proposal-files.ts";
import { pendingPreviews, pendingProposals } from "../../state/proposals/proposals.ts";
import { pendingText } from "./pending-text.ts";
import "./proposals.css";

/** Shows above a document the number of its proposals and edits that need a review. */
export function PendingBanner({ path }: { readonly path: string }) {
  const proposals = pendingProposals.value?.filter((proposal) => isAbout(proposal, path)) ?? [];
  const edits = pendingPreviews.value?.filter(({ files }) => files.some((file) => file.path === path)) ?? [];
  const first = edits[0]?.patch_id ?? proposals[0]?.id;
  if (first === undefined) return null;
  return (
    <aside class="pending-banner" aria-label="To review in this document">
      <Icon name="proposal" size={14} />
      <span>{pendingText(proposals.length, edits.length)}</span>
      <a href={hrefOf({ view: "proposals", id: first })}>Review</a>
    </aside>
  );
}
