import type { OpenDocument } from "../../state/open-documents.ts";
import { followAuthors } from "./recent-authors.ts";
import { followPresence } from "./presence.ts";
import { followSync } from "./sync.ts";

/** What a document's view needs as long as it is shown. */
export function follow(document: OpenDocument) {
  return {
    sync: followSync(document),
    presence: followPresence(document),
    authors: followAuthors(document),
  };
}

export type Followed = ReturnType<typeof follow>;
