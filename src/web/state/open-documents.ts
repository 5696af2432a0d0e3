import { type ReadonlySignal, signal } from "@preact/signals";
import type { Client, LiveChange, LiveEnd, LiveText, LostEditError } from "../../client/browser.ts";
import { theDaemon } from "./session.ts";

/** Own text that did not get into the document; it is kept until a person has seen it. */
export interface LostText {
  readonly id: number;
  readonly reason: string;
  readonly suggestion: string | undefined;
  readonly text: string;
}

let next = 0;

/** A document that is shown, or was and has edits that are still on their way. */
export class OpenDocument {
  /** Another each time that it is opened. */
  readonly id = next++;
  readonly live: LiveText;
  readonly client: Client;
  readonly #path;
  readonly #pending = signal(false);
  readonly #ended = signal<LiveEnd | undefined>(undefined);
  readonly #lost = signal<readonly LostText[]>([]);
  /** Somebody shows it. */
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

  /** Where it is by now. */
  get path(): ReadonlySignal<string> {
    return this.#path;
  }

  /** There is own typing that the daemon has not confirmed. */
  get pending(): ReadonlySignal<boolean> {
    return this.#pending;
  }

  /** Why it is followed no more; the text stays as it was then. */
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
      () => undefined, // it ended: what was not confirmed stays pending
    );
  }

  #refused({ message, splices, cause, proposal }: LostEditError): void {
    const text = splices.map(({ insert }) => insert).join("\n");
    const suggestion = proposal === undefined ? cause?.suggestion : "It waits under Proposals.";
    this.#lost.value = [...this.#lost.value, { id: next++, reason: message, suggestion, text }];
  }
}

const openDocuments = new Set<OpenDocument>();

// Closing the page would lose what is not sent yet.
addEventListener("beforeunload", (event) => {
  if ([...openDocuments].some(({ pending }) => pending.value)) event.preventDefault();
});

/** Opens a document, or goes on with one whose edits are still on their way. @throws RefusedError */
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

/** Nobody shows it any more: it is closed once its edits have arrived. */
export function leaveDocument(document: OpenDocument): void {
  document.isShown = false;
  const seenToEnd = document.ended.value !== undefined;
  const close = () => {
    if (document.isShown) return;
    openDocuments.delete(document);
    document.live.close();
  };
  document.live.settled().then(close, () => {
    const { path, live, ended } = document;
    if (ended.value?.why === "closed" || (!seenToEnd && live.pending))
      unsentTexts.value = [...unsentTexts.value, { path: path.value, text: live.text }];
    close();
  });
}

/** Documents that ended, or whose connection did, before own typing was sent, with their text as it was shown. */
export const unsentTexts = signal<readonly { readonly path: string; readonly text: string }[]>([]);
