import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/controls/button.tsx";
import { Icon } from "../../parts/controls/icon.tsx";
import { suggestionForPeople } from "../../state/base/messages.ts";
import { connected } from "../../state/base/session.ts";
import { dropDraft, keepDraft, messageDraft } from "../../state/threads/message-drafts.ts";
import { BundleField } from "./bundle.tsx";
import { type SendTarget, sendMessage } from "./send.ts";

interface ComposerProps {
  /** The key of the draft: the thread, or a new one. */
  readonly draftKey: string;
  readonly target: SendTarget;
  readonly label: string;
  readonly hint: string;
  readonly onSent: (thread: string) => void;
}

const focusWanted = signal(false);

/** Moves the focus to the composer as soon as the page shows it. */
export function focusComposer(): void {
  focusWanted.value = true;
}

/** Writes a message. Its text stays until the daemon has it, through errors and reloads. */
export function Composer({ draftKey, target, label, hint, onSent }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<{ readonly why: string; readonly advice: string | undefined }>();
  const draft = messageDraft(draftKey);
  const wanted = focusWanted.value;
  useEffect(() => {
    if (!wanted) return;
    focusWanted.value = false;
    field.current!.focus();
  }, [wanted]);
  useEffect(() => setFailed(undefined), [draftKey]);
  const empty = draft.text.trim() === "";
  const send = async () => {
    if (empty || busy || !connected.value) return;
    setBusy(true);
    const sent = await sendMessage(target, draft);
    setBusy(false);
    if ("thread" in sent) {
      setFailed(undefined);
      dropDraft(draftKey);
      onSent(sent.thread);
    } else setFailed({ why: sent.why, advice: suggestionForPeople(sent.suggestion) });
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {draft.anchor !== undefined && (
        <div class="composer-anchor">
          <blockquote class="thread-quote">{draft.anchor.quote}</blockquote>
          <Button
            icon="close"
            label="Do not name this text"
            onClick={() => keepDraft(draftKey, { ...draft, anchor: undefined })}
          />
        </div>
      )}
      {failed !== undefined && (
        <p class="remark bad" role="alert">
          Not sent: {failed.why}. {failed.advice} Your text is kept.
        </p>
      )}
      <textarea
        ref={field}
        rows={3}
        aria-label={label}
        placeholder={hint}
        value={draft.text}
        readOnly={busy}
        onInput={(event) => keepDraft(draftKey, { ...draft, text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void send();
        }}
      />
      {"path" in target && (
        <BundleField
          path={target.path}
          others={draft.others ?? []}
          onChange={(others) => keepDraft(draftKey, { ...draft, others })}
        />
      )}
      <div class="composer-actions">
        <span class="quiet">
          {connected.value ? "Ctrl Enter sends" : "Disconnected. Your text is kept until you can send it."}
        </span>
        <Button
          tone="primary"
          disabled={empty || busy || !connected.value}
          label="Send (Ctrl Enter)"
          onClick={() => void send()}
        >
          <Icon name="chat" /> {busy ? "Sending …" : "Send"}
        </Button>
      </div>
    </form>
  );
}
