import { tokenNameOf } from "../access/actor.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { Audience, Reader, ThreadHead } from "./thread.ts";

type Visible = Pick<ThreadHead, "user" | "docIds" | "isPrivate" | "proposal" | "places">;

/** The documents of a thread as they are now. */
export interface ThreadDocuments {
  readonly paths: readonly string[];
  /** True while one of them has no file. */
  readonly deleted: boolean;
}

/**
 * Returns the present paths of a thread's documents. The record of a document in memory may be older than the document.
 */
export function documentsOf(workspace: Workspace, { docIds }: Pick<ThreadHead, "docIds">): ThreadDocuments {
  const documents = docIds.flatMap((id) => {
    const loaded = workspace.loaded.byId(id);
    if (loaded !== undefined) return { path: loaded.path, deleted: loaded.deleted };
    const record = workspace.ports.store.document(id);
    return record === undefined ? [] : { path: record.path, deleted: record.deletedAt !== undefined };
  });
  return {
    paths: documents.map(({ path }) => path),
    deleted: documents.length < docIds.length || documents.some(({ deleted }) => deleted),
  };
}

/** True for a thread that only the token that started it sees. */
export function isOfToken({ isPrivate, docIds, proposal }: Visible): boolean {
  return isPrivate === true || (docIds.length === 0 && proposal === undefined);
}

/**
 * Returns the audience of a thread: the connections that may read all of its documents. Only the token that started it
 * sees a thread without documents, or of an earlier version. No connection sees a thread of an ignored document.
 */
export function audienceOf(workspace: Workspace, head: Visible): Audience {
  const documents = documentsOf(workspace, head).paths;
  const paths = [...documents, ...(head.places ?? [])];
  const isHidden = documents.length < head.docIds.length || paths.some((path) => workspace.isIgnored(path));
  const isOwn = isOfToken(head);
  return ({ agent, rights }: Reader) =>
    !isHidden &&
    (!isOwn || tokenNameOf(agent) === head.user) &&
    paths.every((path) => rights.allows(path, "read"));
}
