import { isFileProblem } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Seq } from "../../store/store.ts";
import type { Document } from "../../workspace/document/document.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { isPassing, isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import type { Sealer } from "../members/sealer.ts";
import type { ChangeItem, DocumentItem, Sender } from "../messages/message.ts";
import type { LinkState } from "../state/link-state.ts";
import { LeftOut, NotNow } from "./not-now.ts";

interface ReceiveParts {
  readonly workspace: Workspace;
  readonly state: Pick<LinkState, "document">;
  readonly sealer: Pick<Sealer, "nameOf">;
}

/**
 * Opens the file at the path of an arriving document, if no document has it. A file with the document's first text begins
 * the same document, which then need not make its operations anew.
 */
export async function openFile(
  workspace: Workspace,
  { seeds }: Pick<LinkState, "seeds">,
  { doc, name: { path }, snapshot: { seq, form, bytes } }: DocumentItem,
): Promise<void> {
  const { files, store } = workspace.ports;
  if (isFileProblem(files.look(path)) || store.documentAt(path) !== undefined) return;
  if (seq === 0 && form === "update") seeds.set(doc, new Uint8Array(bytes)); // a copy: `bytes` are a view of a message
  await workspace.open(path).finally(() => seeds.delete(doc));
}

/** Adds a document at a path, which a machine has sent. */
export function receiveAt(
  { workspace, state, sealer }: ReceiveParts,
  item: DocumentItem,
  path: DocPath,
  { machine }: Sender,
  isDeleted = false,
): Promise<Outcome<void>> {
  const from = sealer.nameOf(machine);
  const changes = item.changes.map((change) => ({ ...change, machine: change.machine ?? from }));
  const received = { ...item, id: item.doc, path, changes, isDeleted };
  return workspace.receive(received, (id) => state.document(id) === undefined);
}

/** Returns the number of a change in the journal; undefined for one that is not there, or is to be rolled back. */
export function storedSeq(workspace: Workspace, doc: string, changeId: string): Seq | undefined {
  const document = workspace.loaded.byId(doc);
  const found = workspace.ports.store.find(changeId, document?.head.seq);
  if (found === undefined || !workspace.stores(changeId, doc, found.seq)) return undefined;
  const failed = document?.failure?.seq ?? Number.POSITIVE_INFINITY;
  return found.seq < failed ? found.seq : undefined;
}

/** Returns the numbers of a document's changes and of later ones in the journal, each as `storedSeq` does. */
export function storedSeqs(
  workspace: Workspace,
  { doc, changes }: Pick<DocumentItem, "doc" | "changes">,
  later: readonly ChangeItem[] = [],
): (Seq | undefined)[] {
  return [...changes, ...later.map(({ facts }) => facts)].map(({ id }) => storedSeq(workspace, doc, id));
}

/** Returns a document in memory that can take in changes; undefined for any other. */
export function loadedSound(workspace: Workspace, doc: string): Document | undefined {
  const loaded = workspace.loaded.byId(doc);
  if (loaded?.closed !== undefined || loaded?.failure !== undefined || loaded?.deleted !== false)
    return undefined;
  loaded.lastUsed = workspace.ports.clock.elapsed();
  return loaded;
}

/**
 * Opens a document by its id, also a deleted one. It does not compare a document in memory with its file first, because
 * edits of different machines merge in any order. @throws NotNow, LeftOut
 */
export async function openLinked(workspace: Workspace, doc: string): Promise<Document> {
  const loaded = loadedSound(workspace, doc);
  if (loaded !== undefined) return loaded;
  const opened = await workspace.openedById(doc);
  if (opened === undefined) throw new Error(`${doc} is not stored here`);
  if (!isRefusal(opened)) return opened;
  if (opened.code === "IGNORED") throw new LeftOut(opened.message);
  if (isPassing(opened)) throw new NotNow(opened.message);
  throw new Error(opened.message);
}
