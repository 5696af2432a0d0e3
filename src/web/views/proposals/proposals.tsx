import { useEffect } from "preact/hooks";
import { Empty } from "../../parts/empty-state.tsx";
import { useKeys } from "../../parts/use-keys.ts";
import { pending } from "../../state/proposals.ts";
import { go, goInstead } from "../../state/route.ts";
import { ProposalDetail } from "./proposal-detail.tsx";
import { focusRow } from "./focus.ts";
import { ProposalList } from "./proposal-list.tsx";
import { PreviewDetail } from "./preview-detail.tsx";
import { chosen, neighbour, toBeChosen } from "./selection.ts";
import "./proposals.css";

/** The ids of previews begin so; all others are proposals'. */
const PREVIEW = "patch_";

/** What waits for a person to decide, beside what they look at. */
export function Proposals() {
  const step = (steps: 1 | -1) => {
    const id = neighbour(steps);
    if (id === undefined) return;
    focusRow(id);
    go({ view: "proposals", id });
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
  const first = toBeChosen.value;
  useEffect(() => {
    if (first !== undefined) goInstead({ view: "proposals", id: first });
  }, [first]);
  return (
    <div class={`proposals${chosen.value === undefined ? "" : " named"}`}>
      <h1 class="visually-hidden">Proposals</h1>
      <ProposalList />
      <Chosen id={chosen.value} />
    </div>
  );
}

function Chosen({ id }: { readonly id: string | undefined }) {
  if (id === undefined)
    return (
      <section class="proposal-pane" aria-label="Proposal">
        {pending.value !== undefined && toBeChosen.value === undefined && (
          <Empty icon="proposal" title="Nothing waits for you">
            Agents that may only propose wait here for your word, and so do edits that fit only with
            allowances. Try it: <code>spliced propose notes.md old new</code>
          </Empty>
        )}
      </section>
    );
  return id.startsWith(PREVIEW) ? <PreviewDetail key={id} id={id} /> : <ProposalDetail key={id} id={id} />;
}
