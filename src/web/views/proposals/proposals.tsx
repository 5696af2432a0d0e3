import { useEffect } from "preact/hooks";
import { useKeys } from "../../parts/controls/use-keys.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { replaceRoute } from "../../state/base/route.ts";
import { pendingProposals } from "../../state/proposals/proposals.ts";
import { canBeMarked, toggleMark } from "./marked.ts";
import { PreviewDetail } from "./preview-detail.tsx";
import { ProposalDetail } from "./proposal-detail.tsx";
import { ProposalList } from "./proposal-list.tsx";
import { chosenId, firstId, shownTab } from "./selection.ts";
import { step } from "./step.ts";
import "./proposals.css";

/** The prefix of the ids of previews; ids of proposals have another one. */
const PREVIEW_PREFIX = "patch_";

/** Shows the list of proposals and edits to confirm, and the chosen one. */
export function ProposalsView() {
  const here = pendingProposals.value?.find(({ id }) => id === chosenId.value);
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    m: here !== undefined && canBeMarked(here) ? () => toggleMark(here.id) : undefined,
  });
  const first = firstId.value;
  useEffect(() => {
    if (first !== undefined) replaceRoute({ view: "proposals", id: first });
  }, [first]);
  return (
    <div class={`proposals${chosenId.value === undefined ? "" : " named"}`}>
      <h1 class="visually-hidden">Proposals</h1>
      <ProposalList />
      <ChosenPane id={chosenId.value} />
    </div>
  );
}

function ChosenPane({ id }: { readonly id: string | undefined }) {
  if (id === undefined)
    return (
      <section class="proposal-pane" aria-label="Proposal">
        {shownTab.value === "pending" &&
          pendingProposals.value !== undefined &&
          firstId.value === undefined && (
            <EmptyState icon="proposal" title="Nothing to review">
              Edits that need your approval appear here. Try it:{" "}
              <code>npx spliced propose notes.md old new</code>
            </EmptyState>
          )}
      </section>
    );
  return id.startsWith(PREVIEW_PREFIX) ? (
    <PreviewDetail key={id} id={id} />
  ) : (
    <ProposalDetail key={id} id={id} />
  );
}
