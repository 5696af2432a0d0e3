import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Author } from "../../parts/author.tsx";
import { Button } from "../../parts/button.tsx";
import { ChangesByDay } from "../../parts/changes-by-day.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Icon } from "../../parts/icon.tsx";
import { OlderChanges } from "../../parts/older-changes.tsx";
import { useStream } from "../../parts/use-stream.ts";
import { authorName } from "../../state/authors.ts";
import type { HistoryChange } from "../../state/changes.ts";
import { documentsByPath } from "../../state/documents.ts";
import { undoNewest } from "../../state/undo.ts";
import { CheckpointMenu } from "./checkpoints.tsx";
import { authorFilter, changeFilter, pathFilter } from "./filter.ts";
import "./activity.css";

/** Every change of the workspace, newest first, by whom, and how to take it back. */
export function ActivityView() {
  const stream = useStream(changeFilter.value);
  const changes = stream.changes.value;
  const shown = changes?.filter(matchesPathFilter);
  return (
    <div class="view activity">
      <header class="view-head">
        <h1>Activity</h1>
        <span class="spacer" />
        <CheckpointMenu />
      </header>
      <div class="view-body">
        <div class="activity-column">
          <Filters changes={changes ?? []} />
          {shown !== undefined && <ChangesByDay changes={shown} />}
          <OlderChanges stream={stream}>
            {shown?.length === 0 ? <NoChanges /> : <p class="quiet">That is all, back to the beginning.</p>}
          </OlderChanges>
        </div>
      </div>
    </div>
  );
}

/** A path that is no document's narrows what is there; the daemon knows whole paths only. */
function matchesPathFilter({ path }: HistoryChange): boolean {
  return path.toLowerCase().includes(pathFilter.value.trim().toLowerCase());
}

/** Who is there to choose from: those seen so far, the busiest first. */
function authorsByActivity(changes: readonly HistoryChange[]): string[] {
  const counts = new Map<string, number>();
  for (const change of changes) counts.set(change.author, (counts.get(change.author) ?? 0) + 1);
  const busiest = [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  return authorFilter.value === undefined || counts.has(authorFilter.value)
    ? busiest
    : [authorFilter.value, ...busiest];
}

const MOST_AUTHORS = 12;

function Filters({ changes }: { readonly changes: readonly HistoryChange[] }) {
  /** Authors stay to be chosen while the stream shows one of them. */
  const known = useSignal<readonly string[]>([]);
  const seen = authorsByActivity(changes);
  useEffect(() => {
    const joined = [...new Set([...known.value, ...seen])];
    if (joined.length !== known.value.length) known.value = joined;
  }, [seen.join("\n")]);
  const chosen = authorFilter.value;
  return (
    <div class="filters">
      <fieldset class="filter-authors" aria-label="Whose changes">
        {known.value.slice(0, MOST_AUTHORS).map((name) => (
          <button
            type="button"
            key={name}
            class="filter-author"
            aria-pressed={name === chosen}
            aria-label={`Only changes by ${authorName(name)}`}
            onClick={() => {
              authorFilter.value = name === chosen ? undefined : name;
            }}
          >
            <Author author={name} />
          </button>
        ))}
      </fieldset>
      {chosen !== undefined && changes.some((change) => !change.undone) && (
        <Button icon="undo" onClick={() => void undoNewest(chosen, chosen)}>
          Undo the newest
        </Button>
      )}
      <label class="search-field filter-path">
        <Icon name="search" size={14} />
        <input
          type="search"
          list="activity-paths"
          placeholder="Any document"
          aria-label="Only documents with this in their path"
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
      <EmptyState icon="search" title="Nothing fits the filter">
        No change by this author, or of such a document.
      </EmptyState>
    );
  return (
    <EmptyState icon="activity" title="Nothing has happened yet">
      As soon as an agent edits a document, or you save one in your editor, it shows here, and can be taken
      back.
    </EmptyState>
  );
}
