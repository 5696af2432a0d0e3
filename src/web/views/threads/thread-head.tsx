import { Button } from "../../parts/controls/button.tsx";
import { Icon } from "../../parts/controls/icon.tsx";
import { Menu, MenuItem } from "../../parts/controls/menu.tsx";
import { askToConfirm } from "../../state/base/confirm.ts";
import { attempt } from "../../state/base/messages.ts";
import { theDaemon } from "../../state/base/session.ts";
import type { ThreadSummary } from "../../state/threads/thread-types.ts";

export interface ThreadHeadProps {
  readonly thread: ThreadSummary | undefined;
  /** Where the person came from. */
  readonly back: { readonly label: string; readonly run: () => void };
  readonly onClose?: () => void;
}

/** Shows the title of a thread and what the person can do with it. */
export function ThreadHead({ thread, back, onClose }: ThreadHeadProps) {
  const resolved = thread?.status === "resolved";
  return (
    <header class="drawer-head">
      <button
        type="button"
        class="button bare drawer-back"
        title={back.label}
        aria-label={back.label}
        onClick={back.run}
      >
        <Icon name="chevron" />
      </button>
      <h2 title={thread?.title}>{thread?.title ?? "Thread"}</h2>
      {resolved && <span class="chip good">resolved</span>}
      {thread !== undefined && (
        <>
          <Button
            icon={resolved ? "undo" : "check"}
            label={resolved ? "Open this thread again" : "Mark as resolved"}
            onClick={() => void setResolved(thread.id, !resolved)}
          />
          <Menu>
            <MenuItem onClick={() => void confirmAndClear(thread.id)}>Delete the thread …</MenuItem>
          </Menu>
        </>
      )}
      {onClose && <Button icon="close" label="Close the threads (Alt T)" onClick={onClose} />}
    </header>
  );
}

async function setResolved(thread: string, resolved: boolean): Promise<void> {
  const failed = resolved ? "Could not resolve the thread" : "Could not open the thread again";
  await attempt(failed, () => theDaemon().thread.resolve({ thread, resolved }));
}

async function confirmAndClear(thread: string): Promise<void> {
  const sure = await askToConfirm({
    title: "Delete this thread?",
    text: "This deletes its messages for everyone and cannot be undone. The changes that it led to stay.",
    yes: "Delete",
    danger: true,
  });
  if (sure) await attempt("Could not delete the thread", () => theDaemon().thread.clear({ thread }));
}
