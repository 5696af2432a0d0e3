import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Ago } from "../../parts/ago.tsx";
import { Author } from "../../parts/changes/author.tsx";
import { countDiff, parseDiff } from "../../parts/changes/diff-lines.ts";
import { Icon } from "../../parts/controls/icon.tsx";
import { now } from "../../state/base/clock.ts";
import { plural } from "../../state/base/plural.ts";
import { hrefOf } from "../../state/base/route.ts";
import { aboutText } from "../../state/proposals/proposal-files.ts";
import type { PreviewEntry, ProposalEntry } from "../../state/proposals/proposal-types.ts";
import { focusNextTitle, focusTitle, rowId } from "./focus.ts";
import { OPERATION_TEXTS } from "./operations.ts";
import { chosenId } from "./selection.ts";
import { StatusChip } from "./status.tsx";

/** The row of a proposal in the list. */
export function ProposalRow({ proposal }: { readonly proposal: ProposalEntry }) {
  const { id, author, machine, created_at, reviewed_at, reasoning, diff, status, operation, files } =
    proposal;
  const reviewed = status !== "pending";
  return (
    <ListRow id={id}>
      <span class="proposal-who">
        <Author author={author} machine={machine} />
        <Ago time={reviewed_at ?? created_at} />
      </span>
      <span class="proposal-why">{reasoning}</span>
      <span class="proposal-facts">
        {files !== undefined && <span class="chip">{plural(files.length, "file")}</span>}
        {files === undefined && <OperationChip operation={operation} />}
        {reviewed ? <StatusChip {...proposal} /> : <StatusMarks proposal={proposal} />}
        {reviewed && <span class="proposal-path quiet">{aboutText(proposal)}</span>}
        <DiffSize diffs={[diff]} />
      </span>
      {reviewed && <ReviewNote proposal={proposal} />}
    </ListRow>
  );
}

/** Marks a proposal that is a patch, or that changes the file itself. */
export function OperationChip({ operation }: Pick<ProposalEntry, "operation">) {
  if (operation === "create" || operation === "delete" || operation === "rename")
    return <span class="chip">{OPERATION_TEXTS[operation]}</span>;
  if (operation !== "patch") return null;
  return (
    <span class="chip">
      <Icon name="patch" size={12} /> patch
    </span>
  );
}

/** The row of an edit to confirm in the list. */
export function PreviewRow({ preview }: { readonly preview: PreviewEntry }) {
  const { patch_id, author, expires, message, files } = preview;
  return (
    <ListRow id={patch_id}>
      <span class="proposal-who">
        <Author author={author} />
        <span class="ago">{timeLeft(expires)}</span>
      </span>
      <span class="proposal-why">{message ?? files.flatMap(({ warnings }) => warnings).join("; ")}</span>
      <span class="proposal-facts">
        <span class="proposal-path quiet">{files.map(({ path }) => path).join(", ")}</span>
        <DiffSize diffs={files.map(({ diff }) => diff)} />
      </span>
    </ListRow>
  );
}

/** Returns the time for which a preview can still be confirmed. */
export function timeLeft(expires: string): string {
  const minutes = Math.ceil((Date.parse(expires) - now.value) / 60_000);
  return `${Math.max(1, minutes)} min left`;
}

function ListRow({ id, children }: { readonly id: string; readonly children: ComponentChildren }) {
  const link = useRef<HTMLAnchorElement>(null);
  const here = chosenId.value === id;
  useEffect(() => {
    if (here) link.current!.scrollIntoView({ block: "nearest" });
  }, [here]);
  return (
    <a
      ref={link}
      id={rowId(id)}
      class="proposal-row"
      href={hrefOf({ view: "proposals", id })}
      aria-current={here ? "true" : undefined}
      onClick={here ? focusTitle : focusNextTitle}
    >
      {children}
    </a>
  );
}

/** Shows the confidence of the author; none if it is medium, because an author who states none has that. */
export function ConfidenceChip({ confidence }: Pick<ProposalEntry, "confidence">) {
  return confidence === "medium" ? null : <span class="chip">{confidence} confidence</span>;
}

function StatusMarks({ proposal }: { readonly proposal: ProposalEntry }) {
  const { confidence, conflicts, problem, stale, approvals } = proposal;
  return (
    <>
      <ConfidenceChip confidence={confidence} />
      {conflicts.length > 0 && <span class="chip bad">conflict</span>}
      {problem !== null && <span class="chip bad">problem</span>}
      {approvals.length > 0 && <span class="chip good">partly approved</span>}
      {stale && conflicts.length === 0 && (
        <span
          class="chip"
          title="The document has changed since. You see the proposal against the current text."
        >
          document changed
        </span>
      )}
    </>
  );
}

function ReviewNote({ proposal: { reviewer, reason } }: { readonly proposal: ProposalEntry }) {
  if (reviewer === null && reason === null) return null;
  return (
    <span class="proposal-verdict quiet">
      {reviewer !== null && <>by {reviewer}</>}
      {reason !== null && `: ${reason}`}
    </span>
  );
}

/** Shows the numbers of added and removed lines of diffs. */
export function DiffSize({ diffs }: { readonly diffs: readonly string[] }) {
  const { added, removed } = useMemo(() => countDiff(diffs.flatMap(parseDiff)), [diffs.join("\n")]);
  if (added + removed === 0) return null;
  return (
    <span class="proposal-size" title={`${plural(added, "line")} added, ${removed} removed`}>
      {added > 0 && <span class="plus">+{added.toLocaleString("en")}</span>}{" "}
      {removed > 0 && <span class="minus">−{removed.toLocaleString("en")}</span>}{" "}
      {added + removed === 1 ? "line" : "lines"}
    </span>
  );
}
