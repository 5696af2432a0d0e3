import { deflateRawSync } from "node:zlib";
import type { Shelved } from "../../store/shelf.ts";
import {
  type CommonVersion,
  commonVersion,
  commonVersionOf,
  localVersionOf,
  MOST_GIVEN_CHARS,
} from "../document/common-version.ts";
import type { About, GivenRecord, SharedRecords, Telling } from "../document/shared-records.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal } from "../outcome/refusal.ts";
import { digestText } from "../versions/digest.ts";
import {
  type CheckpointDocument,
  type CheckpointRecord,
  checkpointShelf,
  idOf,
  keptShelf,
  keptText,
} from "./checkpoint-record.ts";

/** A checkpoint as all machines know it. */
export interface GivenCheckpoint extends GivenRecord, Pick<CheckpointRecord, "name" | "time" | "author"> {
  readonly files?: number | undefined;
  readonly documents: readonly {
    readonly docId: string;
    readonly path: string;
    readonly base: CommonVersion;
  }[];
}

/**
 * The checkpoints that machines share. The names of the machines distinguish checkpoints that several machines gave one
 * name.
 */
export class SharedCheckpoints implements SharedRecords {
  readonly kind = "checkpoint";
  readonly #workspace: Workspace;
  readonly #byName: KeyedQueue<string>;
  readonly #listeners = new Set<(id: string) => void>();

  constructor(workspace: Workspace, byName: KeyedQueue<string>) {
    this.#workspace = workspace;
    this.#byName = byName;
  }

  /** Notes that a checkpoint was made here. */
  made(name: string): void {
    const record = this.#workspace.ports.store.shelved(checkpointShelf, name);
    if (record !== undefined) for (const listener of this.#listeners) listener(idOf(record));
  }

  *ids(): Iterable<string> {
    for (const record of this.#workspace.ports.store.shelf(checkpointShelf)) yield idOf(record);
  }

  facts(id: string): object | undefined {
    return this.#find(id) && {};
  }

  about(id: string): About | undefined {
    const record = this.#find(id);
    return record && { docs: record.documents.map(({ docId }) => docId), places: [] };
  }

  async give(id: string): Promise<GivenCheckpoint | undefined> {
    const record = this.#find(id);
    if (record === undefined) return undefined;
    const { name, given = name, time, author, files, machine } = record;
    const documents: GivenCheckpoint["documents"][number][] = [];
    let chars = 0;
    for (const { docId, path, ...at } of record.documents) {
      const base = await this.#baseOf(docId, at, chars < MOST_GIVEN_CHARS);
      chars += base.text?.length ?? 0;
      documents.push({ docId, path, base });
    }
    const made = { name: given, time, author, ...(machine !== undefined && { machine }) };
    const docs = documents.map(({ docId }) => docId);
    return { docs, places: [], ...made, ...(files !== undefined && { files }), documents };
  }

  async take(id: string, given: GivenCheckpoint | null, telling: Telling): Promise<void> {
    if (given !== null) await this.#byName.run([given.name], () => this.#take(id, given, telling));
  }

  async #take(id: string, given: GivenCheckpoint, telling: Telling): Promise<void> {
    const { store } = this.#workspace.ports;
    if (this.#find(id) !== undefined) return telling.store({});
    const documents: CheckpointDocument[] = [];
    const kept = new Map<string, Uint8Array>();
    for (const { docId, path, base } of given.documents) {
      const document = await this.#workspace.openedById(docId);
      if (document === undefined || isRefusal(document)) continue;
      const local = localVersionOf(document, store, base);
      if (local === undefined) continue;
      const { version, isSame } = local;
      const text = isSame ? undefined : base.text;
      if (text === undefined) documents.push({ docId, path, version });
      else {
        const hash = base.sha256 ?? digestText(text);
        kept.set(hash, deflateRawSync(text));
        documents.push({ docId, path, version, kept: hash });
      }
    }
    const { name, time, author, files, machine = telling.machine } = given;
    const mine: CheckpointRecord = {
      id,
      name,
      time,
      author,
      documents,
      machine,
      ...(files !== undefined && { files }),
    };
    const there = store.shelved(checkpointShelf, name);
    const records: Shelved[] = [...kept].map(([hash, deflated]) => ({
      shelf: keptShelf,
      id: hash,
      record: { deflated },
    }));
    // The checkpoint with the smaller id has the name, so that all machines name both alike.
    const loser = there === undefined ? undefined : idOf(there) < id ? mine : there;
    if (loser !== mine) records.push(shelvedAs(mine));
    if (loser !== undefined) records.push(shelvedAs(this.#renamed(loser, telling.self)));
    await telling.store({}, ...records);
  }

  listen(changed: (id: string) => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  async #baseOf(
    docId: string,
    { version, kept }: Pick<CheckpointDocument, "version" | "kept">,
    isRoom: boolean,
  ): Promise<CommonVersion> {
    const { store } = this.#workspace.ports;
    const common = commonVersion(store, docId, version);
    if (kept !== undefined)
      return { change: common.change, sha256: kept, ...(isRoom && keptText(store, kept)) };
    // Every machine has the first text of a document in its history.
    if (!isRoom || store.change(docId, 0)?.id === common.change) return common;
    const document = await this.#workspace.openedById(docId);
    return document === undefined || isRefusal(document) ? common : commonVersionOf(store, document, version);
  }

  /** Returns a checkpoint under another name, which contains the machine where it was made. */
  #renamed(record: CheckpointRecord, self: string): CheckpointRecord {
    const { store } = this.#workspace.ports;
    const { name: given, machine = self } = record;
    const told = `${given} (${machine})`;
    const isTaken = store.shelved(checkpointShelf, told) !== undefined;
    return { ...record, given, name: isTaken ? `${told} ${idOf(record).slice(-4)}` : told };
  }

  #find(id: string): CheckpointRecord | undefined {
    for (const record of this.#workspace.ports.store.shelf(checkpointShelf))
      if (idOf(record) === id) return record;
    return undefined;
  }
}

function shelvedAs(record: CheckpointRecord): Shelved {
  return { shelf: checkpointShelf, id: record.name, record };
}
