import { useEffect, useId, useState } from "preact/hooks";
import { authorName, authorStyle } from "../state/authors.ts";
import { authorNames, type ChangeGroup, changeTitle, type HistoryChange } from "../state/changes.ts";
import { reasonNotWritable } from "../state/permission.ts";
import { documentRoute, hrefOf } from "../state/route.ts";
import { theDaemon } from "../state/session.ts";
import { undoBatch, undoChange, undoRun } from "../state/undo.ts";
import { Ago } from "./ago.tsx";
import { AuthorMark } from "./author.tsx";
import { Button } from "./button.tsx";
import { Diff } from "./diff.tsx";
import { Icon } from "./icon.tsx";
import "./change-group.css";

/** What was done at once or in a row, as one line that opens to what it changed, and can be taken back. */
export function ChangeGroupCard({ group }: { readonly group: ChangeGroup }) {
  const { changes, kind } = group;
  const [open, setOpen] = useState(false);
  const body = useId();
  const newest = changes[0];
  const undone = changes.every((change) => change.undone);
  return (
    <article
      class={`change${undone ? " undone" : ""}${open ? " open" : ""}`}
      style={authorStyle(newest.author)}
    >
      <AuthorMark author={newest.author} />
      <div class="change-main">
        <button
          type="button"
          class="change-open"
          aria-expanded={open}
          aria-controls={body}
          title={open ? "Hide what changed (Enter)" : "Show what changed (Enter)"}
          onClick={() => setOpen(!open)}
        >
          <span class="change-who">{authorName(newest.author)}</span>
          <span class="change-what">{titleOf(group)}</span>
          <Icon name="chevron" size={12} />
        </button>
        <p class="change-facts">
          <ChangedPaths changes={changes} />
          <CharacterCounts changes={changes} />
          <OriginChip change={newest} />
          {undone && <span class="chip">undone</span>}
        </p>
      </div>
      <Ago time={newest.time} />
      <UndoButton group={group} undone={undone} />
      {open && (
        <div class="change-body" id={body}>
          {kind === "batch" ? <BatchChanges changes={changes} /> : <ChangeDiff changes={changes} />}
        </div>
      )}
    </article>
  );
}

function titleOf({ changes, kind }: ChangeGroup): string {
  const [newest] = changes;
  if (newest.message !== undefined) return newest.message;
  if (kind === "batch") return `Edited ${documentsOf(changes).length} documents together`;
  if (kind === "one") return changeTitle(newest);
  return newest.origin === "disk" ? `Saved ${changes.length} times in an editor` : `${changes.length} edits`;
}

function ChangedPaths({ changes }: { readonly changes: readonly HistoryChange[] }) {
  const [path, ...others] = documentsOf(changes);
  return (
    <>
      <a class="change-path" href={hrefOf(documentRoute(path!))} title={`Open ${path}`}>
        {path}
      </a>
      {others.length > 0 && <span title={others.join("\n")}>and {others.length} more</span>}
    </>
  );
}

function CharacterCounts({ changes }: { readonly changes: readonly HistoryChange[] }) {
  const added = changes.reduce((sum, change) => sum + change.added, 0);
  const removed = changes.reduce((sum, change) => sum + change.removed, 0);
  return (
    <span class="change-counts" title={`${added} characters put in, ${removed} taken out`}>
      <ins>+{added.toLocaleString("en")}</ins> <del>−{removed.toLocaleString("en")}</del>
    </span>
  );
}

function OriginChip({ change }: { readonly change: HistoryChange }) {
  if (change.author === "spliced") return <span class="chip warn">rescue</span>;
  if (change.lacked !== undefined)
    return <span class="chip warn">took out what {authorNames(change.lacked.authors)} wrote</span>;
  if (change.undoes !== undefined) return <span class="chip">undo</span>;
  switch (change.origin) {
    case "proposal":
      return <span class="chip good">proposal</span>;
    case "remote":
      return <span class="chip">other machine</span>;
    case "agent":
      return change.batchId === undefined ? null : <span class="chip">batch</span>;
    case "disk":
    case "undo":
      return null; // said already
  }
}

function UndoButton({ group, undone }: { readonly group: ChangeGroup; readonly undone: boolean }) {
  const { kind, changes } = group;
  const [busy, setBusy] = useState(false);
  const [newest] = changes;
  if (undone || newest.previous === null) return <span class="change-no-undo" />;
  const work = async () => {
    setBusy(true);
    if (kind === "batch") await undoBatch(newest.batchId!, documentsOf(changes));
    else if (kind === "run") await undoRun(changes);
    else await undoChange(newest);
    setBusy(false);
  };
  const what =
    kind === "batch" ? "the whole batch" : kind === "run" ? `all ${changes.length}` : "this change";
  const why = reasonNotWritable(documentsOf(changes));
  return (
    <Button
      icon="undo"
      label={why ?? `Take back ${what} (u)`}
      disabled={busy || why !== undefined}
      onClick={() => void work()}
    />
  );
}

/** Each document's part, to look at and take back by itself. */
function BatchChanges({ changes }: { readonly changes: readonly HistoryChange[] }) {
  return (
    <>
      {changes.map((change) => (
        <ChangeGroupCard
          key={change.changeId}
          group={{ key: change.changeId, kind: "one", changes: [change] }}
        />
      ))}
    </>
  );
}

/** What changes of one document that follow one another come to. */
function ChangeDiff({ changes }: { readonly changes: ChangeGroup["changes"] }) {
  const { path, version } = changes[0];
  const { previous } = changes.at(-1)!;
  const [seen, setSeen] = useState<{ readonly diff: string } | { readonly failed: string }>();
  useEffect(() => {
    if (previous === null) return;
    theDaemon()
      .history.diff({ path, from: previous, to: version })
      .then(setSeen, (error: Error) => setSeen({ failed: error.message }));
  }, [path, previous, version]);
  if (previous === null) return <p class="quiet">The document began with this; nothing comes before it.</p>;
  if (seen === undefined) return <p class="quiet">Looking …</p>;
  if ("failed" in seen) return <p class="change-failed">It cannot be shown: {seen.failed}</p>;
  return <Diff diff={seen.diff} lines={400} />;
}

function documentsOf(changes: readonly HistoryChange[]): string[] {
  return [...new Set(changes.map(({ path }) => path))];
}
