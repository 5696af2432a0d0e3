import { type Image, isFileProblem, sameFile } from "../../mirror/files.ts";
import { type Decoded, decode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Seq } from "../../store/store.ts";
import { diff } from "../../text/diff/diff.ts";
import { Text } from "../../text/text.ts";
import type { Document } from "../../workspace/document/document.ts";
import { isPassing, isRefusal } from "../../workspace/outcome/refusal.ts";
import { digest } from "../../workspace/versions/digest.ts";
import { AGREED, type LaneFileRecord, openSwap } from "../records/record.ts";
import { isCopy } from "./copied-document.ts";
import type { LaneHost } from "./lane-host.ts";
import { documentOf, textOf } from "./take-in.ts";

/** A file of a lane as it comes into use. */
export interface Begun {
  readonly record: LaneFileRecord;
  readonly document: Document | undefined;
  /** The text that the file had when lane and document last agreed. */
  readonly agreed: Decoded;
  /** The text that the file had when the daemon last knew it. */
  readonly shown: Decoded;
}

const EMPTY: Decoded = { bom: false, text: Text.empty };
/** No change has this number: the history does not have the text. */
const NOWHERE = -1;
/** No file has this stamp. */
const UNREAD = -1n;
const UNKNOWN = "the history no longer has the text that this was made from";

/**
 * Opens the document of a lane's file, and finds the text that the file had when the daemon last knew it. @throws an error
 * if the document cannot be opened now
 */
export async function begin(host: LaneHost, stored: LaneFileRecord): Promise<Begun> {
  const record = await recognised(host, landedOf(host, stored));
  const document = await documentOf(host, record);
  if (document === undefined || isRefusal(document)) {
    // The daemon would treat the file as one without a document, although it may open that later.
    if (document && isPassing(document)) throw new Error(document.message);
    const shown = await ownText(host, record);
    return {
      record: shown === undefined ? unread(record) : record,
      document: undefined,
      agreed: EMPTY,
      shown: shown ?? EMPTY,
    };
  }
  const placed = isCopy(record) ? await placedIn(host, record, document) : record;
  const agreed = agreedText(placed, document);
  if (agreed === undefined) {
    const known = { ...placed, status: "refused", why: UNKNOWN } as const;
    return { record: known, document, agreed: document.content, shown: document.content };
  }
  if (placed.status === "live") return { record: placed, document, agreed, shown: agreed };
  const own = await ownText(host, placed);
  return { record: own ? placed : unread(placed), document, agreed, shown: own ?? agreed };
}

/** Makes the daemon read a file whose text is not the one of the record. */
export function unread(record: LaneFileRecord): LaneFileRecord {
  return { ...record, image: record.image && { ...record.image, mtimeNs: UNREAD } };
}

/** Returns true while the daemon has still to read a file, whose text it therefore does not know. */
export function isUnread({ image }: LaneFileRecord): boolean {
  return image?.mtimeNs === UNREAD;
}

/** Notes that a staged version took the file's place, if an earlier process ended before it noted this. */
function landedOf({ files }: LaneHost, record: LaneFileRecord): LaneFileRecord {
  const staged = openSwap(record);
  if (staged === undefined || files.isStaged(staged.id)) return record;
  // Another program may have written the file since: then its stamps are others.
  const landed = { seq: staged.seq, own: undefined, image: staged.image, staged: undefined };
  return { ...record, ...(staged.isBack && { ...AGREED, gone: undefined }), ...landed };
}

/**
 * Finds the document that an earlier process made for a new file, if it ended before it noted this: by its path and text,
 * or by its file, which somebody may have moved and changed. Without one, the file is read again, as a new one.
 */
async function recognised(host: LaneHost, record: LaneFileRecord): Promise<LaneFileRecord> {
  const { path, made, placed, sha256 } = record;
  if (!made) return record;
  const there = await documentAt(host, path);
  const seq = there && (await versionWith(there, sha256));
  const known = { ...record, made: undefined, placed: undefined };
  if (seq !== undefined) return { ...known, docId: there!.id, seq, sha256: undefined };
  const at = placed && (await pathOf(host, path, placed));
  const document = at && (await documentAt(host, at));
  return document === undefined ? unread(record) : placedIn(host, known, document);
}

async function documentAt(host: LaneHost, path: DocPath): Promise<Document | undefined> {
  const document = await documentOf(host, { lane: host.name, path, status: "live" });
  return document === undefined || isRefusal(document) || document.deleted ? undefined : document;
}

/** Returns where a file of the workspace is that was at `path`. */
async function pathOf({ workspace }: LaneHost, path: DocPath, image: Image): Promise<DocPath | undefined> {
  const { files, ignored } = workspace.ports;
  const seen = files.look(path);
  if (!isFileProblem(seen) && sameFile(seen, image)) return path;
  for await (const one of files.walk(ignored.skips)) if (sameFile(one.image, image)) return one.path;
  return undefined;
}

/** Returns the newest version whose file has a hash; the newest of all without a hash. */
async function versionWith(
  { head, versions, content }: Document,
  sha256: string | undefined,
): Promise<Seq | undefined> {
  if (sha256 === undefined || (await digest(content)) === sha256) return head.seq;
  return versions.findHash(sha256)?.seq;
}

/** Finds the version that a file was copied from before its document was first opened. */
async function placedIn(host: LaneHost, record: LaneFileRecord, document: Document): Promise<LaneFileRecord> {
  const { head, content, id: docId } = document;
  const seq = await versionWith(document, record.sha256);
  if (seq !== undefined) return { ...record, docId, seq, sha256: undefined };
  // The file was copied while it changed. The daemon may replace the copy as long as no program has written to it.
  const copied = await ownText(host, record);
  if (copied === undefined) return { ...record, docId, seq: NOWHERE };
  const own = diff(content.text.toString(), copied.text.toString());
  return { ...record, docId, seq: head.seq, own, sha256: undefined };
}

function agreedText({ seq, own }: LaneFileRecord, document: Document): Decoded | undefined {
  if (seq === undefined) return EMPTY; // the agent made the file
  const text = textOf(document, { seq, own });
  return text && { bom: document.content.bom, text };
}

/** Reads the text of a file in the lane, if the text still has the hash of the record. */
async function ownText(
  { files, workspace }: LaneHost,
  { path, sha256 }: LaneFileRecord,
): Promise<Decoded | undefined> {
  if (sha256 === undefined) return undefined;
  const read = await files.read(path, workspace.limits.maxFileBytes);
  const content = isFileProblem(read) ? undefined : decode(read.bytes);
  return content !== undefined && (await digest(content)) === sha256 ? content : undefined;
}
