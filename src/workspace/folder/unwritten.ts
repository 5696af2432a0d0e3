import type { Document } from "../document/document.ts";
import { isBehind } from "../document/recovery.ts";
import { isRefusal } from "../outcome/refusal.ts";
import type { Workspace } from "./workspace.ts";

/** Waits until the files hold every edit that the store has, as far as they can be written, but no longer than `ms`. */
export async function flush(workspace: Workspace, ms: number): Promise<void> {
  const writing = [...workspace.loaded].map((document) =>
    write(workspace, document).catch(reporting(workspace, document)),
  );
  const enough = new AbortController();
  await Promise.race([Promise.all(writing), workspace.ports.clock.sleep(ms, enough.signal)]);
  enough.abort();
}

/** Opens a document anew that has edits which the store refused: its file may lack others, which the store has. */
async function write(workspace: Workspace, document: Document): Promise<void> {
  const sound = document.failure === undefined ? document : await workspace.openedById(document.id);
  if (sound !== undefined && !isRefusal(sound)) await sound.mirror.reached(sound.head.seq);
}

/**
 * Drops a document with edits that the store refused. Where its file lacks others, which the store has, it is opened anew
 * in the background.
 */
export async function dropRefused(workspace: Workspace, document: Document): Promise<void> {
  const { store } = workspace.ports;
  await workspace.drop(document);
  const record = store.document(document.id);
  if (record !== undefined && isBehind(store, record))
    workspace.openBriefly(document.path).catch(reporting(workspace, document));
}

function reporting({ ports: { report } }: Workspace, { path }: Document) {
  return (error: unknown) => report("document.defect", { path, reason: String(error) });
}
