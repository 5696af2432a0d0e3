import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { NoticeCard } from "../../parts/notice-card.tsx";
import { dismissAll, notices } from "../../state/notices.ts";
import "./notices.css";

/** What happened that a person should know of, and what they can do about it. */
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
        {all.length === 0 ? (
          <EmptyState icon="check" title="Nothing to see to">
            When a save from an old copy is merged, an agent’s edit does not fit, or a file cannot be written,
            it is told here with what you can do.
          </EmptyState>
        ) : (
          <div class="notices">
            {all.map((notice) => (
              <NoticeCard key={notice.id} notice={notice} />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}
