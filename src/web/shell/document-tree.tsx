import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "../parts/controls/icon.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { plural } from "../state/base/plural.ts";
import { documentRoute, hrefOf, route } from "../state/base/route.ts";
import {
  type DocumentEntry,
  documentCount,
  documentsAreLate,
  documentsByPath,
} from "../state/documents/documents.ts";
import { buildTree, findPaths, foldersOf, type TreeRow, treeRows } from "../state/documents/tree.ts";
import { NewDocument } from "./new-document.tsx";

const ROW_HEIGHT = 28;
const MOST_FOUND = 500;
/** All folders are open at first if the workspace has at most this number of documents. */
const OPEN_UP_TO = 60;

const searchText = signal("");
/** The folders that the person opened or closed. */
const folderStates = signal<ReadonlyMap<string, boolean>>(new Map());

const tree = computed(() => buildTree(documentsByPath.value?.keys() ?? []));

const rows = computed<readonly TreeRow[]>(() => {
  if (searchText.value.trim() === "") return treeRows(tree.value, isOpen);
  return findPaths(documentsByPath.value?.keys() ?? [], searchText.value, MOST_FOUND).map((path) => ({
    kind: "file",
    path,
    name: path,
    depth: 0,
    count: 0,
  }));
});

function isOpen(folder: string): boolean {
  return folderStates.value.get(folder) ?? documentCount.value <= OPEN_UP_TO;
}

function toggle(folder: string): void {
  folderStates.value = new Map(folderStates.value).set(folder, !isOpen(folder));
}

/** The documents by folder, or the ones that match the search. */
export function DocumentTree() {
  const here = route.value.view === "document" ? route.value.path : undefined;
  const isListed = documentsByPath.value !== undefined;
  useEffect(() => {
    // Until the list has arrived, no folder is known to be closed.
    if (here === undefined || !isListed || foldersOf(here).every(isOpen)) return;
    folderStates.value = new Map([
      ...folderStates.value,
      ...foldersOf(here).map((folder) => [folder, true] as const),
    ]);
  }, [here, isListed]);
  const currentRow = here === undefined ? undefined : rows.value.findIndex(({ path }) => path === here);
  return (
    <section class="tree" aria-label="Documents">
      <div class="tree-head">
        <label class="search-field tree-search">
          <Icon name="search" size={14} />
          <input
            type="search"
            placeholder={
              documentsByPath.value === undefined ? "Documents" : plural(documentCount.value, "document")
            }
            aria-label="Find documents"
            value={searchText.value}
            onInput={(event) => {
              searchText.value = event.currentTarget.value;
            }}
          />
        </label>
        <NewDocument />
      </div>
      {documentsByPath.value === undefined && documentsAreLate.value && <Waiting place="tree-none" />}
      {documentsByPath.value !== undefined && rows.value.length === 0 && (
        <p class="quiet tree-none">
          {searchText.value === "" ? "No documents yet." : "No document matches."}
        </p>
      )}
      <VirtualList
        rows={rows.value}
        rowHeight={ROW_HEIGHT}
        keyOf={({ kind, path }) => `${kind} ${path}`}
        scrollTo={currentRow}
      >
        {(row) => (row.kind === "folder" ? <FolderRow row={row} /> : <FileRow row={row} here={here} />)}
      </VirtualList>
    </section>
  );
}

function FolderRow({ row }: { readonly row: TreeRow }) {
  const open = isOpen(row.path);
  return (
    <button
      type="button"
      class={`tree-row folder${open ? " open" : ""}`}
      style={indent(row)}
      aria-expanded={open}
      onClick={() => toggle(row.path)}
    >
      <Icon name="chevron" size={12} />
      <span class="tree-name">{row.name}</span>
      <span class="quiet">{row.count.toLocaleString("en")}</span>
    </button>
  );
}

function FileRow({ row, here }: { readonly row: TreeRow; readonly here: string | undefined }) {
  const entry = documentsByPath.value?.get(row.path);
  return (
    <a
      class={`tree-row file${entry?.kind === "text" ? "" : " other"}`}
      style={indent(row)}
      href={hrefOf(documentRoute(row.path))}
      aria-current={row.path === here ? "page" : undefined}
      title={row.path}
    >
      <span class="tree-name">{row.name}</span>
      {entry !== undefined && <DocumentMark entry={entry} />}
    </a>
  );
}

/** Marks a document that has unsaved edits, is no text or cannot be edited. */
function DocumentMark({ entry }: { readonly entry: DocumentEntry }) {
  if (entry.dirty) return <span class="dot warn" title="Some edits are not in the file yet" />;
  if (entry.kind !== "text") return <span class="quiet">{entry.kind === "binary" ? "binary" : "large"}</span>;
  if (entry.permission === "read") return <span class="quiet">read only</span>;
  return null;
}

function indent({ depth }: TreeRow): Record<string, number> {
  return { "--depth": depth };
}
