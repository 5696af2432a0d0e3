import type { Workspace } from "../workspace/folder/workspace.ts";
import type { LinkState } from "./link-state.ts";
import type { Outbox } from "./outbox.ts";
import type { RecordExchange } from "./record-exchange.ts";

/** Has every change of a journal told that no message told yet (M12), and every later one, until the returned call. */
export function follow(
  workspace: Workspace,
  state: LinkState,
  outbox: Outbox,
  records: RecordExchange,
): () => void {
  const { store } = workspace.ports;
  const ends = [
    workspace.updates.followAll((docId, { change, durable }) => {
      if (change.machine !== undefined) return;
      durable.then(
        () => outbox.mark(docId),
        () => undefined, // the store rolls the change back
      );
    }),
    workspace.listen((event) => {
      if (event.type === "created") outbox.mark(event.docId);
    }),
    records.follow(),
  ];
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
  return () => {
    for (const end of ends) end();
  };
}
