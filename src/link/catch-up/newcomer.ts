import { type DocPath, isPathProblem, parsePath } from "../../mirror/path.ts";
import { StoreError } from "../../store/store.ts";
import { levelIncludes } from "../../workspace/access/rights.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { breather } from "../base/breath.ts";
import { includes, joined, sizeOf, type Vector } from "../base/vector.ts";
import { type Carrier, CarrierError } from "../carrier/carrier.ts";
import type { Sealer } from "../members/sealer.ts";
import type { DocumentItem, Sender, Source } from "../messages/message.ts";
import { deniedPath } from "../messages/rights.ts";
import type { Applier } from "../receiving/apply.ts";
import { hasAll, hasSoundly, type Lacking, missingOf } from "../receiving/missing.ts";
import { NotNow } from "../receiving/not-now.ts";
import type { Patience } from "../receiving/patience.ts";
import type { Places } from "../receiving/places.ts";
import { RETRY_MS, setAside } from "../receiving/set-aside.ts";
import { decodeHead, documentsIn, filesIn, type SnapshotEntry } from "../snapshots/read-snapshot.ts";
import {
  digestOf,
  headName,
  type NameOnly,
  partName,
  partNames,
  type SnapshotDocument,
  type SnapshotFile,
  type SnapshotHead,
} from "../snapshots/snapshot.ts";
import { type LinkState, withAll } from "../state/link-state.ts";

/** The documents of a snapshot that are taken in at the same time. */
const AT_ONCE = 32;

/** The error for a missing or unreadable part of a snapshot. Another machine may just have stored a newer snapshot. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
}

/** Returns true for an error that a second attempt to take in a snapshot may not have. */
export function isPassing(error: unknown): error is Error {
  return [CarrierError, SnapshotError, NotNow, StoreError].some((passing) => error instanceof passing);
}

/** Returns true for a machine whose snapshots others take in: they apply nothing that it may not write (M10). */
export function maySnapshot(sealer: Sealer, machine: string): boolean {
  return levelIncludes(sealer.levelOf(machine), "write");
}

/** Reads snapshots from a carrier. */
export class SnapshotReader {
  readonly #carrier: Carrier;
  readonly #sealer: Sealer;

  constructor(carrier: Carrier, sealer: Sealer) {
    this.#carrier = carrier;
    this.#sealer = sealer;
  }

  /**
   * Returns the head of the newest snapshot that contains some messages, of which the carrier has all parts, and that is
   * `wanted`; undefined if there is none. Those of machines that may change everything go first: of another one's, documents are left out. Then
   * go those of machines that lack nothing. A head that is refused, such as that of a removed machine, hides no other. @throws CarrierError, SnapshotError if all
   * are refused
   */
  async head(
    messages: Vector = {},
    wanted: (head: SnapshotHead) => boolean = () => true,
  ): Promise<SnapshotHead | undefined> {
    const names = new Set(await this.#carrier.names());
    const found = [...names].filter((name) => name.startsWith(headName("")));
    const heads: SnapshotHead[] = [];
    let refusal: SnapshotError | undefined;
    for (const name of found) {
      const machine = name.slice(headName("").length);
      const bytes = await this.#open(machine, name).catch((error: unknown) => {
        if (!(error instanceof SnapshotError)) throw error;
        refusal = error;
      });
      const head = bytes && decodeHead(bytes);
      const isWhole =
        head?.machine === machine &&
        head.documentParts + head.fileParts < names.size &&
        partNames(head).every((part) => names.has(part));
      if (isWhole && maySnapshot(this.#sealer, machine) && includes(head.vector, messages)) heads.push(head);
    }
    if (heads.length === 0 && refusal !== undefined) throw refusal;
    const isFull = ({ machine }: SnapshotHead) => Number(this.#sealer.mayWriteAll(machine));
    const hasAll = ({ isPartial = false }: SnapshotHead) => Number(!isPartial);
    return heads
      .filter(wanted)
      .toSorted(
        (a, b) => isFull(b) - isFull(a) || hasAll(b) - hasAll(a) || sizeOf(b.vector) - sizeOf(a.vector),
      )[0];
  }

  /** Returns the documents, part by part. @throws CarrierError, SnapshotError */
  async *documents(head: SnapshotHead): AsyncIterable<readonly SnapshotEntry[]> {
    for (let part = 0; part < head.documentParts; part++) {
      const documents = documentsIn(await this.#part(head, part));
      if (documents === undefined) throw new SnapshotError("a part of the snapshot is not readable");
      yield documents;
    }
  }

  /** Returns the hashes of a snapshot's files, by their paths. @throws CarrierError, SnapshotError */
  async hashes(head: SnapshotHead): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for await (const files of this.files(head)) for (const { path, sha256 } of files) found.set(path, sha256);
    return found;
  }

  /**
   * Returns the files that no document has, part by part: those that the snapshot's machine may change, and this one may
   * read (M10). @throws CarrierError, SnapshotError
   */
  async *files(head: SnapshotHead): AsyncIterable<readonly SnapshotFile[]> {
    for (let part = head.documentParts; part < head.documentParts + head.fileParts; part++) {
      const files = filesIn(await this.#part(head, part));
      if (files === undefined) throw new SnapshotError("a part of the snapshot is not readable");
      yield files.filter(({ path }) => this.#isFor(head.machine, path as DocPath));
    }
  }

  #isFor(from: string, path: DocPath): boolean {
    return this.#sealer.mayWrite(from, path) && this.#sealer.mayRead(this.#sealer.machine, path);
  }

  async #part({ machine, id, digests }: SnapshotHead, part: number): Promise<Uint8Array> {
    const bytes = await this.#open(machine, partName(id, part));
    if (bytes === undefined) throw new SnapshotError("a part of the snapshot is missing");
    if (digests !== undefined && !digestOf(bytes).equals(digests[part] ?? Buffer.of()))
      throw new SnapshotError("a part of the snapshot is another one than its machine stored");
    return bytes;
  }

  async #open(machine: string, name: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#carrier.get(name);
    const payload = bytes && this.#sealer.open(machine, 0, bytes);
    if (payload === undefined) return undefined;
    if ("refused" in payload) throw new SnapshotError(`the snapshot is refused: ${payload.refused}`);
    return payload;
  }
}

interface Taking {
  readonly workspace: Workspace;
  readonly state: LinkState;
  readonly applier: Applier;
  readonly places: Places;
  readonly sealer: Sealer;
  readonly patience: Patience;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
}

/**
 * Takes in all documents of a snapshot, on a machine that joins. A machine that was away for too long also does so,
 * because the others have dropped messages that it lacks (M6). It sets a document with a defect aside, so that this one
 * stops no other (I14), as it does with an entry that it cannot read. Returns true unless there was any. @throws
 * CarrierError, SnapshotError, NotNow, StoreError
 */
export async function takeSnapshot(
  taking: Taking,
  reader: SnapshotReader,
  head: SnapshotHead,
): Promise<boolean> {
  const { workspace, state, applier, places, sealer } = taking;
  const { report } = workspace.ports;
  const number = head.vector[head.machine] ?? 0;
  const source = { machine: head.machine, number, after: head.vector };
  const defects = new Map<string, string>();
  const missing = new Map<string, Lacking>();
  const note = (only: NameOnly, lacked?: Vector) => {
    const lacks = missingOf(taking, only, head, lacked);
    if (lacks !== undefined) missing.set(only.id, lacks);
  };
  const breathe = breather(workspace.ports.clock);
  for await (const documents of reader.documents(head)) {
    // Documents that are taken in at the same time share the store's flushes.
    const left = documents.filter((entry) => !("item" in entry)).values();
    const one = async () => {
      for (const entry of left) {
        if ("document" in entry) {
          const defect = await defectIn(taking, entry, source, head);
          if (defect !== undefined) defects.set(know(taking, entry), defect);
          else if (entry.lacks === true) note(nameOf(entry.document), entry.lacked);
        } else if ("unreadable" in entry) defects.set(entry.id, entry.unreadable);
        else if ("gone" in entry) knowGone(taking, entry.gone);
        else if ("missing" in entry) note(entry.missing);
        await breathe();
      }
    };
    const done = await Promise.allSettled(Array.from({ length: AT_ONCE }, one));
    for (const each of done) if (each.status === "rejected") throw each.reason;
    await applier.durable();
    // A record is valid only once its documents are known.
    for (const entry of documents)
      if ("item" in entry) {
        const reason = await defectOf(taking, source, () => applier.record(entry.item, source, entry.born));
        const machine = sealer.nameOf(source.machine);
        if (reason !== undefined) report("link.defect", { machine, doc: entry.item.id, reason });
      }
  }
  state.saw({ lamport: head.lamport, machine: head.machine });
  const { [sealer.machine]: _own, ...others } = head.vector;
  const { [sealer.machine]: _ofOwn, ...lacks } = head.lacks ?? {};
  const lacksSome = Object.keys(lacks).length > 0 && !hasSoundly(state, lacks);
  state.stand({ received: joined(state.standing.received, others) });
  state.caughtUp(head.vector);
  if (lacksSome) state.lacksUnknown(lacks);
  for (const [doc, reason] of defects) setAside({ state, places }, doc, source, reason);
  for (const [doc, { messages, reason }] of missing)
    for (const [machine, number] of Object.entries(messages)) state.lacks(doc, machine, number, reason);
  // One report each: a snapshot may have very many of them.
  const [[defect], [lack]] = [[...defects], [...missing]];
  const machine = sealer.nameOf(source.machine);
  if (defect !== undefined)
    report("link.defect", { machine, doc: defect[0], reason: defect[1], items: defects.size });
  if (lack !== undefined) report("link.lacks", { doc: lack[0], reason: lack[1].reason, items: missing.size });
  await state.save();
  return defects.size + missing.size === 0 && !lacksSome;
}

/** Takes in a document; returns what keeps it, or a part of it, from coming. @throws as `defectOf` */
async function defectIn(
  taking: Taking,
  entry: SnapshotDocument,
  source: Source,
  head: SnapshotHead,
): Promise<string | undefined> {
  const { document, defect } = entry;
  const denied = deniedIn(taking, entry, source);
  if (denied !== undefined) return hasAll(taking, document.doc, head) ? undefined : denied;
  return (await defectOf(taking, source, () => taking.applier.adopt(entry, source))) ?? defect;
}

/** Returns the defect that some attempts at work have met. @throws CarrierError, SnapshotError, NotNow, StoreError */
async function defectOf(
  { workspace, patience, signal }: Taking,
  { machine }: Sender,
  work: () => Promise<void>,
): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (isPassing(error) || signal.aborted) throw error;
      if (tries >= patience.triesFor(machine)) {
        patience.failed(machine);
        return String(error);
      }
      await workspace.ports.clock.sleep(RETRY_MS, signal);
    }
  }
}

/** Returns why a document is left out that the snapshot's machine may not change; another snapshot may bring it. */
function deniedIn(
  taking: Taking,
  { document: { doc, name } }: SnapshotDocument,
  source: Source,
): string | undefined {
  const path = deniedPath(taking, doc, name.path, source);
  const machine = taking.sealer.nameOf(source.machine);
  return path && `the snapshot is of ${machine}, which may not change ${path}`;
}

/** Notes the name of a document that could not be taken in, unless a file here has that name; returns its id. */
function know({ state, workspace }: Taking, { document, last }: SnapshotDocument): string {
  const { doc: id, born, name, snapshot } = document;
  if (workspace.ports.store.documentAt(name.path) !== undefined) return id;
  const sent = workspace.ports.store.snapshot(id) === undefined ? snapshot.seq : 0;
  if (state.document(id) === undefined)
    state.set(withAll({ id, born, name, sent, last: {} }, last, snapshot.seq));
  return id;
}

/** Notes the name of a deleted document of which the snapshot has nothing else. */
function knowGone({ state, workspace }: Taking, { id, born, stamp, path: given }: NameOnly): void {
  if (state.document(id) !== undefined || workspace.ports.store.document(id) !== undefined) return;
  const path = parsePath(given);
  if (isPathProblem(path)) return;
  state.set({ id, born, name: { path, isDeleted: true, stamp }, sent: 0, last: {} });
}

function nameOf({ doc: id, born, name: { path, stamp } }: DocumentItem): NameOnly {
  return { id, born, stamp, path };
}
