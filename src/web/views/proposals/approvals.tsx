import { Ago } from "../../parts/ago.tsx";
import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";

/** Shows the approved parts of a proposal whose rest is pending or was rejected. */
export function Approvals({ proposal: { approvals, status } }: { readonly proposal: ProposalEntry }) {
  if (status !== "pending" && status !== "rejected") return null;
  return (
    <>
      {approvals.map(({ change, reviewer, reviewed_at }) => (
        <p key={change} class="remark good">
          {reviewer} approved part of this <Ago time={reviewed_at} />.{" "}
          {status === "pending" ? "The rest is still pending." : "The rest was rejected."}
        </p>
      ))}
    </>
  );
}
