import { Ago } from "../../parts/ago.tsx";
import { Author } from "../../parts/changes/author.tsx";
import { now } from "../../state/base/clock.ts";
import { plural } from "../../state/base/plural.ts";
import { documentRoute, hrefOf } from "../../state/base/route.ts";
import { activeAuthors } from "../../state/changes/active-authors.ts";
import { whoOf } from "../../state/changes/authors.ts";
import type { HistoryChange } from "../../state/changes/changes.ts";

const MOST_PATHS = 4;

/** Shows the authors of the last hour with the documents that they changed. */
export function RecentlyActive({ changes }: { readonly changes: readonly HistoryChange[] }) {
  const active = activeAuthors(changes, now.value);
  return (
    <section aria-label="Active in the last hour">
      <h2>Active in the last hour</h2>
      {active.length === 0 && <p class="quiet">No one.</p>}
      <ul class="workers">
        {active.map(({ author, machine, edits, last, paths }) => (
          <li key={whoOf({ author, machine })} class="worker card">
            <div class="worker-head">
              <Author author={author} machine={machine} />
              <span class="quiet">
                {plural(edits, "change")}, <Ago time={last} />
              </span>
            </div>
            {paths.slice(0, MOST_PATHS).map((path) => (
              <a key={path} class="worker-path" href={hrefOf(documentRoute(path))}>
                {path}
              </a>
            ))}
            {paths.length > MOST_PATHS && (
              <span class="worker-more quiet">and {paths.length - MOST_PATHS} more</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
