import { RefusedError } from "../../../client/browser.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import type { DocumentEntry } from "../../state/documents.ts";
import { attempt } from "../../state/messages.ts";
import { theDaemon } from "../../state/session.ts";
import { sizeText } from "./size.ts";

interface NotOpenedProps {
  readonly path: string;
  readonly error: unknown;
  readonly entry: DocumentEntry | undefined;
  readonly reopen: () => void;
}

/** Why a document is not shown, and what can be done. */
export function NotOpened({ path, error, entry, reopen }: NotOpenedProps) {
  const size = entry === undefined ? "" : ` It has ${sizeText(entry.size)}.`;
  const then = (what: string, work: () => Promise<unknown>) => async () => {
    if ((await attempt(what, work)) !== undefined) reopen();
  };
  switch (error instanceof RefusedError ? error.code : undefined) {
    case "NOT_TEXT":
      return (
        <EmptyState icon="file" title="This is no text">
          {path} is a binary file: it stays as it is, and is not shown here.{size}
        </EmptyState>
      );
    case "TOO_LARGE":
      return (
        <EmptyState icon="file" title="This is too large to be opened">
          {path} is larger than the workspace's limit of {sizeText(theDaemon().hello.limits.maxFileBytes)}.
          {size} <code>limits.maxFileBytes</code> in daemon.config.ts sets it.
        </EmptyState>
      );
    case "NOT_FOUND":
      return (
        <EmptyState icon="file" title="There is no such document">
          Nothing is at {path}.{" "}
          <Button
            icon="plus"
            tone="primary"
            onClick={then("It could not be created", () => theDaemon().doc.create({ path, text: "" }))}
          >
            Create it
          </Button>
        </EmptyState>
      );
    case "DELETED":
      return (
        <EmptyState icon="file" title="This document was deleted">
          Its text and its history are kept.{" "}
          <Button
            icon="undo"
            tone="primary"
            onClick={then("It could not be restored", () => theDaemon().doc.restore({ path }))}
          >
            Restore
          </Button>
        </EmptyState>
      );
    case "PERMISSION_DENIED":
      return (
        <EmptyState icon="file" title="You may not read this">
          {(error as RefusedError).message}
        </EmptyState>
      );
    default:
      return (
        <EmptyState icon="alert" title={`${path} could not be opened`}>
          {error instanceof Error ? error.message : String(error)} <Button onClick={reopen}>Try again</Button>
        </EmptyState>
      );
  }
}
