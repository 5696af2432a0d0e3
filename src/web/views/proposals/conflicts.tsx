import type { ProposalEntry } from "../../state/proposal-types.ts";

/** Shows the places where later edits changed the same text as the proposal, as whole lines. */
export function ProposalConflicts({ conflicts }: Pick<ProposalEntry, "conflicts">) {
  return (
    <section class="conflicts" aria-label="Conflicts">
      <p class="remark bad">
        You cannot approve this proposal: later edits changed the same text. Reject it and ask for a new
        proposal, or undo the later edits.
      </p>
      {conflicts.map(({ lines: [from, to], was, now, proposed }) => (
        <div key={`${from}-${to}`} class="conflict card">
          <h3>{from === to ? `Line ${from}` : `Lines ${from}–${to}`}</h3>
          <Side name="Before" text={was} />
          <Side name="Now" text={now} />
          <Side name="Proposed" text={proposed} />
        </div>
      ))}
    </section>
  );
}

function Side({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <figure>
      <figcaption class="quiet">{name}</figcaption>
      <pre>{text === "" ? <span class="quiet">(no text)</span> : text}</pre>
    </figure>
  );
}
