import type { ProposalEntry } from "../../state/proposal-types.ts";

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

export function StatusChip({ status }: { readonly status: ProposalEntry["status"] }) {
  return <span class={`chip ${TONES[status]}`}>{STATUS_TEXTS[status]}</span>;
}
