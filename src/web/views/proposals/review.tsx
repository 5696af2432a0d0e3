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

/** Decides on a pending proposal: all of it, some of its hunks, or not. */
export function ReviewPanel({ proposal, onReviewed }: ReviewPanelProps) {
  const { hunks, conflicts, path, problem, diff } = proposal;
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [rejecting, setRejecting] = useState(false);
  const [busy, setBusy] = useState(false);
  const list = useRef<HTMLDivElement>(null);

  const names = hunkNames(hunks);
  const several = hunks.length > 1;
  const taken = hunks.filter((_, i) => !several || !left.has(names[i]!)).map(({ number }) => number);
  const all = taken.length === hunks.length;
  const approving = all
    ? `Approve${several ? " all" : ""}`
    : `Approve ${taken.length} of ${plural(hunks.length, "hunk")}`;
  const barred = reasonNotWritable([path]);
  const stuck = problem !== null || conflicts.length > 0;
  const off = busy || barred !== undefined;

  const decide = async (deciding: Promise<ReviewResult>) => {
    setBusy(true);
    const reviewed = await deciding;
    setBusy(false);
    setRejecting(false);
    if (reviewed.done) setLeft(new Set());
    focusTitle();
    onReviewed(reviewed);
  };
  const approveThese = (numbers: readonly number[]) =>
    void decide(approve(proposal, numbers.length === hunks.length ? undefined : numbers));
  const toggle = (i: number) => setLeft(toggleMember(left, names[i]!));
  const boxes = () => [...(list.current?.querySelectorAll<HTMLInputElement>("input[type=checkbox]") ?? [])];
  const focused = () => boxes().indexOf(document.activeElement as HTMLInputElement);
  const goToHunk = (steps: 1 | -1) =>
    boxes()
      .at(Math.min(Math.max(0, focused() + steps), hunks.length - 1))
      ?.focus();

  useKeys({
    a: off || stuck || rejecting || taken.length === 0 ? undefined : () => approveThese(taken),
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
          disabled={off || stuck || taken.length === 0}
          label={`${approving} (a)`}
          onClick={() => approveThese(taken)}
        >
          {approving}
        </Button>
        {!all && (
          <Button disabled={off || stuck} onClick={() => setLeft(new Set())}>
            Choose all
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
      {problem !== null && <p class="remark bad">It cannot be approved at present: {problem}</p>}
      {conflicts.length > 0 && (
        <>
          <ProposalConflicts conflicts={conflicts} />
          <p class="quiet">What it would come to if both were kept:</p>
        </>
      )}
      <div ref={list} class="hunks">
        {several ? (
          <Diff
            diff={diff}
            hunkHead={(i, { range }) => (
              <>
                <label class="hunk-choice" title="Take this hunk or leave it (x)">
                  <input type="checkbox" checked={!left.has(names[i] ?? "")} onChange={() => toggle(i)} />
                  Hunk {i + 1}
                </label>
                <span class="diff-range">{range}</span>
                <button
                  type="button"
                  class="hunk-approve"
                  disabled={off || stuck}
                  onClick={() => approveThese([hunks[i]!.number])}
                >
                  Approve this hunk
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
