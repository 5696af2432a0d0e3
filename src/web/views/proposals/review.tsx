import { useRef, useState } from "preact/hooks";
import { filesOf, type ProposalFile } from "../../../client/browser.ts";
import { hasSeveralChanges, parseDiff } from "../../parts/changes/diff-lines.ts";
import { Button } from "../../parts/controls/button.tsx";
import { useKeys } from "../../parts/controls/use-keys.ts";
import { plural } from "../../state/base/plural.ts";
import { reasonNotWritable } from "../../state/documents/permission.ts";
import { pathsOf } from "../../state/proposals/proposal-files.ts";
import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";
import { approve, type ReviewResult, reject } from "./actions.ts";
import { ProposalConflicts } from "./conflicts.tsx";
import { focusTitle } from "./focus.ts";
import { type ChangeUnit, toggleMember, unitsOf } from "./hunk-choice.ts";
import { RejectForm } from "./reject-form.tsx";
import { ReviewedFile } from "./reviewed-file.tsx";

/** Returns whether a file can be approved and has a hunk with several changes. */
function canSplit({ status, problem, conflicts, diff }: ProposalFile): boolean {
  if (status !== "pending" || problem !== null || conflicts.length > 0) return false;
  return parseDiff(diff).some(({ hunks }) => hunks.some(hasSeveralChanges));
}

interface ReviewPanelProps {
  readonly proposal: ProposalEntry;
  /** True if single keys act on this proposal: no other is shown. */
  readonly byKeys: boolean;
  /** True while each change is a hunk of its own. */
  readonly isSplit: boolean;
  readonly onSplit: () => void;
  readonly onReviewed: (reviewed: ReviewResult) => void;
}

/** Lets the person approve a pending proposal, approve some of its changes, or reject it. */
export function ReviewPanel({ proposal, byKeys, isSplit, onSplit, onReviewed }: ReviewPanelProps) {
  const { conflicts, problem } = proposal;
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const [rejecting, setRejecting] = useState<"all" | "rest">();
  const [busy, setBusy] = useState(false);
  const list = useRef<HTMLDivElement>(null);

  const files = filesOf(proposal);
  const units = unitsOf(files);
  const several = units.length > 1;
  const included = units.filter(({ name }) => !several || !excluded.has(name));
  const all = included.length === units.length;
  const approving = all
    ? `Approve${several ? " all" : ""}`
    : `Approve ${included.length} of ${plural(units.length, "change")}`;
  const approveRest = `Approve ${included.length}, reject the rest`;
  const barred = reasonNotWritable(pathsOf(proposal));
  const isOne = files.length === 1;
  /** True for a change that cannot be approved at present. */
  const isStuck = ({ file }: ChangeUnit) =>
    files[file]!.problem !== null || files[file]!.conflicts.length > 0;
  const stuck = included.some(isStuck);
  const off = busy || barred !== undefined;

  const decide = async (deciding: Promise<ReviewResult>) => {
    setBusy(true);
    const reviewed = await deciding;
    setBusy(false);
    setRejecting(undefined);
    if (reviewed.done) setExcluded(new Set());
    if (byKeys) focusTitle();
    onReviewed(reviewed);
  };
  const approval = (chosen: readonly ChangeUnit[]) =>
    approve(proposal, chosen.length === units.length ? undefined : chosen, isSplit ? 0 : undefined);
  const approveThese = (chosen: readonly ChangeUnit[]) => void decide(approval(chosen));
  const approveAndReject = async (reason: string) => {
    const approved = await approval(included);
    return approved.done ? reject(proposal, reason, true) : approved;
  };
  const toggle = (name: string) => setExcluded(toggleMember(excluded, name));
  const boxes = () => [...(list.current?.querySelectorAll<HTMLInputElement>("input[type=checkbox]") ?? [])];
  const focused = () => boxes().indexOf(document.activeElement as HTMLInputElement);
  const goToUnit = (steps: 1 | -1) =>
    boxes()
      .at(Math.min(Math.max(0, focused() + steps), units.length - 1))
      ?.focus();

  const keys = {
    a:
      off || stuck || rejecting !== undefined || included.length === 0
        ? undefined
        : () => approveThese(included),
    r: off ? undefined : () => setRejecting("all"),
    n: several ? () => goToUnit(1) : undefined,
    p: several ? () => goToUnit(-1) : undefined,
    x: several
      ? () => {
          if (focused() < 0) goToUnit(1);
          toggle(units[Math.max(0, focused())]!.name);
        }
      : undefined,
  };
  useKeys(byKeys ? keys : {});

  return (
    <>
      <div class="actions review-actions">
        <Button
          tone="primary"
          disabled={off || stuck || included.length === 0}
          label={byKeys ? `${approving} (a)` : approving}
          onClick={() => approveThese(included)}
        >
          {approving}
        </Button>
        {!all && included.length > 0 && (
          <Button disabled={off || stuck} onClick={() => setRejecting("rest")}>
            {approveRest} …
          </Button>
        )}
        {!all && (
          <Button disabled={off} onClick={() => setExcluded(new Set())}>
            Select all
          </Button>
        )}
        {(isSplit || files.some(canSplit)) && (
          <Button
            label={
              isSplit
                ? "Join changes and show the lines around them"
                : "Split changes to decide on each alone"
            }
            onClick={onSplit}
          >
            {isSplit ? "Join changes" : "Split changes"}
          </Button>
        )}
        <Button
          tone="danger"
          disabled={off}
          label={byKeys ? "Reject … (r)" : "Reject …"}
          onClick={() => setRejecting("all")}
        >
          Reject …
        </Button>
      </div>
      {barred !== undefined && <p class="remark warn">{barred}</p>}
      {rejecting !== undefined && (
        <RejectForm
          key={rejecting}
          what={rejecting === "rest" ? "the rest" : "it"}
          act={rejecting === "rest" ? approveRest : "Reject"}
          onReject={(reason) =>
            void decide(rejecting === "rest" ? approveAndReject(reason) : reject(proposal, reason))
          }
          onCancel={() => {
            setRejecting(undefined);
            if (byKeys) focusTitle();
          }}
        />
      )}
      {problem !== null && (
        <p class="remark bad">
          {isOne
            ? `You cannot approve this now: ${problem}`
            : "Some files cannot be approved now. Exclude them to approve the others."}
        </p>
      )}
      {isOne && conflicts.length > 0 && (
        <>
          <ProposalConflicts conflicts={conflicts} />
          <p class="quiet">The text with both changes:</p>
        </>
      )}
      <div ref={list} class="hunks">
        {files.map((file, i) => (
          <ReviewedFile
            key={`${file.operation} ${file.path}`}
            file={file}
            isOne={isOne}
            units={several ? units.filter((unit) => unit.file === i) : []}
            isIncluded={({ name }) => !excluded.has(name)}
            onToggle={({ name }) => toggle(name)}
            onApprove={off ? undefined : (unit) => approveThese([unit])}
          />
        ))}
      </div>
    </>
  );
}
