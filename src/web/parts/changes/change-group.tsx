import { useEffect, useId, useRef, useState } from "preact/hooks";
import { plural } from "../../state/base/plural.ts";
import { documentRoute, hrefOf } from "../../state/base/route.ts";
import { theDaemon } from "../../state/base/session.ts";
import { authorStyle } from "../../state/changes/author-colours.ts";
import { whoOf } from "../../state/changes/authors.ts";
import {
  authorNames,
  type ChangeGroup,
  documentsOf,
  groupTitle,
  type HistoryChange,
  isPatch,
} from "../../state/changes/changes.ts";
import { undoBatch, undoChange, undoRun } from "../../state/changes/undo.ts";
import { reasonNotWritable } from "../../state/documents/permission.ts";
import { Ago } from "../ago.tsx";
import { Button } from "../controls/button.tsx";
import { Icon } from "../controls/icon.tsx";
import { useInSight } from "../use-in-sight.ts";
import { Waiting } from "../waiting.tsx";
import { AuthorMark } from "./author.tsx";
import { Diff } from "./diff.tsx";
import "./change-group.css";

/** The lines of a difference that a card shows at first: of a patch, and of changes that the person opened. */
const SHORT_LINES = 12;
const LONG_LINES = 400;

/** Shows a group of changes as one line, which opens to show the differences, and has a button for undo. Patches are open at once.
 */
export function ChangeGroupCard({ group }: { readonly group: ChangeGroup }) {
  const { changes, kind } = group;
  const patched = changes.every(isPatch);
  const [open, setOpen] = useState(patched);
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
          <span class="change-who">{whoOf(newest)}</span>
          {patched && <PatchMark changes={changes} />}
          <span class="change-what">{groupTitle(group)}</span>
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
          {kind === "batch" || kind === "series" ? (
            <SeveralChanges changes={changes} />
          ) : (
            <ChangeDiff changes={changes} short={patched} />
          )}
        </div>
      )}
    </article>
  );
}

/** Marks changes that patches made, with where the hunks landed. */
export function PatchMark({ changes }: { readonly changes: readonly HistoryChange[] }) {
  const marks = changes.flatMap(({ patch }) => patch ?? []);
  const hunks = marks.reduce((sum, mark) => sum + mark.hunks, 0);
  const offset = Math.max(...marks.map((mark) => mark.offset));
  const fuzz = Math.max(...marks.map((mark) => mark.fuzz));
  const moved = offset > 0 ? `, moved by up to ${plural(offset, "line")}` : "";
  const ignored = fuzz > 0 ? `, with fuzz ${fuzz}` : "";
  return (
    <span
      class="change-patch"
      role="img"
      aria-label="patch"
      title={`A patch: ${plural(hunks, "hunk")}${moved}${ignored}`}
    >
      <Icon name="patch" size={13} />
    </span>
  );
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
  if (added + removed === 0) return null;
  return (
    <span class="change-counts" title={`${plural(added, "character")} added, ${removed} removed`}>
      {added > 0 && <ins>+{added.toLocaleString("en")}</ins>}{" "}
      {removed > 0 && <del>−{removed.toLocaleString("en")}</del>}{" "}
      {added + removed === 1 ? "character" : "characters"}
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
      // The name of the author says on which machine it was.
      return change.machine === undefined ? <span class="chip">Loro</span> : null;
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
  if (undone || (kind !== "batch" && newest.previous === null)) return <span class="change-no-undo" />;
  const work = async () => {
    setBusy(true);
    if (kind === "batch") await undoBatch(newest.batchId!, documentsOf(changes));
    else if (kind === "run" || kind === "series") await undoRun(changes);
    else await undoChange(newest);
    setBusy(false);
  };
  const target =
    kind === "batch" ? "the whole batch" : kind === "one" ? "this change" : `all ${changes.length}`;
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

/** Shows the changes of several documents one by one, each with its own undo. */
function SeveralChanges({ changes }: { readonly changes: readonly HistoryChange[] }) {
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

interface ChangeDiffProps {
  readonly changes: ChangeGroup["changes"];
  /** Whether the difference shows its first lines only, until the person asks for all. */
  readonly short: boolean;
}

/** Shows the difference that consecutive changes of one document make together, once it is in sight. */
function ChangeDiff({ changes, short }: ChangeDiffProps) {
  const { path, version } = changes[0];
  const { previous } = changes.at(-1)!;
  const [result, setResult] = useState<{ readonly diff: string } | { readonly failed: string }>();
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useInSight(place);
  useEffect(() => {
    if (previous === null || !isSeen) return;
    theDaemon()
      .history.diff({ path, from: previous, to: version })
      .then(setResult, (error: Error) => setResult({ failed: error.message }));
  }, [path, previous, version, isSeen]);
  if (previous === null) return <p class="quiet">This change created the document.</p>;
  if (result === undefined)
    return (
      <div ref={place}>
        <Waiting />
      </div>
    );
  if ("failed" in result) return <p class="change-failed">Could not load the changes: {result.failed}</p>;
  if (!/^@@ /m.test(result.diff)) return <p class="quiet">The text did not change.</p>;
  return <Diff diff={result.diff} lines={short ? SHORT_LINES : LONG_LINES} />;
}
