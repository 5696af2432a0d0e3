import { RefusedError } from "../../../client/browser.ts";
import { Button } from "../../parts/controls/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { attempt } from "../../state/base/messages.ts";
import { sentence } from "../../state/base/sentence.ts";
import { theDaemon } from "../../state/base/session.ts";
import type { DocumentEntry } from "../../state/documents/documents.ts";
import { sizeText } from "./size.ts";

interface NotOpenedProps {
  readonly path: string;
  readonly error: unknown;
  readonly entry: DocumentEntry | undefined;
  readonly reopen: () => void;
}

/** Shows why a document did not open, and what the person can do. */
export function NotOpened({ path, error, entry, reopen }: NotOpenedProps) {
  const size = entry === undefined ? "" : ` Its size is ${sizeText(entry.size)}.`;
  const thenReopen = (failure: string, work: () => Promise<unknown>) => async () => {
    if ((await attempt(failure, work)) !== undefined) reopen();
  };
  switch (error instanceof RefusedError ? error.code : undefined) {
    case "NOT_TEXT":
      return (
        <EmptyState icon="file" title="This is not a text file">
          {path} is a binary file. spliced does not show or change it.{size}
        </EmptyState>
      );
    case "TOO_LARGE":
      return (
        <EmptyState icon="file" title="This file is too large to open">
          {path} is larger than the limit of {sizeText(theDaemon().hello.limits.maxFileBytes)}.{size} To raise
          the limit, change <code>limits.maxFileBytes</code> in daemon.config.ts.
        </EmptyState>
      );
    case "IGNORED":
      return (
        <EmptyState icon="file" title="This file is ignored">
          {sentence((error as RefusedError).message)} {(error as RefusedError).suggestion}
        </EmptyState>
      );
    case "NOT_FOUND":
      return (
        <EmptyState icon="file" title="No such document">
          There is no document at {path}.{" "}
          <Button
            icon="plus"
            tone="primary"
            onClick={thenReopen("Could not create the document", () =>
              theDaemon().doc.create({ path, text: "" }),
            )}
          >
            Create document
          </Button>
        </EmptyState>
      );
    case "DELETED":
      return (
        <EmptyState icon="file" title="This document was deleted">
          Its text and history are kept.{" "}
          <Button
            icon="undo"
            tone="primary"
            onClick={thenReopen("Could not restore the document", () => theDaemon().doc.restore({ path }))}
          >
            Restore
          </Button>
        </EmptyState>
      );
    case "PERMISSION_DENIED":
      return (
        <EmptyState icon="file" title="You may not read this document">
          {sentence((error as RefusedError).message)}
        </EmptyState>
      );
    default:
      return (
        <EmptyState icon="alert" title={`Could not open ${path}`}>
          {sentence(error instanceof Error ? error.message : String(error))}{" "}
          <Button onClick={reopen}>Try again</Button>
        </EmptyState>
      );
  }
}
