import type { ComponentChildren } from "preact";
import type { ProposalFile } from "../../../client/browser.ts";
import { Diff } from "../../parts/changes/diff.tsx";
import { documentRoute, hrefOf } from "../../state/base/route.ts";
import { ProposalConflicts } from "./conflicts.tsx";
import { OPERATION_TEXTS } from "./operations.ts";
import "./proposed-file.css";

interface ProposedFileProps {
  readonly file: ProposalFile;
  /** The element before the file's name, such as a checkbox. */
  readonly choice?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Shows the effect of a proposal of several files on one of them. */
export function ProposedFile({ file, choice, children }: ProposedFileProps) {
  const { path, operation, status, problem, conflicts } = file;
  return (
    <section class="proposed-file" aria-label={`${OPERATION_TEXTS[operation]}: ${path}`}>
      <header>
        {choice}
        <h3>{operation === "create" ? path : <a href={hrefOf(documentRoute(path))}>{path}</a>}</h3>
        <span class="chip">{OPERATION_TEXTS[operation]}</span>
        {status !== "pending" && (
          <span class={`chip ${status === "approved" ? "good" : "warn"}`}>
            {status === "approved" ? "approved" : "nothing left to do"}
          </span>
        )}
      </header>
      {problem !== null && <p class={`remark ${status === "pending" ? "bad" : "warn"}`}>{problem}</p>}
      {conflicts.length > 0 && <ProposalConflicts conflicts={conflicts} />}
      {children ?? <FileDiff file={file} />}
    </section>
  );
}

/** Shows the difference that a proposal makes in a file; of a rename both paths, and of an empty file that it is empty. */
export function FileDiff({
  file: { path, to, operation, diff },
  lines,
}: {
  readonly file: ProposalFile;
  readonly lines?: number;
}) {
  if (to !== undefined)
    return (
      <p class="proposed-rename">
        <del>{path}</del> → <ins>{to}</ins>
      </p>
    );
  if (diff === "") return null;
  const isEmpty = (operation === "create" || operation === "delete") && !diff.includes("\n@@");
  if (isEmpty) return <p class="quiet">The file is empty.</p>;
  return <Diff diff={diff} {...(lines !== undefined && { lines })} />;
}
