import { useComputed, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Author, AuthorMark } from "../../parts/author.tsx";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { authorName, authorStyle } from "../../state/authors.ts";
import { now } from "../../state/clock.ts";
import { confirmed } from "../../state/confirm.ts";
import type { DocumentEntry } from "../../state/documents.ts";
import type { OpenDocument } from "../../state/open-documents.ts";
import { documentRoute, hrefOf } from "../../state/route.ts";
import { connected, theDaemon } from "../../state/session.ts";
import { attempt } from "../../state/tell.ts";
import { copy } from "./copy.ts";
import { LATELY_MS } from "./lately.ts";
import type { Followed } from "./opened.tsx";

interface HeadProps {
  readonly document: OpenDocument;
  readonly followed: Followed;
  readonly permission: DocumentEntry["permission"];
  readonly blame: boolean;
  readonly suggesting: boolean;
  readonly onBlame: () => void;
  readonly onSuggest: () => void;
  readonly onRename: () => void;
}

/** Which document this is, how it stands, who is here, and what can be done with it. */
export function Head({
  document,
  followed,
  permission,
  blame,
  suggesting,
  onBlame,
  onSuggest,
  onRename,
}: HeadProps) {
  const path = document.path.value;
  const canWrite = permission === "write" || permission === "admin";
  return (
    <header class="view-head document-head">
      <Breadcrumb path={path} />
      <Standing document={document} followed={followed} />
      <span class="spacer" />
      <People followed={followed} />
      <nav class="tabs" aria-label="Views of this document">
        <a href={hrefOf(documentRoute(path))} aria-current="page">
          Text
        </a>
        <a href={hrefOf(documentRoute(path, "timeline"))}>Timeline</a>
      </nav>
      <Button
        icon="blame"
        label="Who wrote each line (Alt B); of this line (Alt W)"
        pressed={blame}
        onClick={onBlame}
      />
      {document.ended.value === undefined && permission !== "read" && permission !== "none" && (
        <Menu>
          {permission !== "append" && (
            <MenuItem onClick={onSuggest}>{suggesting ? "Leave suggesting" : "Suggest changes"}</MenuItem>
          )}
          {canWrite && <MenuItem onClick={onRename}>Rename or move …</MenuItem>}
          {canWrite && <MenuItem onClick={() => void remove(path)}>Delete …</MenuItem>}
        </Menu>
      )}
    </header>
  );
}

/** Deletes a document once that was asked about. */
async function remove(path: string): Promise<void> {
  const text = "The file goes away for everybody. Its text and history are kept, and you can restore it.";
  if (!(await confirmed({ title: `Delete ${path}?`, text, yes: "Delete", danger: true }))) return;
  await attempt("It could not be deleted", () => theDaemon().doc.delete({ path }));
}

function Breadcrumb({ path }: { readonly path: string }) {
  const cut = path.lastIndexOf("/") + 1;
  return (
    <div class="breadcrumb">
      <h1 title={path}>
        {cut > 0 && <span class="quiet">{path.slice(0, cut)}</span>}
        {path.slice(cut)}
      </h1>
      <Button icon="copy" label="Copy the path" onClick={() => void copy(path)} />
    </div>
  );
}

/** Whether everything typed is with the daemon, and in the file. */
function Standing({ document, followed }: Pick<HeadProps, "document" | "followed">) {
  const { sync } = followed.sync;
  if (document.ended.value !== undefined)
    return (
      <span class="chip bad">{document.ended.value.why === "deleted" ? "Deleted" : "Not followed"}</span>
    );
  if (document.pending.value)
    return (
      <span class="chip warn" role="status">
        {connected.value ? "Sending …" : "Kept here until the daemon is back"}
      </span>
    );
  if (!connected.value) return <span class="chip">The daemon is away</span>;
  switch (sync.value.is) {
    case "unknown":
      return null;
    case "saved":
      return (
        <span class="chip good" role="status" title="The file on disk holds everything">
          <Icon name="check" size={12} /> Saved
        </span>
      );
    case "writing":
      return (
        <span class="chip" role="status">
          Writing to disk …
        </span>
      );
    case "blocked":
      return (
        <span class="chip bad" role="status" title={sync.value.reason}>
          <Icon name="alert" size={12} /> Not on disk: {sync.value.reason}
        </span>
      );
  }
}

/** Who else looks at it, and, faded, who changed it lately. */
function People({ followed }: Pick<HeadProps, "followed">) {
  const here = useComputed(() => [...followed.presence.others.value.values()]);
  const lately = useComputed(() => {
    const names = new Set(here.value.map(({ name }) => name));
    const recent = [...followed.authors.authors.value].filter(([, time]) => now.value - time < LATELY_MS);
    return recent.flatMap(([author]) => (names.has(author) ? [] : [author]));
  });
  if (here.value.length === 0 && lately.value.length === 0) return null;
  return (
    <ul class="people" aria-label="Who is here">
      {here.value.map(({ session, name }) => (
        <li
          key={session}
          class="person"
          style={authorStyle(name)}
          title={`${authorName(name)} looks at this now`}
        >
          <Author author={name} />
        </li>
      ))}
      {lately.value.slice(0, 5).map((author) => (
        <li key={author} class="person lately" title={`${authorName(author)} changed this lately`}>
          <AuthorMark author={author} />
        </li>
      ))}
    </ul>
  );
}

function Menu({ children }: { readonly children: preact.ComponentChildren }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const open = useSignal(false);
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  return (
    <details
      class="menu"
      ref={menu}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        close();
        menu.current?.querySelector("summary")?.focus();
      }}
      onFocusOut={(event) => {
        if (!menu.current?.contains(event.relatedTarget as Node | null)) close();
      }}
      onClick={(event) => {
        if ((event.target as Element).closest(".menu-items") !== null) close();
      }}
    >
      <summary class="button bare" title="More" aria-label="More">
        <Icon name="more" />
      </summary>
      {open.value && <div class="menu-items">{children}</div>}
    </details>
  );
}

function MenuItem({
  onClick,
  children,
}: {
  readonly onClick: () => void;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <button type="button" class="menu-item" onClick={onClick}>
      {children}
    </button>
  );
}
