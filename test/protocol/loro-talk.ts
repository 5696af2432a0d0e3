import { LoroDoc, type VersionVector } from "loro-crdt";
import { CrdtType, decode, encode, type HexString, MessageType, type ProtocolMessage } from "loro-protocol";
import { expect, onTestFinished } from "vitest";
import { type LoroConnection, LoroConversation } from "../../src/protocol/loro/conversation.ts";
import { Rooms } from "../../src/protocol/loro/rooms.ts";
import type { Holder } from "../../src/protocol/service/service.ts";
import { FULL_RIGHTS, type Role } from "../../src/workspace/access/rights.ts";
import { DirectExamination } from "../helpers/direct-examination.ts";
import type { Bench } from "../workspace/harness.ts";
import { Talk } from "./talk.ts";

const OWNER: Holder = { name: "owner", rights: FULL_RIGHTS };

const shared = new WeakMap<object, Rooms>();

/** The rooms of a workspace; its conversations share them, as in the daemon. */
function roomsOf({ workspace }: Bench): Rooms {
  const known = shared.get(workspace) ?? new Rooms(workspace, new DirectExamination());
  shared.set(workspace, known);
  return known;
}

/** A conversation and its sent messages; the test controls the client's buffer. */
export class LoroTalk {
  readonly sent: ProtocolMessage[] = [];
  readonly said: string[] = [];
  readonly conversation: LoroConversation;
  readonly closed: number[] = [];
  buffered = 0;
  held = false;
  #batches = 0;

  constructor(bench: Bench, holder: Holder = OWNER, role: Role = "agent") {
    const talk = this;
    const connection: LoroConnection = {
      send: (message) => {
        if (typeof message === "string") this.said.push(message);
        else this.sent.push(decode(message));
      },
      get buffered() {
        return talk.buffered;
      },
      hold: (held) => {
        this.held = held;
      },
      close: (code) => void this.closed.push(code),
    };
    const { service } = new Talk(bench);
    this.conversation = new LoroConversation(service, roomsOf(bench), holder, connection, role);
    onTestFinished(() => this.conversation.close());
  }

  send(message: ProtocolMessage): void {
    this.conversation.receive(encode(message));
  }

  /** Returns the next message of a type. */
  async next<T extends ProtocolMessage["type"]>(
    type: T,
    asking: () => void,
  ): Promise<Extract<ProtocolMessage, { type: T }>> {
    const from = this.sent.length;
    asking();
    const find = () => this.sent.slice(from).find((message) => message.type === type);
    await expect.poll(find, { interval: 2, timeout: 15_000 }).toBeTruthy();
    return find() as Extract<ProtocolMessage, { type: T }>;
  }

  /** Joins as the client of a document, which then contains the sent updates. */
  async join(roomId: string, doc = new LoroDoc(), name = ""): Promise<LoroDoc> {
    const from = this.sent.length;
    await this.next(MessageType.JoinResponseOk, () => this.ask(roomId, doc.version().encode(), name));
    this.catchUp(doc, from);
    return doc;
  }

  ask(
    roomId: string,
    version: Uint8Array = new Uint8Array(),
    name = "",
    crdt: CrdtType = CrdtType.Loro,
  ): void {
    const auth = new TextEncoder().encode(name);
    this.send({ type: MessageType.JoinRequest, crdt, roomId, auth, version });
  }

  /** Imports the updates sent since a message. */
  catchUp(doc: LoroDoc, from = 0): void {
    for (const message of this.sent.slice(from))
      if (message.type === MessageType.DocUpdate && message.crdt === CrdtType.Loro)
        doc.importBatch(message.updates);
  }

  /** Sends an update; returns the status of its acknowledgement. */
  async update(roomId: string, ...updates: Uint8Array[]): Promise<number> {
    const batchId = this.newBatchId();
    const message = { type: MessageType.DocUpdate, crdt: CrdtType.Loro, roomId, updates, batchId } as const;
    return (await this.next(MessageType.Ack, () => this.send(message))).status;
  }

  newBatchId(): HexString {
    return `0x${(++this.#batches).toString(16).padStart(16, "0")}`;
  }
}

/** Changes a document's text and returns the update to send. */
export function editOf(doc: LoroDoc, change: (doc: LoroDoc) => void): Uint8Array {
  const from: VersionVector = doc.version();
  change(doc);
  doc.commit();
  return doc.export({ mode: "update", from });
}

export function insertion(doc: LoroDoc, at: number, text: string): Uint8Array {
  return editOf(doc, () => doc.getText("content").insert(at, text));
}
