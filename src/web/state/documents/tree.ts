/** A visible row of the tree of documents. */
export interface TreeRow {
  readonly kind: "folder" | "file";
  readonly path: string;
  /** The label. A folder whose only content is another folder shares a row with it, as `a/b`. */
  readonly name: string;
  readonly depth: number;
  /** The number of documents in a folder, at any depth; 0 for a file. */
  readonly count: number;
}

/** The documents of a folder, by folder. */
export interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: string[];
  count: number;
}

/** Returns the visible rows of a tree. Folders come before files, both sorted by name. */
export function treeRows(tree: Folder, isOpen: (folder: string) => boolean): TreeRow[] {
  const rows: TreeRow[] = [];
  visit(tree, "", 0);
  return rows;

  function visit(folder: Folder, prefix: string, depth: number): void {
    for (const name of [...folder.folders.keys()].sort(byName)) {
      const { inner, label } = followSingleFolders(folder.folders.get(name)!, name);
      const path = `${prefix}${label}`;
      rows.push({ kind: "folder", path, name: label, depth, count: inner.count });
      if (isOpen(path)) visit(inner, `${path}/`, depth + 1);
    }
    for (const name of folder.files.sort(byName))
      rows.push({ kind: "file", path: `${prefix}${name}`, name, depth, count: 0 });
  }
}

/** Returns the paths that contain every word of `wanted`. Paths with all words in the file's name come first. */
export function findPaths(paths: Iterable<string>, wanted: string, limit: number): string[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const inName: string[] = [];
  const elsewhere: string[] = [];
  for (const path of paths) {
    const folded = path.toLowerCase();
    if (!words.every((word) => folded.includes(word))) continue;
    const name = folded.slice(folded.lastIndexOf("/") + 1);
    (words.every((word) => name.includes(word)) ? inName : elsewhere).push(path);
    if (inName.length >= limit) break;
  }
  return [...inName, ...elsewhere].slice(0, limit);
}

/** Returns the folders above a path, outermost first. */
export function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

/** Returns the tree of some paths. With many paths this takes longer than the rows of a tree. */
export function buildTree(paths: Iterable<string>): Folder {
  const root: Folder = { folders: new Map(), files: [], count: 0 };
  for (const path of paths) {
    const parts = path.split("/");
    let at = root;
    at.count++;
    for (const part of parts.slice(0, -1)) {
      const next = at.folders.get(part) ?? { folders: new Map(), files: [], count: 0 };
      at.folders.set(part, next);
      next.count++;
      at = next;
    }
    at.files.push(parts.at(-1)!);
  }
  return root;
}

/** Skips folders whose only content is one folder. */
function followSingleFolders(folder: Folder, name: string): { inner: Folder; label: string } {
  let inner = folder;
  let label = name;
  while (inner.files.length === 0 && inner.folders.size === 1) {
    const [only, next] = [...inner.folders][0]!;
    label += `/${only}`;
    inner = next;
  }
  return { inner, label };
}

const collator = new Intl.Collator(undefined, { numeric: true });

function byName(a: string, b: string): number {
  return collator.compare(a, b);
}
