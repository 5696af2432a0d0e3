import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
} from "@nats-io/jetstream";
import { type ObjectStore, Objm } from "@nats-io/obj";
import { MOST_ENVELOPE } from "../members/seal.ts";
import { CarrierError } from "./carrier.ts";

/** The longest wait for the next part of an object, in milliseconds. */
const PART_MS = 10_000;

/** The large objects of a workspace in a bucket. Errors are those of the client's packages. */
export class NatsObjects {
  readonly #manager: JetStreamManager;
  readonly #client: JetStreamClient;
  readonly #bucket: string;

  constructor(manager: JetStreamManager, client: JetStreamClient, workspace: string) {
    this.#manager = manager;
    this.#client = client;
    this.#bucket = `sp_${workspace}_snap`;
  }

  /** Creates the bucket if it is missing. */
  async ensure(): Promise<void> {
    await new Objm(this.#client).create(this.#bucket);
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await (await new Objm(this.#client).create(this.#bucket)).putBlob({ name }, bytes);
  }

  /**
   * Returns an object; undefined when there is none, when the broker lost a part of it, or when it is larger than anything
   * that a machine seals. It may be another one than somebody stored.
   */
  async get(name: string): Promise<Uint8Array | undefined> {
    const store = await this.#existing();
    const info = await store?.info(name);
    if (store === undefined || !info || info.deleted) return undefined;
    const filter = `$O.${this.#bucket}.C.${info.nuid}`;
    const { state } = await this.#manager.streams.info(`OBJ_${this.#bucket}`, { subjects_filter: filter });
    if ((state.subjects?.[filter] ?? 0) !== info.chunks) return undefined;
    return info.chunks === 0 ? new Uint8Array() : this.#whole(filter, name);
  }

  /**
   * Reads an object's parts, without the package's checks: their errors would look like those of the connection, and the
   * seal proves more. Ends at a part that makes the object too large: the broker's own word about the size is no proof.
   */
  async #whole(filter: string, name: string): Promise<Uint8Array | undefined> {
    const stream = `OBJ_${this.#bucket}`;
    const consumer = await this.#client.consumers.getPushConsumer(stream, { filter_subjects: filter });
    const messages = await consumer.consume();
    const next = messages[Symbol.asyncIterator]();
    const parts: Uint8Array[] = [];
    try {
      for (let bytes = 0; bytes <= MOST_ENVELOPE; bytes += parts.at(-1)!.length) {
        // Another machine may remove the object meanwhile; then no part comes any more.
        const { done, value } = await within(PART_MS, next.next(), name);
        if (done) return undefined;
        parts.push(value.data);
        if (value.info.pending === 0) return Buffer.concat(parts);
      }
      return undefined;
    } finally {
      messages.stop();
    }
  }

  async names(): Promise<string[]> {
    const stored = await (await this.#existing())?.list();
    return (stored ?? []).map(({ name }) => name);
  }

  async remove(name: string): Promise<void> {
    const store = await this.#existing();
    const info = await store?.info(name);
    if (info && !info.deleted) await store?.delete(name);
  }

  async #existing(): Promise<ObjectStore | undefined> {
    try {
      return await new Objm(this.#client).open(this.#bucket);
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)
        return undefined;
      throw error;
    }
  }
}

async function within<T>(ms: number, work: Promise<T>, name: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new CarrierError("away", `NATS: the next part of ${name} does not come`);
    timer = setTimeout(() => reject(error), ms);
    timer.unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
