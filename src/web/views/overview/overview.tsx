import { useEffect } from "preact/hooks";
import { ChangesByDay } from "../../parts/changes-by-day.tsx";
import { useStream } from "../../parts/use-stream.ts";
import { now } from "../../state/clock.ts";
import { hrefOf } from "../../state/route.ts";
import { HOUR_MS } from "../../state/active-authors.ts";
import { AtWork } from "./recently-active.tsx";
import { Connect } from "./connect.tsx";
import { NeedsYou } from "./needs-attention.tsx";
import "./overview.css";

const RECENT = 25;
/** Changes of the last hour that are looked at to tell who is at work. */
const MOST_LOOKED_AT = 600;

/** What waits for a person, who is at work, and what was done last. */
export function Overview() {
  const stream = useStream({});
  const changes = stream.changes.value;
  const last = changes?.at(-1);
  useEffect(() => {
    const reachesBack = last === undefined || now.peek() - Date.parse(last.time) > HOUR_MS;
    if (!reachesBack && changes!.length < MOST_LOOKED_AT) void stream.older();
  }, [stream, changes, last]);
  const byAgents = changes?.some(({ author }) => author !== "disk") ?? true;
  return (
    <div class="view">
      <header class="view-head">
        <h1>Overview</h1>
      </header>
      <div class="view-body">
        <div class="overview">
          <div class="overview-main">
            {!byAgents && <Connect open />}
            <NeedsYou />
            <section aria-label="Lately">
              <div class="section-head">
                <h2>Lately</h2>
                <a href={hrefOf({ view: "activity" })}>All activity</a>
              </div>
              {changes === undefined && <p class="quiet">Looking …</p>}
              {changes?.length === 0 && (
                <p class="quiet">Nothing yet. Save a document in your editor, or let an agent edit one.</p>
              )}
              {changes !== undefined && <ChangesByDay changes={changes.slice(0, RECENT)} />}
            </section>
          </div>
          <div class="overview-side">
            <AtWork changes={changes ?? []} />
            {byAgents && <Connect />}
          </div>
        </div>
      </div>
    </div>
  );
}
