import type { ComponentChildren } from "preact";
import { Ago } from "../../parts/ago.tsx";
import { Author } from "../../parts/changes/author.tsx";
import { Icon } from "../../parts/controls/icon.tsx";
import type { AnswerDraft, ThreadAnchor, ThreadMessage } from "../../state/threads/thread-types.ts";
import { Plan, ToolCalls } from "./answer-parts.tsx";
import { ProseView } from "./prose-view.tsx";
import "./message.css";

interface MessageProps {
  readonly message: ThreadMessage;
  readonly anchor: ThreadAnchor | undefined;
  /** Shows the place of an anchor. */
  readonly onAnchor: (anchor: ThreadAnchor) => void;
}

const INCOMPLETE = {
  stopped: "This answer was stopped before its end.",
  failed: "This answer failed before its end.",
  lost: "This answer was cut off: its author went away, or spliced was ended, before the end.",
} as const;

/** Shows a message of a thread. */
export function MessageView({ message, anchor, onAnchor }: MessageProps) {
  const { author, machine, role, time, text, plan = [], tools = [], incomplete } = message;
  return (
    <article class={`thread-message ${role}`} aria-label={`Message by ${author}`}>
      <header>
        <Author author={author} machine={machine} />
        <Ago time={time} />
      </header>
      {anchor !== undefined && <AnchorQuote anchor={anchor} onAnchor={onAnchor} />}
      <ToolCalls calls={tools} />
      <Plan steps={plan} />
      {role === "assistant" && <ProseView text={text} />}
      {role === "user" && text !== "" && <p class="message-text">{text}</p>}
      {incomplete !== undefined && (
        <p class="remark warn">
          <Icon name="alert" size={14} /> {INCOMPLETE[incomplete]}
        </p>
      )}
    </article>
  );
}

/** Shows an answer while it comes. */
export function AnswerUnderWay({
  draft,
  stopping,
  children,
}: {
  readonly draft: AnswerDraft;
  readonly stopping: boolean;
  readonly children: ComponentChildren;
}) {
  const { author, text, thought, plan, tools } = draft;
  return (
    <article class="thread-message assistant coming" aria-label={`Answer by ${author}, under way`}>
      <header>
        <Author author={author} />
        <span class="answering" role="status">
          {stopping ? "is asked to stop …" : "answers …"}
        </span>
        <span class="spacer" />
        {children}
      </header>
      {thought !== "" && (
        <details class="thought">
          <summary>Thoughts</summary>
          <p class="message-text">{thought}</p>
        </details>
      )}
      <ToolCalls calls={tools} />
      <Plan steps={plan} />
      <ProseView text={text} />
    </article>
  );
}

function AnchorQuote({
  anchor,
  onAnchor,
}: Pick<MessageProps, "onAnchor"> & { readonly anchor: ThreadAnchor }) {
  if (anchor.deleted)
    return (
      <blockquote class="thread-quote deleted">
        <span class="quiet">This text is deleted now:</span> <del>{anchor.quote}</del>
      </blockquote>
    );
  return (
    <button
      type="button"
      class="thread-quote"
      title={`Show this text in ${anchor.path}`}
      onClick={() => onAnchor(anchor)}
    >
      {anchor.quote === "" ? "Show the place in the text" : anchor.quote}
    </button>
  );
}
