import { useEffect } from "preact/hooks";
import { ChangesByDay } from "../../parts/changes/changes-by-day.tsx";
import { useStream } from "../../parts/use-stream.ts";
import { Waiting } from "../../parts/waiting.tsx";
import { now } from "../../state/base/clock.ts";
import { hrefOf } from "../../state/base/route.ts";
import { HOUR_MS } from "../../state/changes/active-authors.ts";
import type { HistoryChange } from "../../state/changes/changes.ts";
import { listsAreLoaded } from "../../state/loaded.ts";
import { ConnectAgent } from "./connect.tsx";
import { NeedsAttention } from "./needs-attention.tsx";
import { RecentlyActive } from "./recently-active.tsx";
import { LooseThreads, WaitingThreads } from "./waiting-threads.tsx";
import "./overview.css";

const MOST_RECENT = 25;
/** Most changes that the view loads to find the active authors of the last hour. */
const MOST_LOADED = 600;

/** Shows open tasks, active authors and recent changes. */
export function OverviewView() {
  const stream = useStream({});
  const changes = stream.changes.value;
  const last = changes?.at(-1);
  useEffect(() => {
    const reachesBack = last === undefined || now.peek() - Date.parse(last.time) > HOUR_MS;
    if (!reachesBack && changes!.length < MOST_LOADED) void stream.loadOlder();
  }, [stream, changes, last]);
  return (
    <div class="view">
      <header class="view-head">
        <h1>Overview</h1>
      </header>
      <div class="view-body">
        {changes !== undefined && listsAreLoaded.value ? <Parts changes={changes} /> : <Waiting />}
      </div>
    </div>
  );
}

function Parts({ changes }: { readonly changes: readonly HistoryChange[] }) {
  const byAgents = changes.some(({ author }) => author !== "disk");
  return (
    <div class="overview">
      <div class="overview-main">
        {!byAgents && <ConnectAgent open />}
        <NeedsAttention />
        <WaitingThreads />
        <LooseThreads />
        <section aria-label="Recent changes">
          <div class="section-head">
            <h2>Recent changes</h2>
            <a href={hrefOf({ view: "activity" })}>All activity</a>
          </div>
          {changes.length === 0 && (
            <p class="quiet">No changes yet. Save a file in your editor, or let an agent edit one.</p>
          )}
          <ChangesByDay changes={changes.slice(0, MOST_RECENT)} />
        </section>
      </div>
      <div class="overview-side">
        <RecentlyActive changes={changes} />
        {byAgents && <ConnectAgent />}
      </div>
    </div>
  );
}
