import type { Workspace } from "../workspace/folder/workspace.ts";
import type { LinkState } from "./link-state.ts";
import type { Outbox } from "./outbox.ts";
import type { Places } from "./places.ts";

/** Has every change of a journal told that no message told yet (M12), and every later one, until the returned call. */
export function follow(workspace: Workspace, state: LinkState, outbox: Outbox, places: Places): () => void {
  const { store } = workspace.ports;
  const end = workspace.updates.followAll((docId, { change, durable }) => {
    durable.then(
      () => change.machine === undefined && outbox.mark(docId),
      // The store rolls the change back: its file, which it moved, removed or read, is looked at again.
      () => places.settleLater(docId),
    );
  });
  for (const { id, deletedAt } of store.documents()) {
    const linked = state.document(id);
    const [newest] = store.changes(id, { limit: 1 });
    const isTold =
      linked === undefined ? deletedAt !== undefined : newest === undefined || newest.seq <= linked.sent;
    if (!isTold) outbox.mark(id);
  }
  // The store does not show the documents yet that are being made.
  for (const { id, durable } of workspace.loaded)
    durable.then(
      () => outbox.mark(id),
      () => undefined,
    );
  return end;
}
