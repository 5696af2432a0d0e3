import { useEffect, useState } from "preact/hooks";
import { theDaemon } from "../../state/base/session.ts";
import { ThreadFeed } from "../../state/threads/open-thread.ts";
import { Composer } from "../threads/composer.tsx";
import { AnswerUnderWay, MessageView } from "../threads/message.tsx";
import "../threads/threads.css";
import "./comments.css";

/** Shows the comments on a proposal, which are one thread, and a field for another. */
export function ProposalComments({ id }: { readonly id: string }) {
  const [thread, setThread] = useState<string>();
  useEffect(() => {
    let isEnded = false;
    const client = theDaemon();
    const find = async () => {
      const { threads } = await client.thread.list({ proposal: id });
      if (!isEnded && threads[0] !== undefined) setThread(threads[0].id);
    };
    const soon = () => void find().catch(() => undefined); // a lost connection sends `resync` once it is back
    const ends = [
      client.on("thread.message", (event) => {
        if (event.thread.proposal === id) setThread(event.thread.id);
      }),
      client.on("resync", soon),
    ];
    soon();
    return () => {
      isEnded = true;
      for (const end of ends) end();
    };
  }, [id]);
  return (
    <section class="proposal-comments" aria-label="Comments">
      <h3>Comments</h3>
      {thread !== undefined && <Messages key={thread} thread={thread} />}
      <Composer
        draftKey={`proposal:${id}`}
        target={{ proposal: id }}
        label="Comment on this proposal"
        hint="Comment on this proposal …"
        onSent={setThread}
      />
    </section>
  );
}

function Messages({ thread }: { readonly thread: string }) {
  const [feed] = useState(() => new ThreadFeed(theDaemon(), thread));
  useEffect(() => () => feed.close(), [feed]);
  const { value: state } = feed.state;
  if (state.is !== "open") return state.is === "gone" ? <p class="quiet">{state.why}</p> : null;
  const { messages, draft } = state;
  return (
    <>
      {messages.map((message) => (
        <MessageView key={message.id} message={message} anchor={undefined} onAnchor={() => {}} />
      ))}
      {draft !== null && (
        <AnswerUnderWay draft={draft} stopping={state.thread.lease?.stopping === true}>
          {null}
        </AnswerUnderWay>
      )}
    </>
  );
}
