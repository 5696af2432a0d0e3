import { type ReadonlySignal, signal } from "@preact/signals";
import type { Client } from "../../../client/browser.ts";
import { coalesce } from "../base/coalesce.ts";
import { showError } from "../base/messages.ts";
import type { HistoryChange } from "../changes/changes.ts";
import type { ThreadMessage } from "./thread-types.ts";

const PAGE_SIZE = 200;
/** The most changes that the page reads to find the changes of a thread. */
const MOST_READ = 4_000;
/** Milliseconds that the page waits for more changes before it reads them again. */
const SETTLE_MS = 200;

export interface AnswerChanges {
  /** The changes that answer messages of the thread, by id; undefined until the daemon has answered. */
  readonly changes: ReadonlySignal<ReadonlyMap<string, HistoryChange> | undefined>;
  /** Reads the changes that these messages name. */
  readonly want: (messages: readonly ThreadMessage[]) => void;
  readonly end: () => void;
}

/** Keeps the changes that messages of a thread name, with whether they are undone, until `end`. */
export function followAnswerChanges(client: Client): AnswerChanges {
  const changes = signal<ReadonlyMap<string, HistoryChange> | undefined>(undefined);
  let wanted: ReadonlySet<string> = new Set();
  let since = "";
  let isEnded = false;
  const read = async () => {
    try {
      const found = await find(client, wanted, since);
      if (!isEnded) changes.value = found;
    } catch (error) {
      changes.value ??= new Map();
      if (!isEnded && client.state === "connected")
        showError("Could not load the changes of an answer", error);
    }
  };
  const soon = coalesce(SETTLE_MS, read);
  const ends = [
    client.on("doc.changed", ({ undoes }) => {
      if (undoes !== undefined && wanted.size > 0) soon.soon();
    }),
    client.on("doc.renamed", () => wanted.size > 0 && soon.soon()),
    client.on("resync", () => wanted.size > 0 && soon.soon()),
  ];
  return {
    changes,
    want(messages) {
      const naming = messages.filter((message) => (message.changes?.length ?? 0) > 0);
      const ids = new Set(naming.flatMap((message) => message.changes!));
      const isFirst = changes.peek() === undefined;
      if (!isFirst && ids.size === wanted.size && [...ids].every((id) => wanted.has(id))) return;
      wanted = ids;
      since = naming[0]?.time ?? "";
      if (isFirst) void read();
      else soon.soon();
    },
    end() {
      isEnded = true;
      soon.end();
      for (const stop of ends) stop();
    },
  };
}

/** Reads the history from the newest change back, until all wanted changes are found or only older ones are left. */
async function find(
  client: Client,
  wanted: ReadonlySet<string>,
  since: string,
): Promise<ReadonlyMap<string, HistoryChange>> {
  const found = new Map<string, HistoryChange>();
  let before: string | undefined;
  for (let read = 0; found.size < wanted.size && read < MOST_READ; read += PAGE_SIZE) {
    const { changes, more } = await client.history.list({
      limit: PAGE_SIZE,
      ...(before !== undefined && { before }),
    });
    for (const change of changes) if (wanted.has(change.changeId)) found.set(change.changeId, change);
    const last = changes.at(-1);
    if (!more || last === undefined || last.time < since) break;
    before = last.changeId;
  }
  return found;
}
