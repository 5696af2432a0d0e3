import type { OpenDocument } from "../../state/open-documents.ts";
import { followPresence } from "./presence.ts";
import { followRecentAuthors } from "./recent-authors.ts";
import { followFileSync } from "./sync.ts";

/** What a document's view needs as long as it is shown. */
export function followDocument(document: OpenDocument) {
  return {
    sync: followFileSync(document),
    presence: followPresence(document),
    authors: followRecentAuthors(document),
  };
}

export type DocumentFeeds = ReturnType<typeof followDocument>;
