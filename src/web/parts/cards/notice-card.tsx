import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { attempt } from "../../state/base/messages.ts";
import { documentRoute, go } from "../../state/base/route.ts";
import { theDaemon } from "../../state/base/session.ts";
import { authorNames } from "../../state/changes/changes.ts";
import { noticeText, type UserNotice } from "../../state/health/notice-text.ts";
import { dismiss, restoreDeleted, undoNotice } from "../../state/health/notices.ts";
import { Ago } from "../ago.tsx";
import { AuthorMark } from "../changes/author.tsx";
import { Diff } from "../changes/diff.tsx";
import { Button } from "../controls/button.tsx";
import { Icon, type IconName } from "../controls/icon.tsx";
import "./notice-card.css";

const ICONS: Record<UserNotice["kind"], IconName> = {
  rescued: "redo",
  superseded: "alert",
  conflict: "alert",
  rejected: "close",
  blocked: "health",
  deleted: "file",
};

/** Shows a notice with the actions that it offers. */
export function NoticeCard({ notice }: { readonly notice: UserNotice }) {
  const { title, text } = noticeText(notice);
  const { kind, path, time, times, settled } = notice;
  return (
    <article class={`notice card ${kind}${settled === undefined ? "" : " settled"}`}>
      <span class="notice-icon">
        {kind === "rejected" ? <AuthorMark author={notice.author} /> : <Icon name={ICONS[kind]} />}
      </span>
      <div class="notice-main">
        <h3>{title}</h3>
        <p class="notice-text">{text}</p>
        <NoticeDetails notice={notice} />
        {settled !== undefined && <p class="notice-settled">{settled}</p>}
        <div class="notice-actions">
          {settled === undefined && <NoticeAction notice={notice} />}
          {kind !== "deleted" && <Button onClick={() => go(documentRoute(path))}>Open document</Button>}
        </div>
      </div>
      <span class="notice-when">
        {times > 1 && <span class="chip">{times} times</span>}
        <Ago time={time} />
      </span>
      <Button icon="close" label={`Dismiss: ${title}`} onClick={() => dismiss(notice)} />
    </article>
  );
}

/** The action that a notice offers, if it has one. */
export function NoticeAction({ notice }: { readonly notice: UserNotice }): ComponentChildren {
  switch (notice.kind) {
    case "rescued":
      return (
        <Button icon="undo" onClick={() => void undoNotice(notice)}>
          Undo the merge
        </Button>
      );
    case "superseded":
      return (
        <Button tone="primary" icon="undo" onClick={() => void undoNotice(notice)}>
          Restore edits
        </Button>
      );
    case "deleted":
      return (
        <Button tone="primary" onClick={() => void restoreDeleted(notice)}>
          Restore
        </Button>
      );
    case "blocked":
      return <Button onClick={() => go({ view: "health" })}>Show how to fix it</Button>;
    case "conflict":
    case "rejected":
      return null;
  }
}

function NoticeDetails({ notice }: { readonly notice: UserNotice }): ComponentChildren {
  switch (notice.kind) {
    case "conflict":
      return notice.sides.map(({ ours, theirs }, i) => (
        <dl key={i} class="notice-sides">
          <dt>{authorNames([notice.author])}</dt>
          <dd>{ours === "" ? <em>text removed</em> : ours}</dd>
          <dt>Others</dt>
          <dd>{theirs === "" ? <em>text removed</em> : theirs}</dd>
        </dl>
      ));
    case "rejected":
      return (
        <p class="quiet">The document did not change. The agent got the reason, and has to read it again.</p>
      );
    case "rescued":
      return <ChangeDetails changeId={notice.changeId} label="Show the rescued edits" />;
    case "superseded":
      return <ChangeDetails changeId={notice.changeId} label="Show the save" />;
    case "blocked":
    case "deleted":
      return null;
  }
}

function ChangeDetails({ changeId, label }: { readonly changeId: string; readonly label: string }) {
  const [diff, setDiff] = useState<string>();
  const open = async () => {
    const change = await attempt("Could not load the change", () => theDaemon().change.get({ changeId }));
    const found = change?.files[0];
    if (found !== undefined) setDiff(found.diff ?? "");
  };
  return (
    <details class="notice-change" onToggle={(event) => event.currentTarget.open && void open()}>
      <summary>{label}</summary>
      {diff !== undefined && <Diff diff={diff} lines={200} />}
    </details>
  );
}
