import type { ProposalEntry } from "../../state/proposal-types.ts";

/** Where later edits changed the same characters as the proposal: each side, as whole lines. */
export function ProposalConflicts({ conflicts }: Pick<ProposalEntry, "conflicts">) {
  return (
    <section class="conflicts" aria-label="Conflicts">
      <p class="remark bad">
        It cannot be approved as it is: later edits changed the same characters. Reject it and have it
        proposed anew, or undo the later edits.
      </p>
      {conflicts.map(({ lines: [from, to], was, now, proposed }) => (
        <div key={`${from}-${to}`} class="conflict card">
          <h3>{from === to ? `Line ${from}` : `Lines ${from}–${to}`}</h3>
          <Side name="Was" text={was} />
          <Side name="Is now" text={now} />
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
      <pre>{text === "" ? <span class="quiet">nothing</span> : text}</pre>
    </figure>
  );
}
