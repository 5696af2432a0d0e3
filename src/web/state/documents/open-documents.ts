import { type ReadonlySignal, signal } from "@preact/signals";
import type { Client, LiveChange, LiveEnd, LiveText, LostEditError } from "../../../client/browser.ts";
import { suggestionForPeople } from "../base/messages.ts";
import { theDaemon } from "../base/session.ts";

/** Own text that the daemon refused, until the person dismisses it. */
interface LostText {
  readonly id: number;
  readonly reason: string;
  readonly suggestion: string | undefined;
  readonly text: string;
}

let next = 0;

/** A document that a view shows, or that still sends edits. */
export class OpenDocument {
  /** Different each time that the document is opened. */
  readonly id = next++;
  readonly live: LiveText;
  readonly client: Client;
  readonly #path;
  readonly #pending = signal(false);
  readonly #ended = signal<LiveEnd | undefined>(undefined);
  readonly #lost = signal<readonly LostText[]>([]);
  /** Whether a view shows the document. */
  isShown = true;

  constructor(live: LiveText, client: Client) {
    this.live = live;
    this.client = client;
    this.#path = signal(live.path);
    live.on("change", ({ local }: LiveChange) => local && this.#sending());
    live.on("renamed", ({ to }) => {
      this.#path.value = to;
    });
    live.on("refused", (error) => this.#refused(error));
    live.on("end", (end) => {
      this.#ended.value = end;
    });
  }

  /** The current path. */
  get path(): ReadonlySignal<string> {
    return this.#path;
  }

  /** Whether the daemon has yet to confirm own edits. */
  get pending(): ReadonlySignal<boolean> {
    return this.#pending;
  }

  /** Why the text no longer updates; undefined while it does. */
  get ended(): ReadonlySignal<LiveEnd | undefined> {
    return this.#ended;
  }

  get lost(): ReadonlySignal<readonly LostText[]> {
    return this.#lost;
  }

  forget(id: number): void {
    this.#lost.value = this.#lost.value.filter((each) => each.id !== id);
  }

  #sending(): void {
    if (this.#pending.value) return;
    this.#pending.value = true;
    this.live.settled().then(
      () => {
        this.#pending.value = false;
      },
      () => undefined, // the text ended, so unconfirmed edits stay pending
    );
  }

  #refused({ message, splices, cause, proposal }: LostEditError): void {
    const text = splices.map(({ insert }) => insert).join("\n");
    const suggestion =
      proposal === undefined
        ? suggestionForPeople(cause?.suggestion)
        : "Your edit became a proposal. You find it under Proposals.";
    this.#lost.value = [...this.#lost.value, { id: next++, reason: message, suggestion, text }];
  }
}

const openDocuments = new Set<OpenDocument>();

// Closing the page would lose edits that the page has not sent yet.
addEventListener("beforeunload", (event) => {
  if ([...openDocuments].some(({ pending }) => pending.value)) event.preventDefault();
});

/** Opens a document, or returns the open one that still sends edits. @throws RefusedError */
export async function openDocument(path: string): Promise<OpenDocument> {
  const client = theDaemon();
  for (const document of openDocuments)
    if (document.path.value === path && document.client === client && document.ended.value === undefined) {
      document.isShown = true;
      return document;
    }
  const document = new OpenDocument(await client.openDocument(path), client);
  openDocuments.add(document);
  return document;
}

/** Records that no view shows the document any more, and closes it once the daemon has all edits. */
export function leaveDocument(document: OpenDocument): void {
  document.isShown = false;
  const endWasShown = document.ended.value !== undefined;
  const close = () => {
    if (document.isShown) return;
    openDocuments.delete(document);
    document.live.close();
  };
  document.live.settled().then(close, () => {
    const { path, live, ended } = document;
    if (ended.value?.why === "closed" || (!endWasShown && live.pending))
      unsentTexts.value = [...unsentTexts.value, { path: path.value, text: live.text }];
    close();
  });
}

/** Documents that ended before the page could send all edits, with the text that the view showed. */
export const unsentTexts = signal<readonly { readonly path: string; readonly text: string }[]>([]);
