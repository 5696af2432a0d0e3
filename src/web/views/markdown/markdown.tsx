import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { RefusedError } from "../../../client/browser.ts";
import { DocumentTabs } from "../../parts/document-tabs.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { documentRoute, hrefOf, replaceRoute } from "../../state/base/route.ts";
import { daemon, theDaemon } from "../../state/base/session.ts";
import { documentsByPath } from "../../state/documents/documents.ts";
import { keepDraft, markdownDrafts } from "../../state/documents/markdown-drafts.ts";
import { Breadcrumb } from "../document/head.tsx";
import { NotOpened } from "../document/not-opened.tsx";
import { MarkdownEditor, type ReadView } from "./markdown-editor.tsx";

type Reading =
  | { readonly is: "reading" }
  | { readonly is: "failed"; readonly error: unknown }
  | { readonly is: "read"; readonly view: ReadView };

/** Shows a TOML document as Markdown for editing. An instance is for one path. */
export function MarkdownView({ path }: { readonly path: string }) {
  const reading = useSignal<Reading>({ is: "reading" });
  /** Whether the document has changed since the version that the person edits. */
  const isOutdated = useSignal(false);
  /** The number of the newest request; the view ignores answers to earlier ones. */
  const request = useRef(0);
  /** The position of the cursor in an editor that had the focus. */
  const cursor = useRef<number | undefined>(undefined);
  const client = daemon.value;

  const read = async () => {
    const number = ++request.current;
    const next = await theDaemon()
      .doc.read({ path, view: "markdown" })
      .then(
        ({ text, version }): Reading => ({ is: "read", view: { id: number, text, version, edited: text } }),
        (error: unknown): Reading => ({ is: "failed", error }),
      );
    if (number !== request.current || markdownDrafts.peek().has(path)) return;
    isOutdated.value = false;
    reading.value = next;
  };
  const readAgain = () => {
    keepDraft(path, undefined);
    void read();
  };

  useEffect(() => {
    const draft = markdownDrafts.peek().get(path);
    if (draft === undefined) void read();
    else {
      const { view, version, text } = draft;
      reading.value = { is: "read", view: { id: 0, text: view, version, edited: text } };
      void theDaemon()
        .doc.status({ path })
        .then(({ docs }) => {
          isOutdated.value = docs[0]?.version !== version;
        })
        .catch(() => undefined); // saving the draft reports the same problem
    }
    const changed = (at: string) => {
      if (at !== path) return;
      if (markdownDrafts.peek().has(path)) isOutdated.value = true;
      else void read();
    };
    const ends = [
      theDaemon().on("doc.changed", (change) => changed(change.path)),
      theDaemon().on("doc.created", (created) => changed(created.path)),
      theDaemon().on("doc.deleted", (deleted) => changed(deleted.path)),
      theDaemon().on("doc.renamed", ({ path: from, to }) => {
        if (from === path) replaceRoute(documentRoute(to, "markdown"));
      }),
      theDaemon().on("resync", () => changed(path)),
    ];
    return () => {
      request.current++;
      for (const end of ends) end();
    };
  }, [path, client]);

  return (
    <section class="view markdown" aria-label={`${path} as Markdown`}>
      <header class="view-head">
        <Breadcrumb path={path} />
        <span class="spacer" />
        <DocumentTabs path={path} here="markdown" />
      </header>
      {reading.value.is === "reading" && <p class="document-wait quiet">Opening {path} …</p>}
      {reading.value.is === "failed" && (
        <NoView path={path} error={reading.value.error} again={() => void read()} />
      )}
      {reading.value.is === "read" && (
        <MarkdownEditor
          key={reading.value.view.id}
          path={path}
          view={reading.value.view}
          cursor={cursor}
          isOutdated={isOutdated.value}
          permission={documentsByPath.value?.get(path)?.permission ?? "write"}
          onDone={readAgain}
        />
      )}
    </section>
  );
}

/** Shows why a document has no Markdown view that can be edited. */
function NoView(props: { readonly path: string; readonly error: unknown; readonly again: () => void }) {
  const { path, error, again } = props;
  if (error instanceof RefusedError && ["INVALID_ARGUMENT", "TOO_LARGE"].includes(error.code))
    return (
      <EmptyState icon="file" title="No Markdown for this document">
        The document has no Markdown that can be edited: {error.message}.{" "}
        <a href={hrefOf(documentRoute(path))}>Edit its text</a>
      </EmptyState>
    );
  return <NotOpened path={path} error={error} entry={documentsByPath.value?.get(path)} reopen={again} />;
}
