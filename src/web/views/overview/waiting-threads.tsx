import { Ago } from "../../parts/ago.tsx";
import { Author } from "../../parts/changes/author.tsx";
import { CopyLine } from "../../parts/controls/copy-line.tsx";
import { Icon } from "../../parts/controls/icon.tsx";
import { documentRoute, hrefOf, type Route } from "../../state/base/route.ts";
import type { ListedThread } from "../../state/threads/thread-types.ts";
import { looseThreads, waitingThreads } from "../../state/threads/waiting-threads.ts";

/** Shows the threads without an answer, and the way to start an agent that answers them. */
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

/** Shows the answered threads that no document leads to. */
export function LooseThreads() {
  const threads = looseThreads.value ?? [];
  if (threads.length === 0) return null;
  return (
    <section class="needs-attention" aria-label="Threads without a document">
      <h2>Threads without a document</h2>
      {threads.map((thread) => (
        <ThreadLine key={thread.id} thread={thread} />
      ))}
    </section>
  );
}

/** Returns the route to a thread: beside its document, below its proposal, or in a view of its own. */
function routeOf({ id, paths: [path], proposal }: ListedThread): Route {
  if (path !== undefined) return documentRoute(path, "text", { thread: id });
  return proposal === undefined ? { view: "thread", id } : { view: "proposals", id: proposal };
}

function ThreadLine({ thread }: { readonly thread: ListedThread }) {
  const { title, paths, last, waiting } = thread;
  const [path] = paths;
  return (
    <a class="task card" href={hrefOf(routeOf(thread))}>
      <Icon name="chat" />
      <span class="task-title">
        <Author author={last.author} machine={last.machine} /> {waiting ? "asks" : "answered"}
        {path !== undefined && " about "}
        {path !== undefined && <code>{path}</code>}
        <span class="task-reason">{title}</span>
      </span>
      <Ago time={last.time} />
    </a>
  );
}
