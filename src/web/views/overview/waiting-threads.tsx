import { Ago } from "../../parts/ago.tsx";
import { Author } from "../../parts/author.tsx";
import { CopyLine } from "../../parts/copy-line.tsx";
import { Icon } from "../../parts/icon.tsx";
import { documentRoute, hrefOf } from "../../state/route.ts";
import type { ListedThread } from "../../state/thread-types.ts";
import { waitingThreads } from "../../state/waiting-threads.ts";

/** Shows the threads that nobody has answered yet, and how to start an agent that does. */
export function WaitingThreads() {
  const threads = waitingThreads.value ?? [];
  if (threads.length === 0) return null;
  return (
    <section class="needs-attention" aria-label="Waiting threads">
      <h2>Waiting for an answer</h2>
      {threads.map((thread) => (
        <ThreadLine key={thread.id} thread={thread} />
      ))}
      <p class="quiet">An agent in a terminal answers them, for example:</p>
      <CopyLine text="npx spliced agent claude" />
    </section>
  );
}

function ThreadLine({ thread: { id, title, paths, last } }: { readonly thread: ListedThread }) {
  const [path] = paths;
  const line = (
    <>
      <Icon name="chat" />
      <span class="task-title">
        <Author author={last.author} machine={last.machine} /> {path === undefined ? "asks" : "asks about "}
        {path !== undefined && <code>{path}</code>}
        <span class="task-reason">{title}</span>
      </span>
      <Ago time={last.time} />
    </>
  );
  if (path === undefined) return <div class="task card">{line}</div>;
  return (
    <a class="task card" href={hrefOf(documentRoute(path, "text", { thread: id }))}>
      {line}
    </a>
  );
}
