import { Button } from "../../parts/button.tsx";
import { copy } from "../../parts/copy.ts";
import { DocumentTabs } from "../../parts/document-tabs.tsx";
import { Menu, MenuItem } from "../../parts/menu.tsx";
import { askToConfirm } from "../../state/confirm.ts";
import type { DocumentEntry } from "../../state/documents.ts";
import { attempt } from "../../state/messages.ts";
import type { OpenDocument } from "../../state/open-documents.ts";
import { theDaemon } from "../../state/session.ts";
import type { DocumentFeeds } from "./document-feeds.ts";
import { PeopleHere } from "./people.tsx";
import { SyncBadge } from "./sync-badge.tsx";

interface HeadProps {
  readonly document: OpenDocument;
  readonly followed: DocumentFeeds;
  readonly permission: DocumentEntry["permission"];
  readonly blame: boolean;
  readonly suggesting: boolean;
  readonly onBlame: () => void;
  readonly onSuggest: () => void;
  readonly onRename: () => void;
}

/** Which document this is, how it stands, who is here, and what can be done with it. */
export function DocumentHead({
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
      <SyncBadge document={document} sync={followed.sync.sync} />
      <span class="spacer" />
      <PeopleHere presence={followed.presence} authors={followed.authors} />
      <DocumentTabs path={path} here="text" />
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
          {canWrite && <MenuItem onClick={() => void confirmAndDelete(path)}>Delete …</MenuItem>}
        </Menu>
      )}
    </header>
  );
}

/** Deletes a document once that was asked about. */
async function confirmAndDelete(path: string): Promise<void> {
  const text = "The file goes away for everybody. Its text and history are kept, and you can restore it.";
  if (!(await askToConfirm({ title: `Delete ${path}?`, text, yes: "Delete", danger: true }))) return;
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
