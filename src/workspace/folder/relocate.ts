import type { DocPath } from "../../mirror/path.ts";
import { storeFailure } from "../../store/store.ts";
import { Document } from "../document/document.ts";
import type { Refusal } from "../outcome/refusal.ts";
import { fileRefusal, storeRefusal } from "../outcome/refusals.ts";
import type { Ports } from "../ports.ts";
import type { LoadedDocuments } from "./loaded-documents.ts";

/**
 * Gives a document without a file another path, at which no document has a file. A document whose path belongs to
 * another has no file, whether the store has noted that or not.
 */
export async function relocate(
  ports: Pick<Ports, "store" | "clock">,
  loaded: LoadedDocuments,
  docId: string,
  to: DocPath,
): Promise<Refusal | undefined> {
  const dropped = new Set<Document>();
  const inMemory = () =>
    [loaded.byId(docId), loaded.at(to)].find((there) => there?.deleted && !dropped.has(there));
  for (;;) {
    for (let there = inMemory(); there !== undefined; there = inMemory()) {
      dropped.add(there);
      await loaded.drop(there);
    }
    const from = ports.store.document(docId)?.path as DocPath | undefined;
    const paths = from === undefined ? [to] : [to, from];
    // Somebody may have loaded it again meanwhile.
    const moved = await loaded.hold(paths, async () => inMemory() ?? move(ports, loaded, docId, to));
    if (!(moved instanceof Document)) return moved;
  }
}

async function move(
  { store, clock }: Pick<Ports, "store" | "clock">,
  loaded: LoadedDocuments,
  docId: string,
  to: DocPath,
): Promise<Refusal | undefined> {
  const record = store.document(docId);
  const hasFile = record?.deletedAt === undefined && store.documentAt(record?.path ?? to)?.id === docId;
  if (record === undefined || hasFile || loaded.byId(docId) !== undefined || loaded.at(to) !== undefined)
    return fileRefusal({ kind: "exists", message: `${to} is already there` });
  const { image: _image, deletedAt = clock.now(), ...rest } = record;
  const failure = await storeFailure(store.saveDocument({ ...rest, path: to, deletedAt }));
  if (failure !== undefined) return storeRefusal(failure);
  loaded.relocated(docId); // the store may have had this path before, and another one as the present one
  return undefined;
}
