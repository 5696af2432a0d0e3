import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "../../parts/controls/button.tsx";
import { Icon } from "../../parts/controls/icon.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { coalesce } from "../../state/base/coalesce.ts";
import { badgeText } from "../../state/base/counts.ts";
import { plural } from "../../state/base/plural.ts";
import { documentRoute, hrefOf } from "../../state/base/route.ts";
import { theDaemon } from "../../state/base/session.ts";
import { aboutText } from "../../state/proposals/proposal-files.ts";
import type { FinalStatus, ProposalEntry } from "../../state/proposals/proposal-types.ts";
import { hasOlderPending, pendingPreviews, pendingProposals } from "../../state/proposals/proposals.ts";
import { refreshReviewed } from "../../state/proposals/reviewed-proposals.ts";
import { approveSeveral } from "./approve-several.ts";
import { canBeMarked, clearMarks, isMarked, marked, toggleMark } from "./marked.ts";
import { PreviewRow, ProposalRow } from "./row.tsx";
import { pendingGroups, shownReviewed, shownTab, showTab, statusFilter } from "./selection.ts";
import { STATUS_TEXTS } from "./status.tsx";

/** Lists the pending proposals by document, or the reviewed ones. */
export function ProposalList() {
  return (
    <section class="proposal-list" aria-label="Proposals">
      <div class="proposal-tabs" role="tablist" aria-label="Which proposals">
        <Tab
          name="pending"
          count={(pendingProposals.value?.length ?? 0) + (pendingPreviews.value?.length ?? 0)}
          areMore={hasOlderPending.value}
        >
          Pending
        </Tab>
        <Tab name="reviewed">Reviewed</Tab>
      </div>
      <div class="proposal-rows" role="tabpanel" aria-label={shownTab.value}>
        {shownTab.value === "pending" ? <PendingList /> : <ReviewedList />}
      </div>
      {shownTab.value === "pending" && marked.value.length > 0 && <ApproveMarked />}
      <p class="proposal-keys quiet" aria-hidden="true">
        <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>a</kbd> approve · <kbd>r</kbd> reject · <kbd>n</kbd>{" "}
        next change · <kbd>x</kbd> include or exclude · <kbd>o</kbd> open · <kbd>m</kbd> mark
      </p>
    </section>
  );
}

function Tab(props: {
  readonly name: "pending" | "reviewed";
  readonly count?: number;
  readonly areMore?: boolean;
  readonly children: string;
}) {
  return (
    <button
      type="button"
      role="tab"
      class="proposal-tab"
      aria-selected={shownTab.value === props.name}
      onClick={() => showTab(props.name)}
    >
      {props.children}
      {props.count !== undefined && props.count > 0 && (
        <span class="count">{badgeText(props.count, props.areMore)}</span>
      )}
    </button>
  );
}

function PendingList() {
  if (pendingProposals.value === undefined) return <Waiting place="proposal-none" />;
  const edits = pendingPreviews.value ?? [];
  if (edits.length === 0 && pendingProposals.value.length === 0)
    return <p class="quiet proposal-none">Nothing to review.</p>;
  return (
    <>
      {edits.length > 0 && (
        <>
          <h2 class="proposal-group">
            <Icon name="clock" size={13} />
            Edits to confirm
          </h2>
          {edits.map((preview) => (
            <PreviewRow key={preview.patch_id} preview={preview} />
          ))}
        </>
      )}
      {pendingGroups.value.map(({ paths, proposals }) => (
        <div key={paths.join("\n")}>
          <h2 class="proposal-group">
            <Icon name="file" size={13} />
            <span class="proposal-group-paths">
              {paths.slice(0, MOST_NAMED).map((path, i) => (
                <Fragment key={path}>
                  {i > 0 && ", "}
                  <a href={hrefOf(documentRoute(path))} title={`Open ${path}`}>
                    {path}
                  </a>
                </Fragment>
              ))}
              {paths.length > MOST_NAMED && ` and ${plural(paths.length - MOST_NAMED, "more file")}`}
            </span>
          </h2>
          {proposals.map((proposal) => (
            <div key={proposal.id} class="proposal-item">
              <ProposalRow proposal={proposal} />
              {canBeMarked(proposal) && <Mark proposal={proposal} />}
            </div>
          ))}
        </div>
      ))}
      {hasOlderPending.value && (
        <p class="quiet proposal-none">
          There are older proposals. They appear once you decide some of these.
        </p>
      )}
    </>
  );
}

/** The most files that a heading names. */
const MOST_NAMED = 3;

/** Marks a proposal, to approve it together with others. */
function Mark({ proposal }: { readonly proposal: ProposalEntry }) {
  const { id, author } = proposal;
  return (
    <label class="proposal-mark" title="Mark it, to approve several together (m)">
      <input
        type="checkbox"
        aria-label={`Mark the proposal by ${author} for ${aboutText(proposal)}`}
        checked={isMarked(id)}
        onChange={() => toggleMark(id)}
      />
    </label>
  );
}

function ApproveMarked() {
  const busy = useSignal(false);
  const approve = async () => {
    busy.value = true;
    await approveSeveral(marked.value);
    clearMarks();
    busy.value = false;
  };
  return (
    <div class="actions proposal-marked">
      <Button tone="primary" disabled={busy.value} onClick={() => void approve()}>
        Approve {plural(marked.value.length, "marked proposal")}
      </Button>
      <Button disabled={busy.value} onClick={clearMarks}>
        Clear
      </Button>
    </div>
  );
}

const VERDICTS: readonly FinalStatus[] = ["approved", "rejected", "superseded", "expired"];
const SETTLE_MS = 200;

function ReviewedList() {
  useEffect(() => {
    const again = coalesce(SETTLE_MS, () => refreshReviewed(statusFilter.value));
    void refreshReviewed(statusFilter.value);
    const end = theDaemon().on("proposal.changed", again.soon);
    return () => {
      end();
      again.end();
    };
  }, [statusFilter.value]);
  const proposals = shownReviewed.value;
  return (
    <>
      <fieldset class="proposal-filter" aria-label="Filter by result">
        <Filter to={undefined}>all</Filter>
        {VERDICTS.map((one) => (
          <Filter key={one} to={one}>
            {STATUS_TEXTS[one]}
          </Filter>
        ))}
      </fieldset>
      {proposals === undefined && <Waiting place="proposal-none" />}
      {proposals?.length === 0 && (
        <p class="quiet proposal-none">
          {statusFilter.value === undefined
            ? "No reviewed proposals yet."
            : `No ${STATUS_TEXTS[statusFilter.value]} proposals.`}
        </p>
      )}
      {proposals?.map((proposal) => (
        <ProposalRow key={proposal.id} proposal={proposal} />
      ))}
    </>
  );
}

function Filter({ to, children }: { readonly to: FinalStatus | undefined; readonly children: string }) {
  return (
    <button
      type="button"
      class="chip proposal-choice"
      aria-pressed={statusFilter.value === to}
      onClick={() => {
        statusFilter.value = to;
      }}
    >
      {children}
    </button>
  );
}
