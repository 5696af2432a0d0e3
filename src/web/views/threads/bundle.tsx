import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/controls/button.tsx";
import { documentRoute, hrefOf } from "../../state/base/route.ts";
import { documentsByPath } from "../../state/documents/documents.ts";
import { findPaths } from "../../state/documents/tree.ts";
import type { ThreadSummary } from "../../state/threads/thread-types.ts";
import "./bundle.css";

/** Most documents that the field offers at a time. */
const MOST_OFFERED = 6;

interface BundleFieldProps {
  /** The document of the drawer, which a new thread is always about. */
  readonly path: string;
  /** The other documents that the thread is about. */
  readonly others: readonly string[];
  readonly onChange: (others: readonly string[]) => void;
}

/** Chooses the documents that a new thread is about, beside the present one. */
export function BundleField({ path, others, onChange }: BundleFieldProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div class="bundle">
      {others.length > 0 && (
        <ul class="bundle-documents" aria-label="Documents of the new thread">
          <li class="chip">{path}</li>
          {others.map((other) => (
            <li key={other} class="chip">
              {other}
              <Button
                icon="close"
                label={`Do not ask about ${other}`}
                onClick={() => onChange(others.filter((one) => one !== other))}
              />
            </li>
          ))}
        </ul>
      )}
      {isOpen ? (
        <Search
          taken={[path, ...others]}
          onChoose={(chosen) => onChange([...others, chosen])}
          onClose={() => setIsOpen(false)}
        />
      ) : (
        <Button icon="plus" onClick={() => setIsOpen(true)}>
          Ask about another document, too
        </Button>
      )}
    </div>
  );
}

/** Finds documents by a part of their paths. Enter chooses the first one, and Escape closes the field. */
function Search({
  taken,
  onChoose,
  onClose,
}: {
  readonly taken: readonly string[];
  readonly onChoose: (path: string) => void;
  readonly onClose: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  useLayoutEffect(() => field.current!.focus(), []); // at once, before the next key
  const known = [...(documentsByPath.value?.values() ?? [])].flatMap(({ path, kind }) =>
    kind === "text" && !taken.includes(path) ? path : [],
  );
  const offered = findPaths(known, typed, MOST_OFFERED);
  const choose = (path: string) => {
    onChoose(path);
    setTyped("");
    field.current!.value = ""; // at once, before the next key
    field.current!.focus();
  };
  return (
    <div class="bundle-search">
      <input
        ref={field}
        type="text"
        aria-label="Another document of the new thread"
        placeholder="Part of its path …"
        spellcheck={false}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "Escape") return;
          event.preventDefault();
          if (event.key === "Escape") onClose();
          else if (offered[0] !== undefined) choose(offered[0]);
        }}
      />
      <Button icon="close" label="Ask about no further document" onClick={onClose} />
      <ul aria-label="Documents to add">
        {offered.map((path) => (
          <li key={path}>
            <button type="button" onClick={() => choose(path)}>
              {path}
            </button>
          </li>
        ))}
      </ul>
      {offered.length === 0 && <p class="quiet">No other document matches.</p>}
    </div>
  );
}

/** Shows the documents of a thread about several, with links to them. */
export function ThreadDocuments({ thread: { id, paths, bundle } }: { readonly thread: ThreadSummary }) {
  if (paths.length < 2) return null;
  return (
    <nav class="bundle-documents" aria-label="Documents of the thread">
      {bundle !== undefined && <span class="quiet">{bundle}:</span>}
      {paths.map((path) => (
        <a key={path} class="chip" href={hrefOf(documentRoute(path, "text", { thread: id }))}>
          {path}
        </a>
      ))}
    </nav>
  );
}
