import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { attempt } from "../state/messages.ts";
import { noticeText, type UserNotice } from "../state/notice-text.ts";
import { dismiss, restoreDeleted, undoNotice } from "../state/notices.ts";
import { documentRoute, go } from "../state/route.ts";
import { theDaemon } from "../state/session.ts";
import { Ago } from "./ago.tsx";
import { AuthorMark } from "./author.tsx";
import { Button } from "./button.tsx";
import { Diff } from "./diff.tsx";
import { Icon, type IconName } from "./icon.tsx";
import "./notice-card.css";

const ICONS: Record<UserNotice["kind"], IconName> = {
  rescued: "redo",
  superseded: "alert",
  conflict: "alert",
  rejected: "close",
  blocked: "health",
  deleted: "file",
};

/** What happened, what it means, and what can be done about it. */
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
          {kind !== "deleted" && <Button onClick={() => go(documentRoute(path))}>Show the document</Button>}
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

/** What can be done about it, where anything can. */
export function NoticeAction({ notice }: { readonly notice: UserNotice }): ComponentChildren {
  switch (notice.kind) {
    case "rescued":
      return (
        <Button icon="undo" onClick={() => void undoNotice(notice)}>
          Undo the rescue
        </Button>
      );
    case "superseded":
      return (
        <Button tone="primary" icon="undo" onClick={() => void undoNotice(notice)}>
          Bring them back
        </Button>
      );
    case "deleted":
      return (
        <Button tone="primary" onClick={() => void restoreDeleted(notice)}>
          Restore
        </Button>
      );
    case "blocked":
      return <Button onClick={() => go({ view: "health" })}>What to do</Button>;
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
          <dt>Saved</dt>
          <dd>{ours === "" ? <em>nothing: taken out</em> : ours}</dd>
          <dt>Edited</dt>
          <dd>{theirs === "" ? <em>nothing: taken out</em> : theirs}</dd>
        </dl>
      ));
    case "rejected":
      return (
        <p class="quiet">
          Nothing was changed. {notice.suggestion ?? "The agent was told what is there, and may try again."}
        </p>
      );
    case "rescued":
      return <ChangeDetails changeId={notice.changeId} what="What came back" />;
    case "superseded":
      return <ChangeDetails changeId={notice.changeId} what="What the save changed" />;
    case "blocked":
    case "deleted":
      return null;
  }
}

function ChangeDetails({ changeId, what }: { readonly changeId: string; readonly what: string }) {
  const [diff, setDiff] = useState<string>();
  const open = async () => {
    const told = await attempt("The change cannot be shown", () => theDaemon().change.get({ changeId }));
    const found = told?.files[0];
    if (found !== undefined) setDiff(found.diff ?? "");
  };
  return (
    <details class="notice-change" onToggle={(event) => event.currentTarget.open && void open()}>
      <summary>{what}</summary>
      {diff !== undefined && <Diff diff={diff} lines={200} />}
    </details>
  );
}
