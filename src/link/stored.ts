import { isFileProblem } from "../mirror/files.ts";
import type { DocPath } from "../mirror/path.ts";
import type { Seq } from "../store/store.ts";
import type { Document } from "../workspace/document/document.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { isPassing, isRefusal } from "../workspace/outcome/refusal.ts";
import { NotNow } from "./not-now.ts";

/** Opens a file that no document has, if there is one. */
export async function openFile(workspace: Workspace, path: DocPath): Promise<void> {
  const { files, store } = workspace.ports;
  if (!isFileProblem(files.look(path)) && store.documentAt(path) === undefined) await workspace.open(path);
}

/** Returns the number of a change in the journal; undefined for one that is not there, or is to be rolled back. */
export function storedSeq(workspace: Workspace, doc: string, changeId: string): Seq | undefined {
  const document = workspace.loaded.byId(doc);
  const found = workspace.ports.store.find(changeId, document?.head.seq);
  if (found === undefined || !workspace.stores(changeId, doc, found.seq)) return undefined;
  const failed = document?.failure?.seq ?? Number.POSITIVE_INFINITY;
  return found.seq < failed ? found.seq : undefined;
}

/**
 * Opens a document by its id, also a deleted one. It does not compare a document in memory with its file first, because
 * edits of different machines merge in any order. @throws NotNow
 */
export async function openLinked(workspace: Workspace, doc: string): Promise<Document> {
  const loaded = workspace.loaded.byId(doc);
  if (loaded?.closed === undefined && loaded?.failure === undefined && loaded?.deleted === false) {
    loaded.lastUsed = workspace.ports.clock.elapsed();
    return loaded;
  }
  const opened = await workspace.openedById(doc);
  if (opened === undefined) throw new Error(`${doc} is not stored here`);
  if (!isRefusal(opened)) return opened;
  if (isPassing(opened)) throw new NotNow(opened.message);
  throw new Error(opened.message);
}
