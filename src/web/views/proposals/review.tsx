import { useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Diff } from "../../parts/diff.tsx";
import { useKeys } from "../../parts/use-keys.ts";
import { reasonNotWritable } from "../../state/permission.ts";
import { plural } from "../../state/plural.ts";
import type { ProposalEntry } from "../../state/proposal-types.ts";
import { approve, type ReviewResult, reject } from "./actions.ts";
import { ProposalConflicts } from "./conflicts.tsx";
import { focusTitle } from "./focus.ts";
import { hunkNames, toggleMember } from "./hunk-choice.ts";
import { RejectForm } from "./reject-form.tsx";

interface ReviewPanelProps {
  readonly proposal: ProposalEntry;
  readonly onReviewed: (reviewed: ReviewResult) => void;
}

/** Lets the person approve a pending proposal, approve some of its changes, or reject it. */
export function ReviewPanel({ proposal, onReviewed }: ReviewPanelProps) {
  const { hunks, conflicts, path, problem, diff } = proposal;
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const [rejecting, setRejecting] = useState(false);
  const [busy, setBusy] = useState(false);
  const list = useRef<HTMLDivElement>(null);

  const names = hunkNames(hunks);
  const several = hunks.length > 1;
  const included = hunks.filter((_, i) => !several || !excluded.has(names[i]!)).map(({ number }) => number);
  const all = included.length === hunks.length;
  const approving = all
    ? `Approve${several ? " all" : ""}`
    : `Approve ${included.length} of ${plural(hunks.length, "change")}`;
  const barred = reasonNotWritable([path]);
  const stuck = problem !== null || conflicts.length > 0;
  const off = busy || barred !== undefined;

  const decide = async (deciding: Promise<ReviewResult>) => {
    setBusy(true);
    const reviewed = await deciding;
    setBusy(false);
    setRejecting(false);
    if (reviewed.done) setExcluded(new Set());
    focusTitle();
    onReviewed(reviewed);
  };
  const approveThese = (numbers: readonly number[]) =>
    void decide(approve(proposal, numbers.length === hunks.length ? undefined : numbers));
  const toggle = (i: number) => setExcluded(toggleMember(excluded, names[i]!));
  const boxes = () => [...(list.current?.querySelectorAll<HTMLInputElement>("input[type=checkbox]") ?? [])];
  const focused = () => boxes().indexOf(document.activeElement as HTMLInputElement);
  const goToHunk = (steps: 1 | -1) =>
    boxes()
      .at(Math.min(Math.max(0, focused() + steps), hunks.length - 1))
      ?.focus();

  useKeys({
    a: off || stuck || rejecting || included.length === 0 ? undefined : () => approveThese(included),
    r: off ? undefined : () => setRejecting(true),
    n: several ? () => goToHunk(1) : undefined,
    p: several ? () => goToHunk(-1) : undefined,
    x: several
      ? () => {
          if (focused() < 0) goToHunk(1);
          toggle(Math.max(0, focused()));
        }
      : undefined,
  });

  return (
    <>
      <div class="actions review-actions">
        <Button
          tone="primary"
          disabled={off || stuck || included.length === 0}
          label={`${approving} (a)`}
          onClick={() => approveThese(included)}
        >
          {approving}
        </Button>
        {!all && (
          <Button disabled={off || stuck} onClick={() => setExcluded(new Set())}>
            Select all
          </Button>
        )}
        <Button tone="danger" disabled={off} label="Reject … (r)" onClick={() => setRejecting(true)}>
          Reject …
        </Button>
      </div>
      {barred !== undefined && <p class="remark warn">{barred}</p>}
      {rejecting && (
        <RejectForm
          onReject={(reason) => void decide(reject(proposal, reason))}
          onCancel={() => {
            setRejecting(false);
            focusTitle();
          }}
        />
      )}
      {problem !== null && <p class="remark bad">You cannot approve this now: {problem}</p>}
      {conflicts.length > 0 && (
        <>
          <ProposalConflicts conflicts={conflicts} />
          <p class="quiet">The text with both changes:</p>
        </>
      )}
      <div ref={list} class="hunks">
        {several ? (
          <Diff
            diff={diff}
            hunkHead={(i, { range }) => (
              <>
                <label class="hunk-choice" title="Include or exclude this change (x)">
                  <input type="checkbox" checked={!excluded.has(names[i] ?? "")} onChange={() => toggle(i)} />
                  Change {i + 1}
                </label>
                <span class="diff-range">{range}</span>
                <button
                  type="button"
                  class="hunk-approve"
                  disabled={off || stuck}
                  onClick={() => approveThese([hunks[i]!.number])}
                >
                  Approve this change
                </button>
              </>
            )}
          />
        ) : (
          <Diff diff={diff} />
        )}
      </div>
    </>
  );
}
