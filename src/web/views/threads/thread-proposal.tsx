import { useEffect, useRef, useState } from "preact/hooks";
import { hrefOf } from "../../state/base/route.ts";
import { type FollowedProposal, followProposal } from "../../state/proposals/follow-proposal.ts";
import { aboutText } from "../../state/proposals/proposal-files.ts";
import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";
import { Approvals } from "../proposals/approvals.tsx";
import { ProposedFiles } from "../proposals/proposed-files.tsx";
import { ReviewPanel } from "../proposals/review.tsx";
import { StatusChip } from "../proposals/status.tsx";
import { UndoApproval } from "../proposals/undo-approval.tsx";

/** Shows a proposal of an answer with its difference, and lets the person decide it. */
export function ThreadProposal({ id }: { readonly id: string }) {
  const [followed, setFollowed] = useState<FollowedProposal>({ is: "loading" });
  const [why, setWhy] = useState("");
  const split = useRef(false);
  const refresh = useRef(async () => {});
  useEffect(() => {
    const following = followProposal(id, setFollowed, () => (split.current ? 0 : undefined));
    refresh.current = following.refresh;
    return following.end;
  }, [id]);
  if (followed.is === "loading") return <p class="quiet">Loading the proposal …</p>;
  if (followed.is === "unknown") return <p class="quiet">The proposal is not there any more.</p>;
  const { proposal } = followed;
  const { status, reasoning } = proposal;
  const about = aboutText(proposal);
  return (
    <section class="thread-proposal card" aria-label={`Proposal for ${about}`}>
      <header>
        <h3>Proposal for {about}</h3>
        <StatusChip {...proposal} />
        <span class="spacer" />
        <a href={hrefOf({ view: "proposals", id })}>Open</a>
      </header>
      {reasoning !== "" && <p>{reasoning}</p>}
      <Approvals proposal={proposal} />
      {why !== "" && (
        <p class="remark warn" role="alert">
          {why}
        </p>
      )}
      {status === "pending" ? (
        <ReviewPanel
          proposal={proposal}
          byKeys={false}
          isSplit={split.current}
          onSplit={() => {
            split.current = !split.current;
            void refresh.current();
          }}
          onReviewed={async (reviewed) => {
            await refresh.current();
            setWhy(reviewed.done ? "" : reviewed.why);
          }}
        />
      ) : (
        <>
          <ProposedFiles proposal={proposal} lines={200} />
          <Outcome proposal={proposal} />
        </>
      )}
    </section>
  );
}

function Outcome({ proposal }: { readonly proposal: ProposalEntry }) {
  const { reviewer, reason } = proposal;
  return (
    <div class="actions">
      {reviewer !== null && (
        <span class="quiet">
          by {reviewer}
          {reason !== null && `: “${reason}”`}
        </span>
      )}
      <UndoApproval proposal={proposal} />
    </div>
  );
}
