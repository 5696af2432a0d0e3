import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
} from "@nats-io/jetstream";
import { type ObjectStore, Objm } from "@nats-io/obj";
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

  /** Returns an object; undefined when there is none, or when the broker lost a part of it. */
  async get(name: string): Promise<Uint8Array | undefined> {
    const store = await this.#existing();
    const info = await store?.info(name);
    if (store === undefined || !info || info.deleted) return undefined;
    const filter = `$O.${this.#bucket}.C.${info.nuid}`;
    const { state } = await this.#manager.streams.info(`OBJ_${this.#bucket}`, { subjects_filter: filter });
    if ((state.subjects?.[filter] ?? 0) !== info.chunks) return undefined;
    const stored = await store.get(name);
    return stored === null ? undefined : wholeOf(stored.data, name);
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

/** Reads an object's parts. The package waits for ever for a part that another machine removed meanwhile. */
async function wholeOf(data: ReadableStream<Uint8Array>, name: string): Promise<Uint8Array> {
  const reader = data.getReader();
  const parts: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = await within(PART_MS, reader.read(), name);
      if (done) return Buffer.concat(parts);
      parts.push(value);
    }
  } finally {
    void reader.cancel().catch(() => undefined); // the read above reported an error
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
