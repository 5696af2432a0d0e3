import type { Proposal } from "../../state/proposal-types.ts";

const TONES = {
  pending: "",
  approved: "good",
  rejected: "bad",
  superseded: "warn",
  expired: "warn",
} as const;

export function StatusChip({ status }: { readonly status: Proposal["status"] }) {
  return <span class={`chip ${TONES[status]}`}>{status}</span>;
}
