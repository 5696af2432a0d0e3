import { Fragment } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Button } from "../../parts/controls/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { attempt } from "../../state/base/messages.ts";
import { connected, theDaemon } from "../../state/base/session.ts";
import { whoOf } from "../../state/changes/authors.ts";
import { followAnswerChanges } from "../../state/threads/answer-changes.ts";
import { type OpenThread, ThreadFeed } from "../../state/threads/open-thread.ts";
import type { ListedThread, ThreadAnchor } from "../../state/threads/thread-types.ts";
import { AnswerWorkView } from "./answer-work.tsx";
import { ThreadDocuments } from "./bundle.tsx";
import { Composer } from "./composer.tsx";
import { AnswerUnderWay, MessageView } from "./message.tsx";
import { ThreadHead, type ThreadHeadProps } from "./thread-head.tsx";
import { Unanswered } from "./unanswered.tsx";
import { useFollowedEnd } from "./use-followed-end.ts";
import { DRAFT, placesOfWork } from "./work.ts";

interface ThreadViewProps {
  readonly id: string;
  /** The thread as the document's list has it, with the newest places of its anchors. */
  readonly listed: ListedThread | undefined;
  readonly onAnchor: (anchor: ThreadAnchor) => void;
  readonly back: ThreadHeadProps["back"];
  /** Closes the threads; undefined where they are not beside a document. */
  readonly onClose?: () => void;
}

/** Shows a thread: its messages, the answer under way, and a composer. Each id needs its own instance. */
export function ThreadView({ id, listed, onAnchor, back, onClose }: ThreadViewProps) {
  const client = theDaemon();
  const feed = useMemo(() => new ThreadFeed(client, id), [client, id]);
  useEffect(() => () => feed.close(), [feed]);
  const [sent, setSent] = useState(0);
  const { value: state } = feed.state;
  return (
    <>
      <ThreadHead
        thread={state.is === "open" ? state.thread : undefined}
        back={back}
        {...(onClose && { onClose })}
      />
      {state.is === "loading" && <p class="thread-body quiet">Loading …</p>}
      {state.is === "gone" && (
        <div class="thread-body">
          <EmptyState icon="chat" title="No such thread">
            {state.why}
          </EmptyState>
        </div>
      )}
      {state.is === "open" && (
        <>
          <ThreadDocuments thread={state.thread} />
          <Conversation
            state={state}
            anchors={withNewest(state.anchors, listed?.anchors ?? [])}
            onAnchor={onAnchor}
            onOlder={() => void feed.loadOlder()}
            sent={sent}
          />
          <Composer
            draftKey={id}
            target={{ thread: id }}
            label="Your message"
            hint={
              state.thread.status === "resolved" ? "A message opens the thread again …" : "Write a message …"
            }
            onSent={() => setSent(sent + 1)}
          />
        </>
      )}
    </>
  );
}

interface ConversationProps extends Pick<ThreadViewProps, "onAnchor"> {
  readonly state: Extract<OpenThread, { is: "open" }>;
  readonly anchors: readonly ThreadAnchor[];
  readonly onOlder: () => void;
  /** The number of messages that the person has sent here. */
  readonly sent: number;
}

function Conversation({ state, anchors, onAnchor, onOlder, sent }: ConversationProps) {
  const { thread, messages, more, draft } = state;
  const client = theDaemon();
  const changes = useMemo(() => followAnswerChanges(client), [client]);
  useEffect(() => () => changes.end(), [changes]);
  useEffect(() => changes.want(messages), [changes, messages]);
  const body = useFollowedEnd([messages, draft, changes.changes.value], sent);
  const places = placesOfWork(messages, draft);
  const known = changes.changes.value;
  const workAt = (place: string) => {
    const work = places.get(place);
    return work && known && <AnswerWorkView work={work} known={known} />;
  };
  // Changes that appeared after the messages would move them.
  if (known === undefined && places.size > 0)
    return (
      <div class="thread-body quiet" ref={body}>
        Loading …
      </div>
    );
  return (
    <div class="thread-body" ref={body} role="log" aria-label="Messages">
      <div class="thread-contents">
        {more && <Button onClick={onOlder}>Show older messages</Button>}
        {messages.map((message) => (
          <Fragment key={message.id}>
            <MessageView
              message={message}
              anchor={anchors.find(({ messageId }) => messageId === message.id)}
              onAnchor={onAnchor}
            />
            {workAt(message.id)}
          </Fragment>
        ))}
        {draft !== null && (
          <>
            <AnswerUnderWay draft={draft} stopping={thread.lease?.stopping ?? false}>
              <Button
                disabled={!connected.value || thread.lease?.stopping === true}
                label="Stop this answer"
                onClick={() => void stop(thread.id)}
              >
                Stop
              </Button>
            </AnswerUnderWay>
            {workAt(DRAFT)}
          </>
        )}
        {draft === null && thread.lease !== null && (
          <p class="quiet" role="status">
            {whoOf(thread.lease)} answers …
          </p>
        )}
        {thread.waiting && <Unanswered last={thread.last} />}
      </div>
    </div>
  );
}

async function stop(thread: string): Promise<void> {
  await attempt("Could not stop the answer", () => theDaemon().thread.stop({ thread }));
}

/** Returns the anchors with the places that the document's list has for them, which is renewed as the text changes. */
function withNewest(
  anchors: readonly ThreadAnchor[],
  listed: readonly ThreadAnchor[],
): readonly ThreadAnchor[] {
  return anchors.map((anchor) => listed.find(({ messageId }) => messageId === anchor.messageId) ?? anchor);
}
