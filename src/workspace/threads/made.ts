import type { AnsweredMessage, Store } from "../../store/store.ts";
import type { WorkspaceEvent } from "../events/events.ts";
import type { Link } from "./repository.ts";

/** The newest changes of a document among which an event of its file is looked for. */
const NEWEST = 5;

/** A change or a proposal, and the message that it answers. */
export interface MadeForMessage {
  readonly answers: AnsweredMessage;
  readonly link: Link;
}

/** Returns the changes and proposals of an event that answer messages. An event of a file names no change. */
export function madeForMessages(event: WorkspaceEvent, store: Pick<Store, "changes">): MadeForMessage[] {
  switch (event.type) {
    case "changed":
      return event.answers === undefined
        ? []
        : [{ answers: event.answers, link: { change: event.changeId } }];
    case "proposal":
      return event.answers === undefined ? [] : [{ answers: event.answers, link: { proposal: event.id } }];
    case "created":
    case "deleted":
    case "renamed":
      return [...store.changes(event.docId, { limit: NEWEST })].flatMap(({ id, file, answers }) =>
        file === undefined || answers === undefined ? [] : { answers, link: { change: id } },
      );
    default:
      return [];
  }
}
