import { RefusedError } from "../../../client/browser.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty-state.tsx";
import type { DocumentEntry } from "../../state/documents.ts";
import { theDaemon } from "../../state/session.ts";
import { attempt } from "../../state/messages.ts";
import { sizeInWords } from "./size.ts";

interface NotOpenedProps {
  readonly path: string;
  readonly error: unknown;
  readonly entry: DocumentEntry | undefined;
  readonly reopen: () => void;
}

/** Why a document is not shown, and what can be done. */
export function NotOpened({ path, error, entry, reopen }: NotOpenedProps) {
  const size = entry === undefined ? "" : ` It has ${sizeInWords(entry.size)}.`;
  const then = (what: string, work: () => Promise<unknown>) => async () => {
    if ((await attempt(what, work)) !== undefined) reopen();
  };
  switch (error instanceof RefusedError ? error.code : undefined) {
    case "NOT_TEXT":
      return (
        <Empty icon="file" title="This is no text">
          {path} is a binary file: it stays as it is, and is not shown here.{size}
        </Empty>
      );
    case "TOO_LARGE":
      return (
        <Empty icon="file" title="This is too large to be opened">
          {path} is larger than the workspace's limit of {sizeInWords(theDaemon().hello.limits.maxFileBytes)}.
          {size} <code>limits.maxFileBytes</code> in daemon.config.ts sets it.
        </Empty>
      );
    case "NOT_FOUND":
      return (
        <Empty icon="file" title="There is no such document">
          Nothing is at {path}.{" "}
          <Button
            icon="plus"
            tone="primary"
            onClick={then("It could not be created", () => theDaemon().doc.create({ path, text: "" }))}
          >
            Create it
          </Button>
        </Empty>
      );
    case "DELETED":
      return (
        <Empty icon="file" title="This document was deleted">
          Its text and its history are kept.{" "}
          <Button
            icon="undo"
            tone="primary"
            onClick={then("It could not be restored", () => theDaemon().doc.restore({ path }))}
          >
            Restore
          </Button>
        </Empty>
      );
    case "PERMISSION_DENIED":
      return (
        <Empty icon="file" title="You may not read this">
          {(error as RefusedError).message}
        </Empty>
      );
    default:
      return (
        <Empty icon="alert" title={`${path} could not be opened`}>
          {error instanceof Error ? error.message : String(error)} <Button onClick={reopen}>Try again</Button>
        </Empty>
      );
  }
}
