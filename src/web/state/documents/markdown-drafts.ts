import { effect, signal } from "@preact/signals";
import { daemon } from "../base/session.ts";

/** An edited Markdown view that the person has not saved. */
export interface MarkdownDraft {
  /** The view before the edit, and the version of the document that it shows. */
  readonly view: string;
  readonly version: string;
  readonly text: string;
}

/** The drafts by path. They stay while the page is open, also when it shows other views. */
export const markdownDrafts = signal<ReadonlyMap<string, MarkdownDraft>>(new Map());

/** Sets the draft of a document, or removes it. */
export function keepDraft(path: string, draft: MarkdownDraft | undefined): void {
  const drafts = new Map(markdownDrafts.peek());
  if (draft === undefined) drafts.delete(path);
  else drafts.set(path, draft);
  markdownDrafts.value = drafts;
}

// Closing the page would lose the drafts.
addEventListener("beforeunload", (event) => {
  if (markdownDrafts.peek().size > 0) event.preventDefault();
});

effect(() =>
  daemon.value?.on("doc.renamed", ({ path, to }) => {
    const draft = markdownDrafts.peek().get(path);
    if (draft === undefined) return;
    keepDraft(path, undefined);
    keepDraft(to, draft);
  }),
);
