import { setImmediate } from "node:timers/promises";
import type { Image } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import { storeFailure } from "../../store/store.ts";
import { diff } from "../../text/diff/diff.ts";
import { type Eol, eolOf } from "../../text/lines.ts";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import { sameStamps } from "../cover/inventory.ts";
import { isPassing } from "../cover/passing-files.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { fileRefusal, storeRefusal, unknownVersion } from "../outcome/refusals.ts";
import { digest } from "../versions/digest.ts";
import type { Version } from "../versions/version.ts";
import { textDiff } from "../workers/text-diff.ts";
import type { TokenWorkers } from "../workers/workers.ts";
import type { Workspace } from "./workspace.ts";

/** A document's properties. Units: `chars` in code points, `lines` as an editor counts them. */
export interface DocumentInfo {
  readonly path: string;
  readonly docId: string;
  readonly version: Version;
  readonly sha256: string;
  readonly chars: number;
  readonly lines: number;
  readonly eol: Eol;
  readonly finalNewline: boolean;
}

export interface Listing {
  readonly path: string;
  readonly size: number;
  readonly loaded: boolean;
  readonly dirty: boolean;
  readonly kind: "text" | "binary" | "too_large";
}

/** `conflict`: both the memory and the file have changes, which the daemon is about to merge. */
export type SyncStatus = "synced" | "memory_ahead" | "disk_ahead" | "conflict" | "blocked" | "deleted";

export interface DocumentStatus {
  readonly path: string;
  readonly docId: string;
  readonly syncStatus: SyncStatus;
  /** ISO 8601; null while there is no file. */
  readonly diskMtime: string | null;
  readonly version: Version;
  readonly sha256: string;
  readonly pendingWrites: number;
  /** The reason why the file cannot be read or written, while it cannot. */
  readonly problem?: string;
}

export function info(document: Document): Promise<DocumentInfo> {
  return infoAt(document, document.version, document.text);
}

/** Returns the properties of a document's text at a version. */
export async function infoAt(document: Document, version: Version, text: Text): Promise<DocumentInfo> {
  return {
    path: document.path,
    docId: document.id,
    version,
    chars: text.chars,
    lines: text.lines,
    eol: eolOf(text),
    finalNewline: text.endsWithBreak,
    sha256: await digest({ bom: document.content.bom, text }),
  };
}

export async function status(document: Document): Promise<DocumentStatus> {
  const { mirror } = document;
  const { version, content, pendingWrites } = document;
  return {
    path: document.path,
    docId: document.id,
    syncStatus: syncStatus(document),
    diskMtime:
      mirror.image === undefined ? null : new Date(Number(mirror.image.mtimeNs / 1_000_000n)).toISOString(),
    version,
    sha256: await digest(content),
    pendingWrites,
    ...(mirror.problem && { problem: mirror.problem.message }),
  };
}

/** Returns how a document compares with its file. */
export function syncStatus(document: Document): SyncStatus {
  if (document.deleted) return "deleted";
  if (document.mirror.problem !== undefined) return "blocked";
  const isAhead = document.pendingWrites > 0;
  if (!document.mirror.looksCurrent()) return isAhead ? "conflict" : "disk_ahead";
  return isAhead ? "memory_ahead" : "synced";
}

/** Lists documents in the order of their paths. */
export async function list(
  workspace: Workspace,
  options: {
    /** Returns true for a path to list; without it all paths are. */
    wanted?: (path: string) => boolean;
    loaded?: boolean | undefined;
  } = {},
): Promise<Listing[]> {
  const found: Listing[] = [];
  let seen = 0;
  const { files, ignored, clock } = workspace.ports;
  ignored.refresh();
  for await (const { path, image } of files.walk(ignored.skips)) {
    const { size } = image;
    if (++seen % YIELD_EVERY === 0) await setImmediate();
    if (options.wanted?.(path) === false) continue;
    const document = workspace.loadedAt(path);
    if (options.loaded !== undefined && options.loaded !== (document !== undefined)) continue;
    if (document === undefined && isPassing(files, clock, path, image.ctimeNs)) continue;
    found.push({
      path,
      size,
      loaded: document !== undefined,
      dirty: (document?.pendingWrites ?? 0) > 0,
      kind: await kindOf(workspace, path, image, document),
    });
  }
  return found;
}

/** The number of files listed before other clients get a turn (I14). */
const YIELD_EVERY = 200;
/** The bytes that are read to distinguish text from other files in a list. */
const SNIFFED = 4096;

async function kindOf(
  workspace: Workspace,
  path: DocPath,
  image: Image,
  document: Document | undefined,
): Promise<Listing["kind"]> {
  if (document !== undefined) return document.mirror.problem?.kind === "not_text" ? "binary" : "text";
  if (image.size > workspace.limits.maxFileBytes) return "too_large";
  const { files, store } = workspace.ports;
  const baseline = store.baselines.at(path);
  // The daemon has read the whole file, so that a list of many files opens none.
  if (baseline?.sha256 !== undefined && sameStamps(baseline.image, image)) return "text";
  return (await files.looksText(path, SNIFFED)) ? "text" : "binary";
}

/** Waits until the file holds the newest text. */
export async function save(document: Document): Promise<Outcome<void>> {
  if (await document.mirror.reached(document.head.seq)) return;
  if (document.closed !== undefined) return document.closed;
  const { kind: problem, message } = whyUnwritten(document);
  return new Refusal("MIRROR_BLOCKED", `${document.path} could not be written: ${message}`, {
    suggestion: "The edits are stored, and the daemon writes them as soon as it can; doc.status shows when.",
    details: { problem },
  });
}

/** Returns why the file of a document does not hold its newest text, although somebody waited for that. */
export function whyUnwritten({ mirror: { problem, image } }: Document): {
  readonly kind: string;
  readonly message: string;
} {
  if (problem !== undefined) return problem;
  if (image === undefined) return { kind: "missing", message: "the file is not there" };
  return { kind: "closed", message: "the daemon closed the document before it wrote the file" };
}

/** Returns the unified diff between two versions, or from the file's text to the newest. */
export async function difference(
  workers: TokenWorkers,
  document: Document,
  from: Version | undefined,
  to: Version | undefined,
  names: { readonly from: string; readonly to: string },
): Promise<Outcome<string>> {
  const a = from === undefined ? document.known().text : versionText(document, from);
  const b = to === undefined ? document.text : versionText(document, to);
  if (a instanceof Refusal) return a;
  if (b instanceof Refusal) return b;
  return textDiff(workers, a.toString(), b.toString(), names);
}

/** Returns the text at a version. */
export function versionText(document: Document, version: Version): Outcome<Text> {
  const change = document.versions.find(version);
  const text = change === undefined ? undefined : document.versions.textAt(change.seq);
  if (text !== undefined) return text;
  return unknownVersion(document, version);
}

/**
 * Makes memory equal to the file. The daemon reads the file even if its stamp is unchanged. A change of its own removes
 * the edits that it could not write.
 */
export async function reload(document: Document, actor: Actor): Promise<Outcome<void>> {
  await document.mirror.reread();
  const problem = document.mirror.problem;
  if (await document.mirror.reached(document.head.seq)) return;
  const back = diff(document.text.toString(), document.known().text.toString());
  if (back.length === 0) return problem && fileRefusal(problem);
  const message = "reload: back to the file's text";
  const made = document.commit(actor, document.draft(actor, back, { origin: "undo", message }));
  if (isRefusal(made)) return made;
  const failure = await storeFailure(made.durable);
  return failure && storeRefusal(failure);
}
