import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";

const TONES = {
  pending: "",
  approved: "good",
  rejected: "bad",
  superseded: "warn",
  expired: "warn",
} as const;

/** The name of each status for people. */
export const STATUS_TEXTS: Readonly<Record<ProposalEntry["status"], string>> = {
  pending: "pending",
  approved: "approved",
  rejected: "rejected",
  superseded: "outdated",
  expired: "expired",
};

/** Shows the status of a proposal. One whose rest was rejected is partly approved. */
export function StatusChip({ status, approvals }: Pick<ProposalEntry, "status" | "approvals">) {
  const isPartly = status === "rejected" && approvals.length > 0;
  return (
    <span class={`chip ${isPartly ? TONES.approved : TONES[status]}`}>
      {isPartly ? "partly approved" : STATUS_TEXTS[status]}
    </span>
  );
}
