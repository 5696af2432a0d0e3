import { Ago } from "../../parts/ago.tsx";
import { Author } from "../../parts/author.tsx";
import { Icon } from "../../parts/icon.tsx";
import { NoticeCard } from "../../parts/notice-card.tsx";
import { ProblemCard } from "../../parts/problem-card.tsx";
import { counts } from "../../state/counts.ts";
import { health } from "../../state/health.ts";
import { notices } from "../../state/notices.ts";
import type { Preview, Proposal } from "../../state/proposal-types.ts";
import { pending, previews } from "../../state/proposals.ts";
import { hrefOf, type Route } from "../../state/route.ts";

/** How many of each kind are shown here; the rest is a step away. */
const FEW = 3;

/** What waits for a person: problems, what was told of, and what is to be reviewed. */
export function NeedsYou() {
  const problems = health.value?.problems ?? [];
  const open = notices.value.filter(({ settled }) => settled === undefined);
  const proposals = pending.value ?? [];
  const waiting = previews.value ?? [];
  const { proposals: all, problems: troubles } = counts.value;
  if (troubles + open.length + all === 0)
    return (
      <p class="nothing-waits">
        <Icon name="check" /> Nothing waits for you.
      </p>
    );
  return (
    <section class="needs-you" aria-label="Waits for you">
      <h2>Waits for you</h2>
      {problems.slice(0, FEW).map((problem) => (
        <ProblemCard key={`${problem.what} ${problem.kind} ${problem.path}`} problem={problem} />
      ))}
      <Rest
        count={troubles - Math.min(FEW, problems.length)}
        of={troubles === 1 ? "problem" : "problems"}
        to={{ view: "health" }}
      />
      {waiting.slice(0, FEW).map((preview) => (
        <PreviewLine key={preview.patch_id} preview={preview} />
      ))}
      {proposals.slice(0, FEW).map((proposal) => (
        <ProposalLine key={proposal.id} proposal={proposal} />
      ))}
      <Rest
        count={all - Math.min(FEW, waiting.length) - Math.min(FEW, proposals.length)}
        of="to review"
        to={{ view: "proposals", id: undefined }}
      />
      {open.slice(0, FEW).map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
      <Rest count={open.length - FEW} of="notices" to={{ view: "notices" }} />
    </section>
  );
}

function ProposalLine({
  proposal: { id, author, path, reasoning, created_at },
}: {
  readonly proposal: Proposal;
}) {
  return (
    <a class="waits card" href={hrefOf({ view: "proposals", id })}>
      <Icon name="proposal" />
      <span class="waits-what">
        <Author author={author} /> proposes for <code>{path}</code>
        {reasoning !== "" && <span class="waits-why">{reasoning}</span>}
      </span>
      <Ago time={created_at} />
    </a>
  );
}

function PreviewLine({ preview: { patch_id, author, files } }: { readonly preview: Preview }) {
  return (
    <a class="waits card" href={hrefOf({ view: "proposals", id: patch_id })}>
      <Icon name="alert" />
      <span class="waits-what">
        <Author author={author} /> waits for an edit of{" "}
        <code>{files.map(({ path }) => path).join(", ")}</code> to be confirmed
      </span>
    </a>
  );
}

function Rest({ count, of, to }: { readonly count: number; readonly of: string; readonly to: Route }) {
  if (count <= 0) return null;
  return (
    <a class="rest" href={hrefOf(to)}>
      {count} more {of}
    </a>
  );
}
