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

/** Shows a group of changes as one line, which opens to show the differences, and has a button for undo. */
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
          title={open ? "Hide the changes (Enter)" : "Show the changes (Enter)"}
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
    <span class="change-counts" title={`${added} characters added, ${removed} removed`}>
      <ins>+{added.toLocaleString("en")}</ins> <del>−{removed.toLocaleString("en")}</del>
    </span>
  );
}

function OriginChip({ change }: { readonly change: HistoryChange }) {
  if (change.certainty === "likely" && change.lacked === undefined)
    return (
      <span class="chip" title="A shell command of this agent ran at that time">
        likely
      </span>
    );
  if (change.author === "spliced")
    return (
      <span class="chip warn" title={change.message}>
        rescue
      </span>
    );
  if (change.lacked !== undefined)
    return <span class="chip warn">removed edits by {authorNames(change.lacked.authors)}</span>;
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
      return null; // the title says it
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
  const target =
    kind === "batch" ? "the whole batch" : kind === "run" ? `all ${changes.length}` : "this change";
  const reason = reasonNotWritable(documentsOf(changes));
  return (
    <Button
      icon="undo"
      label={reason ?? `Undo ${target} (u)`}
      disabled={busy || reason !== undefined}
      onClick={() => void work()}
    />
  );
}

/** Shows the changes of a batch one by one, each with its own undo. */
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

/** Shows the difference that consecutive changes of one document make together. */
function ChangeDiff({ changes }: { readonly changes: ChangeGroup["changes"] }) {
  const { path, version } = changes[0];
  const { previous } = changes.at(-1)!;
  const [result, setResult] = useState<{ readonly diff: string } | { readonly failed: string }>();
  useEffect(() => {
    if (previous === null) return;
    theDaemon()
      .history.diff({ path, from: previous, to: version })
      .then(setResult, (error: Error) => setResult({ failed: error.message }));
  }, [path, previous, version]);
  if (previous === null) return <p class="quiet">This change created the document.</p>;
  if (result === undefined) return <p class="quiet">Loading …</p>;
  if ("failed" in result) return <p class="change-failed">Could not load the changes: {result.failed}</p>;
  return <Diff diff={result.diff} lines={400} />;
}

function documentsOf(changes: readonly HistoryChange[]): string[] {
  return [...new Set(changes.map(({ path }) => path))];
}
