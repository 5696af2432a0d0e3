import type { ProposalEntry } from "../../state/proposal-types.ts";

const TONES = {
  pending: "",
  approved: "good",
  rejected: "bad",
  superseded: "warn",
  expired: "warn",
} as const;

export function StatusChip({ status }: { readonly status: ProposalEntry["status"] }) {
  return <span class={`chip ${TONES[status]}`}>{status}</span>;
}
