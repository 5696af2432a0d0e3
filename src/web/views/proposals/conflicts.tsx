import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";

/** Shows the places where later edits changed the same text as the proposal, as whole lines. */
export function ProposalConflicts({ conflicts }: Pick<ProposalEntry, "conflicts">) {
  return (
    <section class="conflicts" aria-label="Conflicts">
      <p class="remark bad">
        You cannot approve this proposal: later edits changed the same text. Reject it and ask for a new
        proposal, or undo the later edits.
      </p>
      {onceEach(conflicts).map(({ lines: [from, to], was, now, proposed }) => (
        <div key={`${from}-${to} ${was}`} class="conflict card">
          <h3>{from === to ? `Line ${from}` : `Lines ${from}–${to}`}</h3>
          <Side name="Before" text={was} />
          <Side name="Now" text={now} />
          <Side name="Proposed" text={proposed} />
        </div>
      ))}
    </section>
  );
}

/** Returns the conflicts, one for each range of lines, because the page shows whole lines. */
function onceEach(conflicts: ProposalEntry["conflicts"]): ProposalEntry["conflicts"] {
  const same = (a: Conflict, b: Conflict) =>
    a.lines.join() === b.lines.join() && a.was === b.was && a.now === b.now && a.proposed === b.proposed;
  return conflicts.filter((one, i) => conflicts.findIndex((other) => same(one, other)) === i);
}

type Conflict = ProposalEntry["conflicts"][number];

function Side({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <figure>
      <figcaption class="quiet">{name}</figcaption>
      <pre>{text === "" ? <span class="quiet">(no text)</span> : text}</pre>
    </figure>
  );
}
