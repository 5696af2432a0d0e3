import { DisconnectedError } from "../client/calls.ts";
import type { Client } from "../client/client.ts";
import {
  type Method,
  methods,
  type Notification,
  type NotificationParams,
  type Params,
  type Result,
} from "../protocol/schemas.ts";
import type { Caller } from "./caller.ts";

type Request = Exclude<Method, "hello">;

/**
 * A caller whose daemon may go away: the next request connects anew. A request that was under way then is
 * repeated when that cannot do it twice (it only reads, or bears an `opId`). What was subscribed to is
 * subscribed to again, and told of as `resync`: changes to it may have been missed.
 */
export class Link implements Caller {
  readonly #connect: () => Promise<Client>;
  readonly #listeners: { kind: Notification; listener: (params: never) => void }[] = [];
  readonly #targets = new Map<string, Params<"subscribe">>();
  #client: Promise<Client> | undefined;
  #connectedOnce = false;

  /** `connect` finds or starts a daemon, within a time of its own. */
  constructor(connect: () => Promise<Client>) {
    this.#connect = connect;
  }

  async request<M extends Request>(method: M, params: Params<M>): Promise<Result<M>> {
    try {
      return await this.#send(method, params);
    } catch (error) {
      if (!(error instanceof DisconnectedError) || !isRepeatable(method, params)) throw error;
      return this.#send(method, params);
    }
  }

  on<N extends Notification>(kind: N, listener: (params: NotificationParams<N>) => void): () => void {
    const entry = { kind, listener: listener as (params: never) => void };
    this.#listeners.push(entry);
    return () => this.#listeners.splice(this.#listeners.indexOf(entry), 1);
  }

  close(): void {
    void this.#client?.then((client) => client.close()).catch(() => undefined);
  }

  /** Connects, where it is not connected. */
  async ready(): Promise<void> {
    await this.#connected();
  }

  async #send<M extends Request>(method: M, params: Params<M>): Promise<Result<M>> {
    const connection = this.#connected();
    const client = await connection;
    const result = await client.request(method, params).catch((error: unknown) => {
      // A connection is of no more use before its end is told of.
      if (error instanceof DisconnectedError && this.#client === connection) this.#client = undefined;
      throw error;
    });
    if (method === "subscribe") this.#targets.set(keyOf(params), params as Params<"subscribe">);
    if (method === "unsubscribe") this.#targets.delete(keyOf(params));
    return result;
  }

  #connected(): Promise<Client> {
    if (this.#client === undefined) {
      const connecting = this.#begin();
      this.#client = connecting;
      const over = () => {
        if (this.#client === connecting) this.#client = undefined;
      };
      connecting.then((client) => client.closed.then(over), over);
    }
    return this.#client;
  }

  async #begin(): Promise<Client> {
    const client = await this.#connect();
    for (const kind of KINDS) client.on(kind, (params) => this.#tell(kind, params));
    client.on("doc.renamed", ({ path, to }) => {
      if (this.#targets.delete(keyOf({ path }))) this.#targets.set(keyOf({ path: to }), { path: to });
    });
    const again = this.#connectedOnce;
    this.#connectedOnce = true;
    if (!again) return client;
    const paths: string[] = [];
    for (const target of this.#targets.values()) {
      // A document that is gone by now is told of as missed, like all others.
      await client.request("subscribe", target).catch(() => undefined);
      if ("path" in target) paths.push(target.path);
    }
    this.#tell("resync", { paths });
    return client;
  }

  #tell<N extends Notification>(kind: N, params: NotificationParams<N>): void {
    for (const entry of this.#listeners)
      if (entry.kind === kind) (entry.listener as (params: NotificationParams<N>) => void)(params);
  }
}

const KINDS = ["doc.changed", "doc.created", "doc.deleted", "doc.renamed", "resync"] as const;

function keyOf(target: object): string {
  return JSON.stringify(target);
}

function isRepeatable(method: Method, params: object): boolean {
  const { level } = methods[method];
  return "opId" in params || level === "none" || level === "read";
}
