import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import type { WebSocket } from "ws";
import { messageYjsSyncStep1, messageYjsSyncStep2, messageYjsUpdate } from "y-protocols/sync";
import * as Y from "yjs";
import type { Scope } from "../scope.ts";
import { openSocket } from "../wire.ts";
import { startPeer } from "./connect.ts";

/** The kinds of Hocuspocus's messages. */
const SYNC = 0;
const AUTH = 2;
const SYNC_REPLY = 4;
const TOKEN = 0;

/** A running Hocuspocus. */
export interface Hocuspocus {
  readonly pid: number;
  open(document: string): Promise<HocuspocusClient>;
}

/** Starts Hocuspocus in a process of its own. It stores nothing. */
export async function startHocuspocus(scope: Scope): Promise<Hocuspocus> {
  const { pid, url } = await startPeer(scope, "hocuspocus-server.js");
  return {
    pid,
    async open(document) {
      const client = new HocuspocusClient(await openSocket(url), document);
      scope.defer(() => client.close());
      await client.synced;
      return client;
    },
  };
}

/** A plain Yjs client of Hocuspocus, which keeps the text. */
export class HocuspocusClient {
  /** Resolves once the client has the server's text. */
  readonly synced: Promise<void>;
  /** The caller sets this function, which receives the writer's id of each update, once the text contains it. */
  updated: (writer: number) => void = () => undefined;
  readonly #doc = new Y.Doc();
  readonly #ws: WebSocket;
  readonly #document: string;

  constructor(ws: WebSocket, document: string) {
    this.#ws = ws;
    this.#document = document;
    this.synced = new Promise((done) => {
      ws.on("message", (data: Buffer) => this.#received(data, done));
    });
    this.#send(AUTH, (encoder) => {
      encoding.writeVarUint(encoder, TOKEN);
      encoding.writeVarString(encoder, "bench");
    });
    this.#sync(messageYjsSyncStep1, Y.encodeStateVector(this.#doc));
    this.#doc.on("update", (update: Uint8Array, from: unknown) => {
      if (from !== this) this.#sync(messageYjsUpdate, update);
    });
  }

  get id(): number {
    return this.#doc.clientID;
  }

  get text(): string {
    return this.#doc.getText("content").toString();
  }

  insert(at: number, text: string): void {
    this.#doc.getText("content").insert(at, text);
  }

  close(): void {
    this.#ws.terminate();
  }

  #received(data: Buffer, synced: () => void): void {
    const decoder = decoding.createDecoder(data);
    decoding.readVarString(decoder);
    const kind = decoding.readVarUint(decoder);
    if (kind !== SYNC && kind !== SYNC_REPLY) return;
    const step = decoding.readVarUint(decoder);
    const bytes = decoding.readVarUint8Array(decoder);
    if (step === messageYjsSyncStep1) {
      this.#sync(messageYjsSyncStep2, Y.encodeStateAsUpdate(this.#doc, bytes));
      return;
    }
    Y.applyUpdate(this.#doc, bytes, this);
    if (step === messageYjsUpdate) this.updated(writerOf(bytes));
    else synced();
  }

  #sync(step: number, bytes: Uint8Array): void {
    this.#send(SYNC, (encoder) => {
      encoding.writeVarUint(encoder, step);
      encoding.writeVarUint8Array(encoder, bytes);
    });
  }

  #send(kind: number, write: (encoder: encoding.Encoder) => void): void {
    const encoder = encoding.createEncoder();
    encoding.writeVarString(encoder, this.#document);
    encoding.writeVarUint(encoder, kind);
    write(encoder);
    this.#ws.send(encoding.toUint8Array(encoder));
  }
}

/** Returns the id of the client whose first item an update contains. */
function writerOf(update: Uint8Array): number {
  const decoder = decoding.createDecoder(update);
  decoding.readVarUint(decoder); // the number of writers
  decoding.readVarUint(decoder); // the number of the first writer's items
  return decoding.readVarUint(decoder);
}
