import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { DocumentTabs } from "../../parts/document-tabs.tsx";
import { Empty } from "../../parts/empty-state.tsx";
import { useStream } from "../../parts/use-stream.ts";
import { type Change, daysOf, type Group } from "../../state/changes.ts";
import { documents } from "../../state/documents.ts";
import { theDaemon } from "../../state/session.ts";
import { attempt, say } from "../../state/messages.ts";
import { Comparison } from "./comparison.tsx";
import { type Pick, sidesOf } from "./version-choice.ts";
import { Rail } from "./version-list.tsx";
import "./timeline.css";

/** All versions of a document, any two of them side by side, and the way back to one. */
export function Timeline({ path }: { readonly path: string }) {
  const stream = useStream({ path });
  const pick = useSignal<Pick>({});
  const each = useSignal(false);
  useEffect(() => {
    pick.value = {};
  }, [path, pick]);
  const changes = stream.changes.value;
  const groups = changes === undefined ? [] : groupsOf(changes, each.value);
  const sides = sidesOf(groups, pick.value);
  return (
    <div class="view timeline">
      <header class="view-head">
        <h1 class="timeline-path">{path}</h1>
        {documents.value?.has(path) === false && changes !== undefined && <Deleted path={path} />}
        <span class="spacer" />
        <DocumentTabs path={path} here="timeline" />
      </header>
      {changes === undefined && !stream.loading.value ? (
        <Empty icon="clock" title="There is no history to show">
          No document was ever at this path, as far as you may know of it.
        </Empty>
      ) : (
        <div class="timeline-parts">
          <Rail groups={groups} pick={pick} sides={sides} stream={stream} each={each} />
          {sides !== undefined && <Comparison path={path} sides={sides} newest={groups[0]!} pick={pick} />}
        </div>
      )}
    </div>
  );
}

function groupsOf(changes: readonly Change[], each: boolean): readonly Group[] {
  if (each) return changes.map((change) => ({ key: change.changeId, kind: "one", changes: [change] }));
  return daysOf(changes).flatMap(({ groups }) => groups);
}

function Deleted({ path }: { readonly path: string }) {
  const restore = async () => {
    const made = await attempt("It could not be restored", () => theDaemon().doc.restore({ path }));
    if (made !== undefined) say("good", `${path} is back.`);
  };
  return (
    <>
      <span class="chip bad">deleted</span>
      <Button onClick={() => void restore()}>Restore the file</Button>
    </>
  );
}
