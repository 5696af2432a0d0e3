import type { ProposalFile } from "../../../client/browser.ts";
import { Diff } from "../../parts/changes/diff.tsx";
import { rangeText } from "../../parts/changes/diff-lines.ts";
import type { ChangeUnit } from "./hunk-choice.ts";
import { FileDiff, ProposedFile } from "./proposed-file.tsx";

interface ReviewedFileProps {
  readonly file: ProposalFile;
  /** True for the only file of a proposal, which needs no heading of its own. */
  readonly isOne: boolean;
  /** The changes of the file to choose from; none if there is no choice. */
  readonly units: readonly ChangeUnit[];
  readonly isIncluded: (unit: ChangeUnit) => boolean;
  readonly onToggle: (unit: ChangeUnit) => void;
  /** Approves one change alone; undefined if the person may not. */
  readonly onApprove: ((unit: ChangeUnit) => void) | undefined;
}

/** Shows a file of a pending proposal, with a checkbox for each of its changes. */
export function ReviewedFile({ file, isOne, units, isIncluded, onToggle, onApprove }: ReviewedFileProps) {
  const isStuck = file.problem !== null || file.conflicts.length > 0;
  const [first] = units;
  const box = (unit: ChangeUnit, label: string) => (
    <label class="hunk-choice" title="Include or exclude this change (x)">
      <input
        type="checkbox"
        aria-label={unit.hunk === undefined ? `Include ${file.path}` : undefined}
        checked={isIncluded(unit)}
        onChange={() => onToggle(unit)}
      />
      {label}
    </label>
  );
  const diff =
    units.length > 1 ? (
      <Diff
        diff={file.diff}
        hunkHead={(i, hunk) => {
          const unit = units[i];
          if (unit === undefined) return rangeText(hunk);
          return (
            <>
              {box(unit, `Change ${i + 1}`)}
              <span class="diff-range">{rangeText(hunk)}</span>
              <button
                type="button"
                class="hunk-approve"
                disabled={onApprove === undefined || isStuck}
                onClick={() => onApprove?.(unit)}
              >
                Approve this change
              </button>
            </>
          );
        }}
      />
    ) : (
      <FileDiff file={file} />
    );
  if (isOne) return diff;
  return (
    <ProposedFile file={file} choice={units.length === 1 && box(first!, "")}>
      {diff}
    </ProposedFile>
  );
}
