/** The verb that begins the sentence about each tool and its paths. */
const VERBS: Readonly<Record<string, string>> = {
  list_documents: "Lists",
  read_document: "Reads",
  search_documents: "Searches",
  edit_document: "Edits",
  patch_document: "Patches",
  write_document: "Writes",
  edit_documents: "Edits",
  compare_versions: "Compares versions of",
  changes_since_read: "Looks at the changes of",
  list_changes: "Looks at the history of",
  show_authors: "Looks at the authors of",
  undo_change: "Takes back an edit of",
  propose_edit: "Proposes an edit of",
  list_proposals: "Looks at the proposals for",
  set_field: "Sets a field of",
  rename_document: "Renames",
  delete_document: "Deletes",
};

/** Returns a sentence about a tool call, for the thread, and the documents that it names. */
export function sentenceOf(
  tool: string,
  args: unknown,
): { readonly title: string; readonly paths?: string[] } {
  const paths = pathsIn(args);
  const verb = VERBS[tool] ?? `Calls ${tool.slice(0, 80)} with`;
  if (paths.length === 0)
    return { title: `${verb} ${tool === "undo_change" ? "this workspace" : "documents"}` };
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
  return { title: `${verb} ${paths.slice(0, 3).join(", ")}${more}`, paths };
}

/** Most paths that a call shows, and most characters of one. */
const MOST_PATHS = 100;
const MOST_PATH = 1_000;

function pathsIn(args: unknown): string[] {
  const { path, files } = (args ?? {}) as { path?: unknown; files?: unknown };
  const inFiles = Array.isArray(files) ? files.map((file) => (file as { path?: unknown } | null)?.path) : [];
  return [path, ...inFiles]
    .filter((one): one is string => typeof one === "string" && one !== "" && one.length <= MOST_PATH)
    .slice(0, MOST_PATHS);
}
