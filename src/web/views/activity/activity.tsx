import { useEffect } from "preact/hooks";
import { Author } from "../../parts/changes/author.tsx";
import { ChangesByDay } from "../../parts/changes/changes-by-day.tsx";
import { OlderChanges } from "../../parts/changes/older-changes.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { Icon } from "../../parts/controls/icon.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { useStream } from "../../parts/use-stream.ts";
import { Waiting } from "../../parts/waiting.tsx";
import { attempt } from "../../state/base/messages.ts";
import { authorName } from "../../state/changes/authors.ts";
import type { HistoryChange } from "../../state/changes/changes.ts";
import {
  addAuthors,
  authorsAreLoaded,
  knownAuthors,
  loadAuthors,
} from "../../state/changes/known-authors.ts";
import { undoNewest } from "../../state/changes/undo.ts";
import { documentsByPath } from "../../state/documents/documents.ts";
import { CheckpointMenu } from "./checkpoints.tsx";
import { authorFilter, changeFilter, pathFilter, sessionFilter } from "./filter.ts";
import { Sessions } from "./sessions.tsx";
import "./activity.css";

/** The changes while none are loaded. */
const NONE: readonly HistoryChange[] = [];

/** Shows all changes of the workspace, newest first, with undo. */
export function ActivityView() {
  useEffect(() => {
    void attempt("Could not list the authors", loadAuthors);
  }, []);
  const stream = useStream(changeFilter.value);
  const changes = stream.changes.value;
  const shown = changes?.filter(matchesPathFilter).filter(matchesSession);
  const isLoading = !authorsAreLoaded.value || (changes === undefined && stream.loading.value);
  return (
    <div class="view activity">
      <header class="view-head">
        <h1>Activity</h1>
        <span class="spacer" />
        <CheckpointMenu />
      </header>
      <div class="view-body">
        <div class="activity-column">
          {authorsAreLoaded.value && <Filters changes={changes ?? NONE} />}
          {isLoading ? (
            <Waiting />
          ) : (
            <>
              {shown !== undefined && <ChangesByDay changes={shown} />}
              <OlderChanges stream={stream}>
                {shown?.length === 0 ? <NoChanges /> : <p class="quiet">These are all changes.</p>}
              </OlderChanges>
            </>
          )}
        </div>
      </div>
    </div>
  );
}

/**
 * Returns whether a change matches the path filter. The daemon filters by whole paths only, so the page filters parts.
 */
function matchesPathFilter({ path }: HistoryChange): boolean {
  return path.toLowerCase().includes(pathFilter.value.trim().toLowerCase());
}

/** Returns whether a change is of the chosen session. */
function matchesSession({ session }: HistoryChange): boolean {
  return sessionFilter.value === undefined || session === sessionFilter.value;
}

/** Returns the authors to filter by; the chosen one is always among them. */
function filterAuthors(): string[] {
  const chosen = authorFilter.value;
  const shown = knownAuthors.value.slice(0, MOST_AUTHORS);
  return chosen === undefined || shown.includes(chosen) ? shown : [chosen, ...shown];
}

const MOST_AUTHORS = 16;

function Filters({ changes }: { readonly changes: readonly HistoryChange[] }) {
  useEffect(() => addAuthors(changes.map(({ author }) => author)), [changes]);
  const chosen = authorFilter.value;
  return (
    <div class="filters">
      <fieldset class="filter-authors" aria-label="Filter by author">
        {filterAuthors().map((name) => (
          <button
            type="button"
            key={name}
            class="filter-author"
            aria-pressed={name === chosen}
            aria-label={`Only changes by ${authorName(name)}`}
            onClick={() => {
              authorFilter.value = name === chosen ? undefined : name;
              sessionFilter.value = undefined;
            }}
          >
            <Author author={name} />
          </button>
        ))}
      </fieldset>
      {chosen !== undefined && changes.some((change) => !change.undone) && (
        <Button icon="undo" onClick={() => void undoNewest(chosen, chosen)}>
          Undo the newest change
        </Button>
      )}
      {chosen !== undefined && <Sessions author={chosen} changes={changes} />}
      <label class="search-field filter-path">
        <Icon name="search" size={14} />
        <input
          type="search"
          list="activity-paths"
          placeholder="Any document"
          aria-label="Filter by path"
          value={pathFilter.value}
          onInput={(event) => {
            pathFilter.value = event.currentTarget.value;
          }}
        />
        <datalist id="activity-paths">
          {[...(documentsByPath.value?.keys() ?? [])].slice(0, 500).map((path) => (
            <option key={path} value={path} />
          ))}
        </datalist>
      </label>
    </div>
  );
}

function NoChanges() {
  if (authorFilter.value !== undefined || pathFilter.value !== "")
    return (
      <EmptyState icon="search" title="No change matches the filter">
        Choose another author or another path.
      </EmptyState>
    );
  return (
    <EmptyState icon="activity" title="No changes yet">
      Edits by agents and saves from your editor appear here. You can undo each of them.
    </EmptyState>
  );
}
