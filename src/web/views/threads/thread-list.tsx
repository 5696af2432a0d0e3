import { Ago } from "../../parts/ago.tsx";
import { AuthorMark } from "../../parts/changes/author.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { plural } from "../../state/base/plural.ts";
import { documentRoute, hrefOf } from "../../state/base/route.ts";
import type { DocumentThreads } from "../../state/threads/document-threads.ts";
import type { ListedThread } from "../../state/threads/thread-types.ts";
import { threadStatus } from "./thread-status.ts";

interface ThreadListProps {
  readonly path: string;
  readonly state: DocumentThreads;
  readonly onRetry: () => void;
}

/** Shows the threads of a document, the open ones first. */
export function ThreadList({ path, state, onRetry }: ThreadListProps) {
  if (state.is === "loading") return <p class="quiet">Loading …</p>;
  if (state.is === "failed")
    return (
      <div class="remark bad" role="alert">
        <p>Could not list the threads: {state.why}</p>
        <Button onClick={onRetry}>Try again</Button>
      </div>
    );
  const open = state.threads.filter(({ status }) => status === "open");
  const resolved = state.threads.filter(({ status }) => status === "resolved");
  return (
    <>
      {open.length === 0 && (
        <EmptyState icon="chat" title={resolved.length === 0 ? "No threads yet" : "No open threads"}>
          Ask about the document below. To ask about a part of it, select the text and choose “Ask about
          this”.
        </EmptyState>
      )}
      <Rows path={path} threads={open} label="Open threads" />
      {resolved.length > 0 && (
        <details class="resolved-threads">
          <summary>{plural(resolved.length, "resolved thread")}</summary>
          <Rows path={path} threads={resolved} label="Resolved threads" />
        </details>
      )}
      {state.more && <p class="quiet">Older threads are not listed here. `spliced threads` lists all.</p>}
    </>
  );
}

interface RowsProps {
  readonly path: string;
  readonly threads: readonly ListedThread[];
  readonly label: string;
}

function Rows({ path, threads, label }: RowsProps) {
  if (threads.length === 0) return null;
  return (
    <ul class="thread-rows" aria-label={label}>
      {threads.map((thread) => (
        <li key={thread.id}>
          <ThreadRow path={path} thread={thread} />
        </li>
      ))}
    </ul>
  );
}

function ThreadRow({ path, thread }: { readonly path: string; readonly thread: ListedThread }) {
  const { id, title, last, messages, anchors = [], paths } = thread;
  const quote = anchors[0];
  const status = threadStatus(thread);
  return (
    <a class="thread-row" href={hrefOf(documentRoute(path, "text", { thread: id }))}>
      <span class="thread-row-title">{title}</span>
      {quote !== undefined && (
        <span class={`thread-quote${quote.deleted ? " deleted" : ""}`}>
          {quote.deleted ? <del>{quote.quote}</del> : quote.quote}
        </span>
      )}
      <span class="thread-row-facts">
        <AuthorMark author={thread.lease?.author ?? last.author} />
        <span class={status.tone}>{status.text}</span>
        <span>{plural(messages, "message")}</span>
        {paths.length > 1 && <span>{paths.length} documents</span>}
        <Ago time={last.time} />
      </span>
    </a>
  );
}
