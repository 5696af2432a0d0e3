import type { Image } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import { type Lacked, type Seq, storeFailure } from "../../store/store.ts";
import { diff } from "../../text/diff/diff.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import { isProposable } from "../../workspace/access/refusals.ts";
import type { Document } from "../../workspace/document/document.ts";
import { GuardedWorkspace } from "../../workspace/folder/guarded-workspace.ts";
import { isRefusal, type Outcome, type Refusal } from "../../workspace/outcome/refusal.ts";
import { storeRefusal } from "../../workspace/outcome/refusals.ts";
import { planSave } from "../../workspace/planners/whole.ts";
import { digest } from "../../workspace/versions/digest.ts";
import { seqOf, versionOf } from "../../workspace/versions/version.ts";
import { AGREED, type LaneFileRecord } from "../records/record.ts";
import { isCopy, storedDocument } from "./copied-document.ts";
import { removeEmptyFolders } from "./empty-folders.ts";
import type { LaneHost } from "./lane-host.ts";
import type { ShownText } from "./shown-texts.ts";

/** A write of the agent in a lane's file. */
export interface Save {
  /** The text that the write was made from; undefined for a new file. */
  readonly from: ShownText | undefined;
  readonly lacked: Lacked | undefined;
  readonly content: Decoded;
}

/**
 * The relation of a lane's text to its document: the text after `seq`, with the splices `own` where others changed it
 * too.
 */
export interface Placed {
  readonly seq: Seq;
  readonly own: readonly Splice[] | undefined;
}

/** The result of a write in a lane. */
export type Taken =
  | ({ readonly is: "made"; readonly document: Document } & Placed)
  /** The document has the new name, and still lacks the text that was refused, rejected or proposed. */
  | { readonly is: "named" }
  | { readonly is: "removed" }
  /** Others had changed the file that the agent deleted. */
  | { readonly is: "back"; readonly why: string }
  | { readonly is: "proposed" }
  | { readonly is: "refused"; readonly why: string };

export const CHANGED = "others changed this file before its deletion was made";
export const REVOKED = "the lane's token was revoked";
const UNWANTED: Taken = { is: "refused", why: REVOKED };

/** Makes an agent's write in a lane a change of the workspace, in the agent's name and under its rights. */
export class TakeIn {
  readonly #host: LaneHost;

  constructor(host: LaneHost) {
    this.#host = host;
  }

  /** Takes in the text of a file; creates the document where there is none. */
  async save(record: LaneFileRecord, document: Document | undefined, save: Save): Promise<Taken> {
    const { actor } = this.#host;
    if (actor === undefined) return UNWANTED;
    const { content, lacked } = save;
    if (document === undefined || document.deleted) return this.#create(record, content);
    const from = save.from ?? ownBeginning(document, actor);
    if (from === undefined) return this.#meet(document, content);
    const change = document.versions.change(from.seq);
    if (change === undefined)
      return { is: "refused", why: "the history no longer has the text that this was made from" };
    if (content.text.equals(from.text))
      return { is: "made", document, ...placedAt(document, from.seq, from.text) };
    if (this.#host.proposes(document.path)) return { is: "proposed" };
    const edit = () =>
      this.#host.editor.edit(actor, {
        kind: "write",
        aim: "text",
        path: document.path,
        version: versionOf(change),
        plan: planSave(from.text.toString(), content.text.toString()),
        ack: "durable",
        lacked,
        noting: ({ seq, text }) => {
          const lying = lyingIn(text, seq, content.text);
          const written = { ...lying, since: from.since };
          const agreed = { ...AGREED, docId: document.id, ...lying };
          return this.#host.known.stored({ ...record, ...agreed, written, replaced: undefined });
        },
      });
    let [path, made] = [document.path, await edit()];
    // Others renamed the document meanwhile.
    for (; isRefusal(made) && made.code === "NOT_FOUND" && document.path !== path; made = await edit())
      path = document.path;
    if (isProposable(made)) return { is: "proposed" };
    if (isRefusal(made)) return refused(made);
    return { is: "made", document, ...placedAt(document, seqOf(made.version)!, content.text) };
  }

  /**
   * Deletes the document of a file that the agent deleted, unless others have changed it since, or have renamed it before
   * the lane knew it.
   */
  async remove({ seq }: LaneFileRecord, document: Document, agreed: Text): Promise<Taken> {
    const { actor } = this.#host;
    if (actor === undefined) return UNWANTED;
    if (seq === undefined || !document.text.equals(agreed)) return { is: "back", why: CHANGED };
    if (this.#host.proposes(document.path)) return { is: "proposed" };
    const removed = await this.#guarded(actor).remove(document);
    if (isRefusal(removed)) return refused(removed);
    this.#left(document.path as DocPath);
    return { is: "removed" };
  }

  /** Renames the document of a file that the agent renamed. */
  async rename({ status, seq, own }: LaneFileRecord, document: Document, to: DocPath): Promise<Taken> {
    const { actor } = this.#host;
    if (actor === undefined) return UNWANTED;
    if (this.#host.proposes(document.path)) return { is: "proposed" };
    const { path } = document;
    const renamed = await this.#guarded(actor).rename(document, to);
    if (isRefusal(renamed)) return refused(renamed);
    this.#left(path as DocPath);
    return status === "live" ? { is: "made", document, seq: seq!, own } : { is: "named" };
  }

  async #create({ lane, path, image }: LaneFileRecord, content: Decoded): Promise<Taken> {
    if (this.#host.proposes(path)) return { is: "proposed" };
    const sha256 = await digest(content);
    // After a death, the next process knows by this which document is the file's, also if somebody has moved one of both.
    const noting = async (placed: Image) => {
      const made = { lane, path, status: "live", image, made: true, placed, sha256 } as const;
      const failure = await storeFailure(this.#host.keep(made));
      return failure && storeRefusal(failure);
    };
    const document = await this.#guarded(this.#host.actor!).create(path, content, undefined, image, noting);
    if (isRefusal(document)) return refused(document);
    return { is: "made", document, ...placedAt(document, document.head.seq, content.text) };
  }

  /** Compares a new file of the lane with a document that others made under its name. It never joins two texts. */
  #meet(document: Document, { text }: Decoded): Taken {
    if (document.text.equals(text)) return { is: "made", document, seq: document.head.seq, own: undefined };
    return { is: "refused", why: "the workspace has another file of this name; rename the one in the lane" };
  }

  /** Notes that the workspace's file left a path, as the agent's did. */
  #left(path: DocPath): void {
    const { files, workspace } = this.#host;
    removeEmptyFolders(workspace.ports.files, files, path);
  }

  #guarded(actor: NonNullable<LaneHost["actor"]>): GuardedWorkspace {
    return new GuardedWorkspace(this.#host.workspace, actor, "read");
  }
}

/** Returns the text with which this agent began a document, in case a crash came before the lane noted it. */
function ownBeginning({ versions }: Document, { agent }: Actor): ShownText | undefined {
  const text = versions.change(0)?.agent === agent ? versions.textAt(0) : undefined;
  return text && { seq: 0, since: 0, text };
}

/** Returns the relation of a text that a document contains to the version after a change. */
export function placedAt({ versions }: Document, seq: Seq, text: Text): Placed {
  return lyingIn(versions.textAt(seq)!, seq, text);
}

/** Returns the text that `placedAt` placed; undefined where the history does not have it any more. */
export function textOf(
  document: Document | undefined,
  { seq, own = [] }: { readonly seq: Seq; readonly own?: Placed["own"] },
): Text | undefined {
  return document?.versions.textAt(seq)?.splice(own);
}

export function lyingIn(there: Text, seq: Seq, text: Text): Placed {
  return { seq, own: there.equals(text) ? undefined : diff(there.toString(), text.toString()) };
}

function refused({ message }: Refusal): Taken {
  return { is: "refused", why: message };
}

/** Opens the document of a lane's file; undefined where the workspace has none. */
export async function documentOf(
  { workspace, actor }: LaneHost,
  record: LaneFileRecord,
): Promise<Outcome<Document> | undefined> {
  const { path } = record;
  if (actor === undefined) return undefined;
  const guarded = new GuardedWorkspace(workspace, actor, "read");
  const docId =
    record.docId ?? (isCopy(record) ? storedDocument(workspace.ports.store, record)?.id : undefined);
  const found = docId === undefined ? await guarded.opened(path) : await guarded.openedById(docId);
  return found !== undefined && isRefusal(found) && found.code === "NOT_FOUND" ? undefined : found;
}
