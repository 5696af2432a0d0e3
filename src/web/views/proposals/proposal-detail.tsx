import { useEffect, useRef, useState } from "preact/hooks";
import { filesOf } from "../../../client/browser.ts";
import { Ago } from "../../parts/ago.tsx";
import { Author } from "../../parts/changes/author.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { useKeys } from "../../parts/controls/use-keys.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { plural } from "../../state/base/plural.ts";
import { documentRoute, go } from "../../state/base/route.ts";
import { sentence } from "../../state/base/sentence.ts";
import { documentsByPath } from "../../state/documents/documents.ts";
import { type FollowedProposal, followProposal } from "../../state/proposals/follow-proposal.ts";
import { titleOf } from "../../state/proposals/proposal-files.ts";
import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";
import { Approvals } from "./approvals.tsx";
import { ProposalComments } from "./comments.tsx";
import { ProposalPane } from "./proposal-pane.tsx";
import { ProposedFiles } from "./proposed-files.tsx";
import { ReviewPanel } from "./review.tsx";
import { ConfidenceChip, DiffSize, OperationChip } from "./row.tsx";
import { neighbour } from "./selection.ts";
import { StatusChip } from "./status.tsx";
import { step } from "./step.ts";
import { UndoApproval } from "./undo-approval.tsx";

/** Shows a proposal with its reason, difference and status. Each id needs its own instance. */
export function ProposalDetail({ id }: { readonly id: string }) {
  const [followed, setFollowed] = useState<FollowedProposal>({ is: "loading" });
  const [notice, setNotice] = useState("");
  const split = useRef(false);
  const lastSeen = useRef<ProposalEntry>(undefined);
  const refresh = useRef(async () => {});
  useEffect(() => {
    const following = followProposal(
      id,
      (next) => {
        if (next.is === "known") {
          if (hasNewDiff(lastSeen.current, next.proposal))
            setNotice("The document has just changed. You now see the updated proposal.");
          lastSeen.current = next.proposal;
        }
        setFollowed(next);
      },
      () => (split.current ? 0 : undefined),
    );
    refresh.current = following.refresh;
    return following.end;
  }, [id]);
  const proposal = followed.is === "known" ? followed.proposal : undefined;
  const openable = proposal && openablePath(proposal);
  useKeys({ o: openable === undefined ? undefined : () => go(documentRoute(openable)) });

  if (followed.is === "loading")
    return (
      <ProposalPane title="Proposal">
        <Waiting />
      </ProposalPane>
    );
  if (followed.is === "unknown")
    return (
      <ProposalPane title="Proposal">
        <EmptyState icon="proposal" title="No such proposal">
          {sentence(followed.why)}
        </EmptyState>
      </ProposalPane>
    );
  const { status } = followed.proposal;
  return (
    <ProposalPane
      title={titleOf(followed.proposal)}
      {...(openable !== undefined && { path: openable })}
      chip={<StatusChip {...followed.proposal} />}
    >
      <ProposalSummary proposal={followed.proposal} />
      <div class="proposal-news" role="status">
        {notice !== "" && <p class="remark warn">{notice}</p>}
      </div>
      {status === "pending" ? (
        <ReviewPanel
          proposal={followed.proposal}
          byKeys
          isSplit={split.current}
          onSplit={() => {
            split.current = !split.current;
            lastSeen.current = undefined; // the differences are the same
            void refresh.current();
          }}
          onReviewed={async (reviewed) => {
            if (!reviewed.done) lastSeen.current = undefined; // the reason already explains the new difference
            await refresh.current();
            setNotice(reviewed.done ? "" : reviewed.why);
          }}
        />
      ) : (
        <>
          <Outcome proposal={followed.proposal} />
          <ProposedFiles proposal={followed.proposal} />
        </>
      )}
      <ProposalComments id={id} />
    </ProposalPane>
  );
}

/** Returns the path of a proposal's only file, if there is such a document. */
function openablePath(proposal: ProposalEntry): string | undefined {
  const [file, ...others] = filesOf(proposal);
  const isThere = others.length === 0 && documentsByPath.value?.has(file!.path) !== false;
  return isThere ? file!.path : undefined;
}

/** Returns whether the difference has changed since the reader saw it, without a review. */
function hasNewDiff(before: ProposalEntry | undefined, now: ProposalEntry): boolean {
  if (before === undefined || now.status !== "pending") return false;
  return before.diff !== now.diff && before.approvals.length === now.approvals.length;
}

/** Shows the author, reason and source of a proposal. */
function ProposalSummary({ proposal }: { readonly proposal: ProposalEntry }) {
  const {
    author,
    machine,
    created_at,
    confidence,
    diff,
    stale,
    status,
    reasoning,
    source_query,
    field,
    operation,
    files,
  } = proposal;
  return (
    <div class="proposal-summary">
      <div class="proposal-summary-facts">
        <Author author={author} machine={machine} />
        <Ago time={created_at} />
        {files === undefined && <OperationChip operation={operation} />}
        <ConfidenceChip confidence={confidence} />
        {field !== null && <span class="chip">{field}</span>}
        <DiffSize diffs={[diff]} />
      </div>
      <p class="reasoning">{reasoning}</p>
      {source_query !== null && (
        <blockquote class="source-query">
          <span class="quiet">In answer to:</span> {source_query}
        </blockquote>
      )}
      {stale && status === "pending" && (
        <p class="quiet">
          {files === undefined ? "The document has" : "Some of the files have"} changed since this was
          proposed. You see the proposal against the current text.
        </p>
      )}
      <Approvals proposal={proposal} />
    </div>
  );
}

/** Shows who reviewed a proposal, when and why, or why it needs no review. */
function Outcome({ proposal }: { readonly proposal: ProposalEntry }) {
  const { status, reviewer, reviewed_at, reason, approvals, withdrawn } = proposal;
  return (
    <div class={`outcome remark ${status === "approved" ? "good" : status === "rejected" ? "bad" : "warn"}`}>
      <p>
        {status === "superseded" && "Outdated: the text it would change is already changed or gone."}
        {status === "expired" && "Expired: no one reviewed it in time. It can be proposed again."}
        {(status === "approved" || status === "rejected") && (
          <>
            {status === "approved" ? "Approved" : withdrawn ? "Withdrawn" : "Rejected"} by{" "}
            <strong>{reviewer}</strong>
          </>
        )}
        {reviewed_at !== null && " "}
        {reviewed_at !== null && <Ago time={reviewed_at} />}
        {approvals.length > 1 && `, in ${plural(approvals.length, "part")}`}
      </p>
      {reason !== null && <p class="reasoning">“{reason}”</p>}
      <div class="actions">
        {neighbour(1) !== undefined && (
          <Button tone="primary" label="Next (j)" onClick={() => step(1)}>
            Next
          </Button>
        )}
        <UndoApproval proposal={proposal} />
      </div>
    </div>
  );
}
