import { useSignal, useSignalEffect } from "@preact/signals";
import { Button } from "../../parts/controls/button.tsx";
import { attempt } from "../../state/base/messages.ts";
import type { DocumentEntry } from "../../state/documents/documents.ts";
import type { OpenDocument } from "../../state/documents/open-documents.ts";

interface BannerProps {
  readonly document: OpenDocument;
  readonly permission: DocumentEntry["permission"];
  readonly suggesting: boolean;
  readonly reopen: () => void;
}

/** Shows why the person cannot edit the text, and what they can do. */
export function AccessBanner({ document, permission, suggesting, reopen }: BannerProps) {
  const { client, path, ended, live } = document;
  /** Whether another document has the path of the deleted one. */
  const isReplaced = useSignal(false);
  useSignalEffect(() => {
    if (ended.value === undefined) return;
    return client.on("doc.created", (created) => {
      if (created.path !== path.value) return;
      if (created.docId === live.docId) reopen();
      else isReplaced.value = true;
    });
  });
  if (ended.value?.why === "deleted")
    return (
      <div class="document-banner bad" role="alert">
        <p>
          {isReplaced.value
            ? "This document was deleted, and another document now has its path. This is the deleted one."
            : "This document was deleted. You can still read and copy its text."}
        </p>
        {isReplaced.value ? (
          <Button onClick={reopen}>Open the new document</Button>
        ) : (
          <Button
            icon="undo"
            tone="primary"
            onClick={() =>
              void attempt("Could not restore the document", () =>
                client.doc.restore({ path: path.value }),
              ).then((restored) => restored && reopen())
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
          This text no longer updates. You can still read and copy it. Reason:{" "}
          {ended.value.error?.message ?? "the connection was closed."}
        </p>
        <Button onClick={reopen}>Open again</Button>
      </div>
    );
  if (suggesting) return null;
  if (permission === "read" || permission === "none")
    return (
      <div class="document-banner" role="note">
        <p>You can read this document but not change it.</p>
      </div>
    );
  if (permission === "append")
    return (
      <div class="document-banner" role="note">
        <p>You can add text at the end of this document but not change the rest.</p>
      </div>
    );
  return null;
}
