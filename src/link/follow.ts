import type { Seq } from "../store/store.ts";
import type { Document } from "../workspace/document/document.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import type { RecordExchange } from "./messages/record-exchange.ts";
import type { Places } from "./receiving/places.ts";
import type { Outbox } from "./sending/outbox.ts";
import type { LinkState } from "./state/link-state.ts";

interface Followers {
  readonly outbox: Outbox;
  readonly places: Places;
  readonly records: RecordExchange;
}

/**
 * Sends every change of a journal that no message contains yet (M12), and every later change, until the returned call.
 */
export function follow(
  workspace: Workspace,
  state: LinkState,
  { outbox, places, records }: Followers,
): () => void {
  const { store } = workspace.ports;
  const unfollow = workspace.updates.followAll((docId, { change, durable }) => {
    const isOwn = change.machine === undefined;
    if (isOwn && change.file?.kind === "delete" && change.origin === "disk")
      state.heldAtDeletion.set(change.id, heldBefore(change.seq, workspace.loaded.byId(docId)));
    durable.then(
      () => isOwn && outbox.mark(docId),
      // The store rolls the change back. The change may have moved or removed its file, so this looks at the file
      // again.
      () => places.settleLater(docId),
    );
  });
  const forget = records.follow();
  for (const { id, deletedAt } of store.documents()) {
    const linked = state.document(id);
    const [newest] = store.changes(id, { limit: 1 });
    // A crash may keep from the record that the file of a deleted document was restored.
    const isRestored = newest?.file?.kind === "create" && newest.seq > 0;
    const isGone = deletedAt !== undefined && !isRestored;
    const isTold = linked === undefined ? isGone : newest === undefined || newest.seq <= linked.sent;
    if (!isTold) outbox.mark(id);
  }
  // The store does not list documents before their creation is durable.
  for (const { id, durable } of workspace.loaded)
    durable.then(
      () => outbox.mark(id),
      () => undefined,
    );
  return () => {
    unfollow();
    forget();
  };
}

/**
 * Returns the newest change that the file held before a deletion. The author of the deletion has seen no later change
 * (M9).
 */
function heldBefore(deletion: Seq, document: Document | undefined): Seq {
  let held = deletion - 1;
  while (held > 0 && document?.holds(held) === false) held--;
  return held;
}
