import { isFileProblem } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import { type DocPath, isPathProblem, parseNewPath } from "../../mirror/path.ts";
import { Text } from "../../text/text.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import {
  fileRefusal,
  nulRefusal,
  pathRefusal,
  samePathRefusal,
  tooLargeRefusal,
} from "../outcome/refusals.ts";
import { digest } from "../versions/digest.ts";
import type { Version } from "../versions/version.ts";
import type { FileStep } from "./file-steps.ts";
import type { GuardedWorkspace } from "./guarded-workspace.ts";
import { refusalIfIgnored } from "./ignored-path.ts";
import type { Workspace } from "./workspace.ts";

/** The text that a deletion or a rename is asked for; any text without both. */
interface Named {
  readonly version?: Version | undefined;
  readonly sha256?: string | undefined;
}

/** A creation, deletion or renaming of a file, as a client asks for it. */
export type FileChange = { readonly path: string } & (
  | { readonly operation: "create"; readonly content: Decoded }
  | ({ readonly operation: "delete" } & Named)
  | ({ readonly operation: "rename"; readonly to: string } & Named)
);

/** A change of a file that can be made at present. */
export interface CheckedFileChange {
  /** The index of the change in the request. */
  readonly at: number;
  readonly change: FileChange;
  /** The document that is deleted or renamed, and its version then. */
  readonly document?: Document;
  readonly version?: Version;
}

interface Checking {
  readonly workspace: Workspace;
  readonly guarded: GuardedWorkspace;
  /** The level that the actor needs for a change of a file. */
  readonly level: "propose" | "write";
}

/**
 * Checks changes of files that are to be made together: each against its file and against the others. `edited` are the
 * paths whose texts change with them. Returns an outcome for each, in their order.
 */
export async function checkFileChanges(
  checking: Checking,
  changes: readonly FileChange[],
  edited: readonly string[] = [],
): Promise<Outcome<CheckedFileChange>[]> {
  const opened = new Map<FileChange, Outcome<Document>>();
  for (const change of changes)
    if (change.operation !== "create") opened.set(change, await openNamed(checking.guarded, change));
  const left = new Set<string>();
  for (const document of opened.values()) if (!isRefusal(document)) left.add(document.path);
  const targets = new Set<string>();
  const leaving = new Set<string>();
  const texts = new Set(edited);
  return changes.map((change, at) => {
    const document = opened.get(change);
    if (document !== undefined && isRefusal(document)) return document;
    const denied = document && checking.level === "write" && checking.guarded.unwritable(document);
    if (denied) return denied;
    if (document !== undefined) {
      const isTwice = leaving.has(document.path) || (change.operation === "delete" && texts.has(change.path));
      if (isTwice) return twice(document.path);
      leaving.add(document.path);
    }
    if (change.operation === "delete") return { at, change, document: document!, version: document!.version };
    const target = change.operation === "create" ? change.path : change.to;
    const refused = targets.has(target) ? twice(target) : refusalOfTarget(checking, target, left, document);
    targets.add(target);
    if (refused !== undefined) return refused;
    const unfit =
      change.operation === "create" ? unfitContent(change.content, checking.workspace) : undefined;
    return unfit ?? { at, change, ...(document && { document, version: document.version }) };
  });
}

/**
 * Returns the steps that make checked changes: deletions, renames, and creations. A rename to the path of another one
 * follows it, except in a circle.
 */
export function stepsOf(
  checked: readonly CheckedFileChange[],
  cause: FileStep["cause"],
): readonly FileStep[] {
  const steps: FileStep[] = [];
  for (const { at, change, document, version } of checked)
    if (change.operation === "delete") {
      const isNamed = change.version !== undefined || change.sha256 !== undefined;
      const check = (now: Document) => (now.version === version ? undefined : stale(now));
      steps.push({
        do: "remove",
        at,
        path: document!.path,
        docId: document!.id,
        cause,
        ...(isNamed && { check }),
      });
    }
  const renames = checked.filter(({ change }) => change.operation === "rename");
  while (renames.length > 0) {
    const free = renames.findIndex(
      ({ change, document }) =>
        change.operation === "rename" &&
        !renames.some((other) => other.document !== document && other.document!.path === change.to),
    );
    const [{ at, change, document }] = renames.splice(Math.max(free, 0), 1) as [CheckedFileChange];
    if (change.operation === "rename")
      steps.push({ do: "rename", at, path: document!.path, docId: document!.id, to: change.to, cause });
  }
  for (const { at, change } of checked)
    if (change.operation === "create")
      steps.push({ do: "create", at, path: change.path, content: change.content, cause });
  return steps;
}

/** Returns the content of a new file. A byte order mark at the start of `text` is the file's, not the text's. */
export function contentOf(text: string): Decoded {
  const bom = text.startsWith("\ufeff");
  return { bom, text: Text.of(bom ? text.slice(1) : text) };
}

/** Returns the diff of a rename, as git writes it. */
export function renameDiff(from: string, to: string): string {
  return `rename from ${from}\nrename to ${to}\n`;
}

/** Opens the document of a change, which must be at the version that the change names. */
async function openNamed(
  guarded: GuardedWorkspace,
  { path, version, sha256 }: { readonly path: string } & Named,
): Promise<Outcome<Document>> {
  const document = await guarded.open(path);
  if (isRefusal(document)) return document;
  const now = sha256 === undefined ? undefined : await digest(document.content);
  const isThat = (version === undefined || version === document.version) && sha256 === now;
  return isThat ? document : stale(document);
}

function stale({ path, version }: Document): Refusal {
  return new Refusal("STALE_VERSION", `${path} has changed since the named version`, {
    suggestion: "Read it again, and decide anew.",
    details: { path, version },
  });
}

/** Returns why a new file cannot be at a path; `left` are paths whose files go with the same changes. */
function refusalOfTarget(
  { workspace, guarded, level }: Checking,
  input: string,
  left: ReadonlySet<string>,
  document: Document | undefined,
): Refusal | undefined {
  const path = parseNewPath(input);
  if (isPathProblem(path)) return pathRefusal(path);
  const { files, ignored } = workspace.ports;
  const refused = guarded.unmakeable(path, level) ?? refusalIfIgnored(ignored, path);
  if (refused !== undefined) return refused;
  if (document?.path === path) return samePathRefusal(path);
  const there = left.has(path) ? undefined : files.look(path);
  if (there === undefined || isSameFile(there, document)) return undefined;
  if (!isFileProblem(there)) return fileRefusal(existing(path));
  return there.kind === "missing" ? undefined : fileRefusal(there);
}

/** True for another spelling of the document's own path, on a file system that ignores case. */
function isSameFile(there: object, document: Document | undefined): boolean {
  const image = document?.mirror.image;
  if (image === undefined || isFileProblem(there)) return false;
  const { ino, dev } = there as { ino: bigint; dev: bigint };
  return image.ino === ino && image.dev === dev;
}

function unfitContent({ text }: Decoded, { limits: { maxFileBytes } }: Workspace): Refusal | undefined {
  if (text.bytes > maxFileBytes) return tooLargeRefusal(text.bytes, maxFileBytes);
  return text.matches("\0").next().done ? undefined : nulRefusal();
}

function existing(path: DocPath) {
  return { kind: "exists", message: `${path} is already there` } as const;
}

function twice(path: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", `two changes of this request are about the file ${path}`, {
    suggestion: "Name each file once; a rename may stand beside an edit of the same file.",
    details: { path },
  });
}
