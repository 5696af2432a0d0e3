import { Ago } from "../../parts/ago.tsx";
import type { ProposalEntry } from "../../state/proposal-types.ts";

/** Shows the approved parts of a pending proposal. */
export function Approvals({ proposal: { approvals, status } }: { readonly proposal: ProposalEntry }) {
  if (status !== "pending") return null;
  return (
    <>
      {approvals.map(({ change, reviewer, reviewed_at }) => (
        <p key={change} class="remark good">
          {reviewer} approved part of this <Ago time={reviewed_at} />. The rest is still pending.
        </p>
      ))}
    </>
  );
}
