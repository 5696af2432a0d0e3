import { useSignal, useSignalEffect } from "@preact/signals";
import { Button } from "../../parts/button.tsx";
import type { DocumentEntry } from "../../state/documents.ts";
import { attempt } from "../../state/messages.ts";
import type { OpenDocument } from "../../state/open-documents.ts";

interface BannerProps {
  readonly document: OpenDocument;
  readonly permission: DocumentEntry["permission"];
  readonly suggesting: boolean;
  readonly reopen: () => void;
}

/** Says why the text cannot be edited as usual, and what can be done. */
export function AccessBanner({ document, permission, suggesting, reopen }: BannerProps) {
  const { client, path, ended, live } = document;
  /** Something is at the path again after the document was deleted. */
  const again = useSignal(false);
  useSignalEffect(() => {
    if (ended.value === undefined) return;
    return client.on("doc.created", (told) => {
      if (told.path !== path.value) return;
      if (told.docId === live.docId) reopen();
      else again.value = true;
    });
  });
  if (ended.value?.why === "deleted")
    return (
      <div class="document-banner bad" role="alert">
        <p>
          {again.value
            ? "This document was deleted, and there is another one here now. What you see is the deleted one."
            : "This document was deleted. Its text stays here for you to read and copy."}
        </p>
        {again.value ? (
          <Button onClick={reopen}>Show the new one</Button>
        ) : (
          <Button
            icon="undo"
            tone="primary"
            onClick={() =>
              void attempt("It could not be restored", () => client.doc.restore({ path: path.value })).then(
                (restored) => restored && reopen(),
              )
            }
          >
            Restore
          </Button>
        )}
      </div>
    );
  if (ended.value !== undefined)
    return (
      <div class="document-banner bad" role="alert">
        <p>
          This text is not followed any more: {ended.value.error?.message ?? "the connection was closed."} It
          stays here for you to read and copy.
        </p>
        <Button onClick={reopen}>Open it again</Button>
      </div>
    );
  if (suggesting) return null;
  if (permission === "read" || permission === "none")
    return (
      <div class="document-banner" role="note">
        <p>You may read this, but not change it: your token allows no more here.</p>
      </div>
    );
  if (permission === "append")
    return (
      <div class="document-banner" role="note">
        <p>You may add to the end of this, but not change what is there: your token allows no more here.</p>
      </div>
    );
  return null;
}
