import type { Workspace } from "../workspace/folder/workspace.ts";
import type { LinkState } from "./link-state.ts";
import type { Outbox } from "./outbox.ts";

/** Has every change of a journal told that no message told yet (M12), and every later one, until the returned call. */
export function follow(workspace: Workspace, state: LinkState, outbox: Outbox): () => void {
  const { store } = workspace.ports;
  const ends = [
    workspace.updates.followAll((docId, { change, durable }) => {
      if (change.machine !== undefined) return;
      // Who deletes a file has seen what it held; the daemon may not have written everything yet (M9).
      if (change.file?.kind === "delete" && change.origin === "disk") {
        const document = workspace.loaded.byId(docId);
        let held = change.seq - 1;
        while (held > 0 && document?.holds(held) === false) held--;
        state.heldAtDeletion.set(change.id, held);
      }
      durable.then(
        () => outbox.mark(docId),
        () => undefined, // the store rolls the change back
      );
    }),
    workspace.listen((event) => {
      if (event.type === "created") outbox.mark(event.docId);
    }),
  ];
  for (const { id, deletedAt } of store.documents()) {
    const linked = state.document(id);
    const [newest] = store.changes(id, { limit: 1 });
    const isTold =
      linked === undefined ? deletedAt !== undefined : newest === undefined || newest.seq <= linked.sent;
    if (!isTold) outbox.mark(id);
  }
  return () => {
    for (const end of ends) end();
  };
}
