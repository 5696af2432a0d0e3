import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../parts/controls/button.tsx";
import { DocumentTabs } from "../../parts/document-tabs.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { useStream } from "../../parts/use-stream.ts";
import { attempt, showMessage } from "../../state/base/messages.ts";
import { theDaemon } from "../../state/base/session.ts";
import { type ChangeGroup, daysOf, type HistoryChange } from "../../state/changes/changes.ts";
import { documentsByPath } from "../../state/documents/documents.ts";
import { Breadcrumb } from "../document/head.tsx";
import { ComparisonView } from "./comparison.tsx";
import { comparedVersions, type VersionChoice } from "./version-choice.ts";
import { VersionList } from "./version-list.tsx";
import "./timeline.css";

/** Shows all versions of a document, compares any two, and restores one. */
export function TimelineView({ path }: { readonly path: string }) {
  const stream = useStream({ path });
  const pick = useSignal<VersionChoice>({});
  const each = useSignal(false);
  useEffect(() => {
    pick.value = {};
  }, [path, pick]);
  const changes = stream.changes.value;
  const groups = changes === undefined ? [] : groupsOf(changes, each.value);
  const sides = comparedVersions(groups, pick.value);
  return (
    <div class="view timeline">
      <header class="view-head">
        <Breadcrumb path={path} />
        {documentsByPath.value?.has(path) === false && changes !== undefined && <RestoreFile path={path} />}
        <span class="spacer" />
        <DocumentTabs path={path} here="timeline" />
      </header>
      {changes === undefined && !stream.loading.value ? (
        <EmptyState icon="clock" title="No history">
          No document was ever at this path, or you may not read it.
        </EmptyState>
      ) : (
        <div class="timeline-parts">
          <VersionList groups={groups} pick={pick} sides={sides} stream={stream} each={each} />
          {sides !== undefined && (
            <ComparisonView path={path} sides={sides} newest={groups[0]!} pick={pick} />
          )}
        </div>
      )}
    </div>
  );
}

function groupsOf(changes: readonly HistoryChange[], each: boolean): readonly ChangeGroup[] {
  if (each) return changes.map((change) => ({ key: change.changeId, kind: "one", changes: [change] }));
  return daysOf(changes).flatMap(({ groups }) => groups);
}

function RestoreFile({ path }: { readonly path: string }) {
  const restore = async () => {
    const restored = await attempt("Could not restore the document", () => theDaemon().doc.restore({ path }));
    if (restored !== undefined) showMessage("good", `${path} was restored.`);
  };
  return (
    <>
      <span class="chip bad">deleted</span>
      <Button onClick={() => void restore()}>Restore the file</Button>
    </>
  );
}
