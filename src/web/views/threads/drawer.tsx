import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../parts/controls/button.tsx";
import { ALL_THREADS, documentRoute, go, replaceRoute } from "../../state/base/route.ts";
import type { DocumentThreadsFeed } from "../../state/threads/document-threads.ts";
import { newThreadKey } from "../../state/threads/message-drafts.ts";
import type { ThreadAnchor } from "../../state/threads/thread-types.ts";
import { Composer, focusComposer } from "./composer.tsx";
import { ThreadList } from "./thread-list.tsx";
import { ThreadView } from "./thread-view.tsx";
import "./threads.css";

interface DrawerProps {
  readonly path: string;
  /** The open thread, or `ALL_THREADS`. */
  readonly thread: string;
  readonly feed: DocumentThreadsFeed;
  readonly onAnchor: (anchor: ThreadAnchor) => void;
  readonly onClose: () => void;
}

/** Shows the threads of a document beside its text, or one of them. Escape closes it. */
export function ThreadDrawer({ path, thread, feed, onAnchor, onClose }: DrawerProps) {
  const drawer = useRef<HTMLElement>(null);
  const { value: state } = feed.state;
  useEffect(() => {
    const { current } = drawer;
    // The focus was on a row or a button that is gone now.
    if (document.activeElement === document.body) current?.focus();
  }, [thread]);
  const listed = state.is === "listed" ? state.threads.find(({ id }) => id === thread) : undefined;
  return (
    <aside
      class="drawer"
      aria-label="Threads"
      ref={drawer}
      tabIndex={-1}
      onKeyDown={(event) => {
        const isOther = (event.target as Element).closest(".menu, .reject") !== null;
        if (event.key !== "Escape" || isOther || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      {thread === ALL_THREADS ? (
        <>
          <header class="drawer-head">
            <h2>Threads</h2>
            <Button icon="close" label="Close the threads (Alt T)" onClick={onClose} />
          </header>
          <div class="thread-body">
            <ThreadList path={path} state={state} onRetry={() => void feed.reload()} />
          </div>
          <Composer
            key="new"
            draftKey={newThreadKey(path)}
            target={{ path }}
            label="First message of a new thread"
            hint="Ask about this document …"
            onSent={(id) => {
              replaceRoute(documentRoute(path, "text", { thread: id }));
              focusComposer();
            }}
          />
        </>
      ) : (
        <ThreadView
          key={thread}
          id={thread}
          listed={listed}
          onAnchor={onAnchor}
          back={{
            label: "All threads",
            run: () => go(documentRoute(path, "text", { thread: ALL_THREADS })),
          }}
          onClose={onClose}
        />
      )}
    </aside>
  );
}
