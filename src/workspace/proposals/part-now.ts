import { isFileProblem } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import { Text } from "../../text/text.ts";
import type { Document } from "../document/document.ts";
import { contentOf } from "../folder/file-changes.ts";
import type { Workspace } from "../folder/workspace.ts";
import { isRefusal, type Outcome, type Refusal } from "../outcome/refusal.ts";
import { isEdit, type OpenPart, type Part } from "./proposal.ts";
import { type RebasedProposal, rebaseProposal } from "./rebase.ts";
import * as refusals from "./refusals.ts";

/** An open part of a proposal against the present state of its document. */
export interface PartNow extends OpenPart {
  /** The present path of the document, or the path of the file to create. */
  readonly path: string;
  readonly document?: Document;
  /** The edit of the newest text. */
  readonly rebased?: RebasedProposal;
  /** The texts before and after a creation or deletion. */
  readonly texts?: { readonly before: Text; readonly after: Text };
  /** Set when nothing is left to do: its result is `there` already, or the text that it would change is `gone`. */
  readonly superseded?: "there" | "gone";
  /** The reason why the part cannot be made at present. */
  readonly refusal?: Refusal;
}

/** The parts that are looked at together, and the proposal that they belong to. */
export interface Looking {
  readonly workspace: Workspace;
  /** The id of the proposal. */
  readonly id: string;
  /** Returns the present path of a part's document. */
  readonly pathOf: (part: Part) => string;
}

/** Looks at open parts of a proposal. A part may take the place that a deletion or a rename beside it leaves. */
export async function lookAtParts(looking: Looking, parts: readonly OpenPart[]): Promise<PartNow[]> {
  const leaving = parts.filter(({ part: { operation } }) => operation === "delete" || operation === "rename");
  const left = new Set(leaving.map(({ part }) => looking.pathOf(part)));
  const now: PartNow[] = [];
  for (const open of parts)
    now.push(await lookAtPart({ ...looking, left, now: { ...open, path: looking.pathOf(open.part) } }));
  return now;
}

function lookAtPart(looking: LookingAtPart): Promise<PartNow> {
  const open = looking.now;
  if (isEdit(open.part)) return editNow(looking);
  switch (open.part.operation) {
    case "create":
      return creationNow(looking);
    case "delete":
      return deletionNow(looking);
    default:
      return renameNow(looking);
  }
}

/** Returns an edit of a document's newest text. */
export function editOn(now: PartNow, document: Document, id: string): PartNow {
  if (document.id !== now.part.docId) return { ...now, refusal: refusals.otherDocument(id, now.path) };
  const rebased = rebaseProposal(document, now.part);
  if (rebased === undefined) return { ...now, refusal: refusals.baseless(id, now.part) };
  const superseded = rebased.overlaps.length === 0 ? ("there" as const) : ("gone" as const);
  return { ...now, document, path: document.path, rebased, ...(rebased.superseded && { superseded }) };
}

/** Returns why a document must not be deleted: others changed its text since the deletion was proposed. */
export function changedSince(part: Part, document: Document, id: string): Refusal | undefined {
  const seq = document.versions.find(part.base)?.seq;
  const text = seq === undefined ? undefined : document.versions.textAt(seq);
  if (text === undefined) return refusals.baseless(id, part);
  return text.equals(document.text) ? undefined : refusals.changedBeforeDeletion(document);
}

interface LookingAtPart extends Looking {
  readonly now: PartNow;
  /** The paths that other parts leave. */
  readonly left: ReadonlySet<string>;
}

async function editNow({ workspace, now, id }: LookingAtPart): Promise<PartNow> {
  const document = await workspace.open(now.path);
  return isRefusal(document) ? { ...now, refusal: document } : editOn(now, document, id);
}

async function creationNow({ workspace, now, left }: LookingAtPart): Promise<PartNow> {
  const content = contentOf(now.part.proposedValue);
  const shown = { ...now, texts: { before: Text.empty, after: content.text } };
  if (left.has(now.path)) return shown;
  const document = await workspace.open(now.path);
  if (!isRefusal(document))
    return document.text.equals(content.text)
      ? { ...shown, superseded: "there" }
      : { ...shown, refusal: refusals.thereAlready(now.path) };
  const there = workspace.ports.files.look(now.path as DocPath);
  if (document.code === "IGNORED" || !isFileProblem(there)) return { ...shown, refusal: document };
  return shown;
}

async function deletionNow(looking: LookingAtPart): Promise<PartNow> {
  const { now, id } = looking;
  const document = await documentOf(looking);
  if (isRefusal(document)) return { ...now, refusal: document };
  if (document.deleted) return { ...now, superseded: "there" };
  const refusal = changedSince(now.part, document, id);
  const texts = { before: document.text, after: Text.empty };
  return { ...now, document, texts, ...(refusal && { refusal }) };
}

async function renameNow(looking: LookingAtPart): Promise<PartNow> {
  const { workspace, now, left } = looking;
  const { to } = now.part as { to: string };
  const document = await documentOf(looking);
  if (isRefusal(document)) return { ...now, refusal: document };
  if (document.path === to) return { ...now, superseded: "there" };
  if (document.deleted) {
    const deleted = await workspace.open(now.path);
    return { ...now, ...(isRefusal(deleted) && { refusal: deleted }) };
  }
  const there = workspace.ports.files.look(to as DocPath);
  const image = document.mirror.image;
  const isFree =
    left.has(to) || isFileProblem(there) || (there.ino === image?.ino && there.dev === image.dev);
  return { ...now, document, ...(!isFree && { refusal: refusals.thereAlready(to) }) };
}

/** Opens the document of a part, also a deleted one. */
async function documentOf({ workspace, now: { part, path }, id }: LookingAtPart): Promise<Outcome<Document>> {
  const document = (await workspace.openedById(part.docId)) ?? refusals.otherDocument(id, path);
  if (isRefusal(document)) return document;
  return document.id === part.docId ? document : refusals.otherDocument(id, path);
}
