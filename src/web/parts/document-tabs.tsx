import { type DocumentTab, documentRoute, hrefOf } from "../state/base/route.ts";
import "./document-tabs.css";

const TABS: readonly (readonly [tab: DocumentTab, name: string])[] = [
  ["text", "Text"],
  ["markdown", "Markdown"],
  ["timeline", "Timeline"],
];

/** Links to the views of one document, with the current one marked. Only TOML has a Markdown view. */
export function DocumentTabs({ path, here }: { readonly path: string; readonly here: DocumentTab }) {
  return (
    <nav class="document-tabs" aria-label="Views of this document">
      {TABS.filter(([tab]) => tab !== "markdown" || tab === here || /\.toml$/i.test(path)).map(
        ([tab, name]) => (
          <a
            key={tab}
            href={hrefOf(documentRoute(path, tab))}
            aria-current={tab === here ? "page" : undefined}
          >
            {name}
          </a>
        ),
      )}
    </nav>
  );
}
