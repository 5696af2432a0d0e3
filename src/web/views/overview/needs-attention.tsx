import { Ago } from "../../parts/ago.tsx";
import { NoticeCard } from "../../parts/cards/notice-card.tsx";
import { ProblemCard } from "../../parts/cards/problem-card.tsx";
import { Author } from "../../parts/changes/author.tsx";
import { Icon } from "../../parts/controls/icon.tsx";
import { counts } from "../../state/base/counts.ts";
import { hrefOf, type Route } from "../../state/base/route.ts";
import { healthReport } from "../../state/health/health.ts";
import { notices } from "../../state/health/notices.ts";
import { laneTrouble } from "../../state/health/sharing.ts";
import { aboutText } from "../../state/proposals/proposal-files.ts";
import type { PreviewEntry, ProposalEntry } from "../../state/proposals/proposal-types.ts";
import { pendingPreviews, pendingProposals } from "../../state/proposals/proposals.ts";

/** Most items of each kind; a link leads to the rest. */
const MOST_SHOWN = 3;

/** Shows problems, reviews and notices that need the person. */
export function NeedsAttention() {
  const problems = healthReport.value?.problems ?? [];
  const open = notices.value.filter(({ settled }) => settled === undefined);
  const proposals = pendingProposals.value ?? [];
  const edits = pendingPreviews.value ?? [];
  const lanes = (healthReport.value?.lanes ?? []).flatMap((lane) => {
    const trouble = laneTrouble(lane);
    return trouble === undefined ? [] : [{ name: lane.name, trouble }];
  });
  const { proposals: reviewCount, areMoreProposals, problems: problemCount } = counts.value;
  if (problemCount + open.length + reviewCount === 0)
    return (
      <p class="no-tasks">
        <Icon name="check" /> Nothing needs your attention.
      </p>
    );
  return (
    <section class="needs-attention" aria-label="Needs your attention">
      <h2>Needs your attention</h2>
      {problems.slice(0, MOST_SHOWN).map((problem) => (
        <ProblemCard key={`${problem.what} ${problem.kind} ${problem.path}`} problem={problem} />
      ))}
      <MoreLink
        count={problemCount - Math.min(MOST_SHOWN, problems.length) - lanes.length}
        of={problemCount === 1 ? "problem" : "problems"}
        to={{ view: "health" }}
      />
      {lanes.map(({ name, trouble }) => (
        <a key={name} class="task card" href={hrefOf({ view: "health" })}>
          <Icon name="alert" />
          <span class="task-title">
            The lane <strong>{name}</strong>: {trouble}
          </span>
        </a>
      ))}
      {edits.slice(0, MOST_SHOWN).map((preview) => (
        <PreviewLine key={preview.patch_id} preview={preview} />
      ))}
      {proposals.slice(0, MOST_SHOWN).map((proposal) => (
        <ProposalLine key={proposal.id} proposal={proposal} />
      ))}
      <MoreLink
        count={reviewCount - Math.min(MOST_SHOWN, edits.length) - Math.min(MOST_SHOWN, proposals.length)}
        areMore={areMoreProposals}
        of="to review"
        to={{ view: "proposals", id: undefined }}
      />
      {open.slice(0, MOST_SHOWN).map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
      <MoreLink count={open.length - MOST_SHOWN} of="notices" to={{ view: "notices" }} />
    </section>
  );
}

function ProposalLine({ proposal }: { readonly proposal: ProposalEntry }) {
  const { id, author, machine, reasoning, created_at, files } = proposal;
  return (
    <a class="task card" href={hrefOf({ view: "proposals", id })}>
      <Icon name="proposal" />
      <span class="task-title">
        <Author author={author} machine={machine} />{" "}
        {files === undefined ? "proposes a change to" : "proposes changes to"}{" "}
        <code>{aboutText(proposal)}</code>
        {reasoning !== "" && <span class="task-reason">{reasoning}</span>}
      </span>
      <Ago time={created_at} />
    </a>
  );
}

function PreviewLine({ preview: { patch_id, author, files } }: { readonly preview: PreviewEntry }) {
  return (
    <a class="task card" href={hrefOf({ view: "proposals", id: patch_id })}>
      <Icon name="alert" />
      <span class="task-title">
        <Author author={author} /> needs approval for an edit of{" "}
        <code>{files.map(({ path }) => path).join(", ")}</code>
      </span>
    </a>
  );
}

function MoreLink({
  count,
  areMore = false,
  of,
  to,
}: {
  readonly count: number;
  readonly areMore?: boolean;
  readonly of: string;
  readonly to: Route;
}) {
  if (count <= 0) return null;
  return (
    <a class="more-link" href={hrefOf(to)}>
      {areMore ? "More than " : ""}
      {count.toLocaleString("en")} more {of}
    </a>
  );
}
