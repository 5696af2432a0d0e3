import { NoticeAction } from "../../parts/cards/notice-card.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { copy } from "../../parts/controls/copy.ts";
import { Icon } from "../../parts/controls/icon.tsx";
import { sentence } from "../../state/base/sentence.ts";
import type { OpenDocument } from "../../state/documents/open-documents.ts";
import { noticeText, type UserNotice } from "../../state/health/notice-text.ts";
import { dismiss, noticesOf } from "../../state/health/notices.ts";

/** Kinds of notices that the head or the banner shows. */
const SHOWN_ELSEWHERE: readonly UserNotice["kind"][] = ["blocked", "deleted"];

/** Shows the notices of a document and own text that the daemon refused, until the person dismisses them. */
export function DocumentNotices({ document }: { readonly document: OpenDocument }) {
  const notices = noticesOf(document.path.value).filter(({ kind }) => !SHOWN_ELSEWHERE.includes(kind));
  const lost = document.lost.value;
  if (notices.length === 0 && lost.length === 0) return null;
  const all = notices.length + lost.length;
  const items = (
    <>
      {lost.map(({ id, reason, suggestion, text }) => (
        <div key={`lost ${id}`} class="document-notice bad">
          <Icon name="alert" />
          <div>
            <h2>Your edit was not applied</h2>
            <p>{sentence(reason)}</p>
            {suggestion && <p class="quiet">{suggestion}</p>}
            {text !== "" && <textarea readOnly rows={3} aria-label="Your text" value={text} />}
          </div>
          {text !== "" && <Button icon="copy" label="Copy your text" onClick={() => void copy(text)} />}
          <Button icon="close" label="Dismiss" onClick={() => document.forget(id)} />
        </div>
      ))}
      {notices.map((notice) => (
        <div key={notice.id} class="document-notice">
          <Icon name="alert" />
          <div>
            <h2>{noticeText(notice).title}</h2>
            <p>{noticeText(notice).text}</p>
          </div>
          <NoticeAction notice={notice} />
          <Button icon="close" label="Dismiss" onClick={() => dismiss(notice)} />
        </div>
      ))}
    </>
  );
  return (
    <div class="document-notices" role="log" aria-label="Notices for this document">
      {all === 1 ? (
        items
      ) : (
        // Own text that was refused is shown at once.
        <details open={lost.length > 0}>
          <summary class="document-notice">
            <Icon name="alert" />
            <span>
              <strong>{all} notices.</strong> {notices[0] !== undefined && noticeText(notices[0]).title}
            </span>
          </summary>
          {items}
        </details>
      )}
    </div>
  );
}
