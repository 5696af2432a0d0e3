import type { OpenDocument } from "../../state/documents/open-documents.ts";
import { followDocumentThreads } from "../../state/threads/document-threads.ts";
import { followPresence } from "./presence.ts";
import { followRecentAuthors } from "./recent-authors.ts";
import { followFileSync } from "./sync.ts";

/** Starts the feeds of a document's view. Each of them has to be ended with the view. */
export function followDocument(document: OpenDocument) {
  return {
    sync: followFileSync(document),
    presence: followPresence(document),
    authors: followRecentAuthors(document),
    threads: followDocumentThreads(document.client, document.path),
  };
}

export type DocumentFeeds = ReturnType<typeof followDocument>;
