import { NoticeCard } from "../../parts/cards/notice-card.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { dismissAll, notices, noticesAreLoaded } from "../../state/health/notices.ts";
import "./notices.css";

/** Shows all notices with their actions. */
export function NoticesView() {
  const all = notices.value;
  return (
    <div class="view">
      <header class="view-head">
        <h1>Notices</h1>
        <span class="spacer" />
        {all.length > 1 && <Button onClick={dismissAll}>Dismiss all</Button>}
      </header>
      <div class="view-body">
        {all.length === 0 && !noticesAreLoaded.value ? (
          <Waiting />
        ) : all.length === 0 ? (
          <EmptyState icon="check" title="No notices">
            A notice appears here when spliced merges the save of an older copy, when an agent’s edit does not
            fit, or when a file cannot be written.
          </EmptyState>
        ) : (
          <div class="notices">
            <h2 class="visually-hidden">All notices</h2>
            {all.map((notice) => (
              <NoticeCard key={notice.id} notice={notice} />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}
