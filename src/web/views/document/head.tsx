import { Button } from "../../parts/controls/button.tsx";
import { copy } from "../../parts/controls/copy.ts";
import { Menu, MenuItem } from "../../parts/controls/menu.tsx";
import { DocumentTabs } from "../../parts/document-tabs.tsx";
import { askToConfirm } from "../../state/base/confirm.ts";
import { attempt } from "../../state/base/messages.ts";
import { theDaemon } from "../../state/base/session.ts";
import type { DocumentEntry } from "../../state/documents/documents.ts";
import type { OpenDocument } from "../../state/documents/open-documents.ts";
import type { DocumentFeeds } from "./document-feeds.ts";
import { PeopleHere } from "./people.tsx";
import { SyncBadge } from "./sync-badge.tsx";

interface HeadProps {
  readonly document: OpenDocument;
  readonly feeds: DocumentFeeds;
  readonly permission: DocumentEntry["permission"];
  readonly blame: boolean;
  readonly suggesting: boolean;
  readonly threadsShown: boolean;
  readonly onBlame: () => void;
  readonly onThreads: () => void;
  readonly onSuggest: () => void;
  readonly onRename: () => void;
}

/** Shows the path of a document, whether it is saved, who is here, and the actions. */
export function DocumentHead({
  document,
  feeds,
  permission,
  blame,
  suggesting,
  threadsShown,
  onBlame,
  onThreads,
  onSuggest,
  onRename,
}: HeadProps) {
  const path = document.path.value;
  const canWrite = permission === "write" || permission === "admin";
  return (
    <header class="view-head document-head">
      <Breadcrumb path={path} />
      <SyncBadge document={document} sync={feeds.sync.sync} />
      <span class="spacer" />
      <PeopleHere presence={feeds.presence} authors={feeds.authors} />
      <DocumentTabs path={path} here="text" />
      <Button
        icon="blame"
        label="Show who wrote each line (Alt B) or this line (Alt W)"
        pressed={blame}
        onClick={onBlame}
      />
      <ThreadsButton feeds={feeds} shown={threadsShown} onClick={onThreads} />
      {document.ended.value === undefined && permission !== "read" && permission !== "none" && (
        <Menu>
          {permission !== "append" && (
            <MenuItem onClick={onSuggest}>{suggesting ? "Stop suggesting" : "Suggest changes"}</MenuItem>
          )}
          {canWrite && <MenuItem onClick={onRename}>Rename or move …</MenuItem>}
          {canWrite && <MenuItem onClick={() => void confirmAndDelete(path)}>Delete …</MenuItem>}
        </Menu>
      )}
    </header>
  );
}

/** Opens and closes the drawer. It bears the number of open threads. */
function ThreadsButton({
  feeds,
  shown,
  onClick,
}: {
  readonly feeds: DocumentFeeds;
  readonly shown: boolean;
  readonly onClick: () => void;
}) {
  const { value: state } = feeds.threads.state;
  const open = state.is === "listed" ? state.threads.filter(({ status }) => status === "open").length : 0;
  return (
    <span class="threads-button">
      <Button
        icon="chat"
        label={`Threads (Alt T)${open > 0 ? `: ${open} open` : ""}`}
        pressed={shown}
        onClick={onClick}
      />
      {open > 0 && (
        <span class="count" aria-hidden="true">
          {open}
        </span>
      )}
    </span>
  );
}

/** Deletes a document after the person has confirmed. */
async function confirmAndDelete(path: string): Promise<void> {
  const text =
    "This deletes the file for everyone. The text and history are kept, and you can restore the document.";
  if (!(await askToConfirm({ title: `Delete ${path}?`, text, yes: "Delete", danger: true }))) return;
  await attempt("Could not delete the document", () => theDaemon().doc.delete({ path }));
}

/** Shows the path of a document as the heading of its view. */
export function Breadcrumb({ path }: { readonly path: string }) {
  const cut = path.lastIndexOf("/") + 1;
  return (
    <div class="breadcrumb">
      <h1 title={path} aria-label={path}>
        {cut > 0 && <span class="quiet">{path.slice(0, cut)}</span>}
        <span class="breadcrumb-name">{path.slice(cut)}</span>
      </h1>
      <Button icon="copy" label="Copy the path" onClick={() => void copy(path)} />
    </div>
  );
}
