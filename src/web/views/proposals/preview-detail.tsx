import { useState } from "preact/hooks";
import { Author } from "../../parts/changes/author.tsx";
import { Diff } from "../../parts/changes/diff.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { useKeys } from "../../parts/controls/use-keys.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { plural } from "../../state/base/plural.ts";
import { documentRoute, go } from "../../state/base/route.ts";
import { reasonNotWritable } from "../../state/documents/permission.ts";
import type { PreviewEntry } from "../../state/proposals/proposal-types.ts";
import { confirmers, pendingPreviews } from "../../state/proposals/proposals.ts";
import { applyPreview } from "./actions.ts";
import { focusTitle } from "./focus.ts";
import { ProposalPane } from "./proposal-pane.tsx";
import { DiffSize, timeLeft } from "./row.tsx";

/** Shows an edit to confirm, or why it is no longer pending. Each id needs its own instance. */
export function PreviewDetail({ id }: { readonly id: string }) {
  const preview = pendingPreviews.value?.find(({ patch_id }) => patch_id === id);
  const [notice, setNotice] = useState("");
  if (pendingPreviews.value === undefined) return <ProposalPane title="Edit" />;
  if (preview !== undefined) return <PendingPreview preview={preview} onConflict={setNotice} />;
  const confirmer = confirmers.value.get(id);
  return (
    <ProposalPane title="Edit">
      <EmptyState
        icon="check"
        title={confirmer === undefined ? "This edit is no longer pending" : `Applied by ${confirmer}`}
      >
        {confirmer === undefined
          ? notice ||
            "The document changed, someone applied the edit, or its ten minutes are over. Its author can ask again."
          : "You can undo it here or in the document’s timeline."}
      </EmptyState>
    </ProposalPane>
  );
}

function PendingPreview({
  preview,
  onConflict,
}: {
  readonly preview: PreviewEntry;
  readonly onConflict: (why: string) => void;
}) {
  const { author, message, files, expires } = preview;
  const [busy, setBusy] = useState(false);
  const barred = reasonNotWritable(files.map(({ path }) => path));
  const off = busy || barred !== undefined;
  const apply = async () => {
    setBusy(true);
    const result = await applyPreview(preview);
    setBusy(false);
    focusTitle();
    if (!result.done) onConflict(result.why);
  };
  const first = files[0]?.path;
  useKeys({
    a: off ? undefined : () => void apply(),
    o: first === undefined ? undefined : () => go(documentRoute(first)),
  });
  const title = files.length === 1 ? first! : plural(files.length, "document");
  return (
    <ProposalPane
      title={title}
      {...(files.length === 1 && { path: first! })}
      chip={<span class="chip warn">to confirm</span>}
    >
      <div class="proposal-summary">
        <div class="proposal-summary-facts">
          <Author author={author} />
          <span class="quiet">asks you to confirm this edit</span>
          <DiffSize diffs={files.map(({ diff }) => diff)} />
        </div>
        {message !== null && <p class="reasoning">{message}</p>}
      </div>
      <div class="actions review-actions">
        <Button tone="primary" disabled={off} label="Apply (a)" onClick={() => void apply()}>
          Apply
        </Button>
        <span class="quiet">Or do nothing, and the request expires ({timeLeft(expires)}).</span>
      </div>
      {barred !== undefined && <p class="remark warn">{barred}</p>}
      {files.map(({ path, diff, warnings }) => (
        <section key={path} class="preview-file" aria-label={path}>
          {files.length > 1 && <h3>{path}</h3>}
          {warnings.length > 0 && (
            <ul class="remark warn" aria-label="Differences from the patch">
              {warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          )}
          <Diff diff={diff} />
        </section>
      ))}
    </ProposalPane>
  );
}
