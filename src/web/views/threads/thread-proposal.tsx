import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { type FollowedProposal, followProposal } from "../../state/follow-proposal.ts";
import { reasonNotWritable } from "../../state/permission.ts";
import { aboutText, pathsOf } from "../../state/proposal-files.ts";
import type { ProposalEntry } from "../../state/proposal-types.ts";
import { hrefOf } from "../../state/route.ts";
import { approve, type ReviewResult, reject } from "../proposals/actions.ts";
import { ProposedFiles } from "../proposals/proposed-files.tsx";
import { RejectForm } from "../proposals/reject-form.tsx";
import { StatusChip } from "../proposals/status.tsx";
import { UndoApproval } from "../proposals/undo-approval.tsx";

/** Shows a proposal of an answer with its difference, and lets the person decide it. */
export function ThreadProposal({ id }: { readonly id: string }) {
  const [followed, setFollowed] = useState<FollowedProposal>({ is: "loading" });
  const [why, setWhy] = useState("");
  const refresh = useRef(async () => {});
  useEffect(() => {
    const following = followProposal(id, setFollowed);
    refresh.current = following.refresh;
    return following.end;
  }, [id]);
  if (followed.is === "loading") return <p class="quiet">Loading the proposal …</p>;
  if (followed.is === "unknown") return <p class="quiet">The proposal is not there any more.</p>;
  const { proposal } = followed;
  const { status, reasoning } = proposal;
  const about = aboutText(proposal);
  const decided = async (deciding: Promise<ReviewResult>) => {
    const result = await deciding;
    setWhy(result.done ? "" : result.why);
    await refresh.current();
  };
  return (
    <section class="thread-proposal card" aria-label={`Proposal for ${about}`}>
      <header>
        <h3>Proposal for {about}</h3>
        <StatusChip status={status} />
        <span class="spacer" />
        <a href={hrefOf({ view: "proposals", id })}>Open</a>
      </header>
      {reasoning !== "" && <p>{reasoning}</p>}
      <ProposedFiles proposal={proposal} lines={200} />
      {why !== "" && (
        <p class="remark warn" role="alert">
          {why}
        </p>
      )}
      {status === "pending" ? (
        <Decision proposal={proposal} onDecide={(deciding) => void decided(deciding)} />
      ) : (
        <Outcome proposal={proposal} />
      )}
    </section>
  );
}

function Decision({
  proposal,
  onDecide,
}: {
  readonly proposal: ProposalEntry;
  readonly onDecide: (deciding: Promise<ReviewResult>) => void;
}) {
  const [rejecting, setRejecting] = useState(false);
  const { conflicts, problem } = proposal;
  const barred = reasonNotWritable(pathsOf(proposal));
  if (rejecting)
    return (
      <RejectForm
        onReject={(reason) => {
          setRejecting(false);
          onDecide(reject(proposal, reason));
        }}
        onCancel={() => setRejecting(false)}
      />
    );
  return (
    <>
      {conflicts.length > 0 && (
        <p class="remark bad">Later edits changed the same text. Open the proposal to see where.</p>
      )}
      {problem !== null && <p class="remark bad">You cannot approve this now: {problem}</p>}
      {barred !== undefined && <p class="remark warn">{barred}</p>}
      <div class="actions">
        <Button
          tone="primary"
          disabled={barred !== undefined || problem !== null || conflicts.length > 0}
          onClick={() => onDecide(approve(proposal, undefined))}
        >
          Approve
        </Button>
        <Button tone="danger" disabled={barred !== undefined} onClick={() => setRejecting(true)}>
          Reject …
        </Button>
      </div>
    </>
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
