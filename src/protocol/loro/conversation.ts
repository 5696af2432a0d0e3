import {
  CrdtType,
  type DocUpdate,
  decode,
  type JoinRequest,
  MessageType,
  type ProtocolMessage,
  RoomErrorCode,
  UpdateStatusCode,
} from "loro-protocol";
import type { Actor } from "../../workspace/access/actor.ts";
import type { Rights, Role } from "../../workspace/access/rights.ts";
import type { WorkspaceEvent } from "../../workspace/events/events.ts";
import { KeyedQueue } from "../../workspace/keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import { safeName } from "../base/names.ts";
import type { Holder, Service } from "../service/service.ts";
import { Fragments } from "./fragments.ts";
import { MessageLoad } from "./message-load.ts";
import { PresenceRoom } from "./presence-room.ts";
import type { RoomConnection, RoomPart } from "./room-connection.ts";
import type { Rooms } from "./rooms.ts";
import { TextRoom } from "./text-room.ts";
import { ack, joinError, type Room, roomError } from "./wire.ts";

/** The wire of a conversation. */
export interface LoroConnection {
  send(message: Uint8Array | string): void;
  /** Number of bytes that the client has not received yet. */
  readonly buffered: number;
  /** Stops or resumes the arrival of messages. */
  hold(held: boolean): void;
  close(code: number, reason: string): void;
}

const PROTOCOL_ERROR = 1002;
/** A client with more unsent bytes has fallen behind. */
const LAGGING_BYTES = 8 << 20;
/** The queue key that makes joins wait for one another; it is no name of a room. */
const JOINING = "joining";
const MOST_ROOMS = 100;
/** The kinds of rooms, by the CRDT types of the Loro protocol. */
const KINDS = new Map<CrdtType, typeof TextRoom | typeof PresenceRoom>([
  [CrdtType.Loro, TextRoom],
  [CrdtType.LoroEphemeralStore, PresenceRoom],
]);

/**
 * Owns the state of one Loro client's connection: its rooms and the messages under way. Does no I/O: messages
 * arrive through `receive` and leave through the connection. Messages about one room are processed in their
 * order.
 */
export class LoroConversation {
  readonly id: string;
  readonly #service: Service;
  readonly #rooms: Rooms;
  readonly #token: string;
  readonly #rights: Rights;
  readonly #connection: LoroConnection;
  readonly #roomConnection: RoomConnection;
  readonly #joined = new Map<string, RoomPart>();
  /** Rooms that the client must join again, with the reasons. */
  readonly #mustRejoin = new Map<Room, string>();
  readonly #queue = new KeyedQueue<string>();
  /** The functions to call once the client has caught up. */
  readonly #whenCaughtUp: (() => void)[] = [];
  readonly #fragments: Fragments;
  readonly #load: MessageLoad;
  readonly #unlisten: () => void;
  #closed = false;

  constructor(
    service: Service,
    rooms: Rooms,
    holder: Holder,
    connection: LoroConnection,
    role: Role = "agent",
  ) {
    const { workspace, log } = service;
    this.id = workspace.newId("ses");
    this.#service = service;
    this.#rooms = rooms;
    this.#token = holder.name;
    this.#rights = service.agents.rightsIn(role, holder.rights);
    this.#connection = connection;
    const isLagging = () => connection.buffered > LAGGING_BYTES;
    this.#load = new MessageLoad(workspace.limits.maxFileBytes, {
      get lagging() {
        return isLagging();
      },
      hold: (held) => connection.hold(held),
    });
    this.#roomConnection = {
      session: this.id,
      send: (message) => this.#send(message),
      get lagging() {
        return isLagging();
      },
      rejoin: (room, why) => {
        this.#mustRejoin.set(room, why);
        this.drained();
      },
      arrived: (actor, document) => void service.presences.set(this.id, actor, document, undefined),
      left: (path) => service.presences.leave(this.id, path),
      newBatchId: () => `0x${Buffer.from(workspace.ports.random(8)).toString("hex")}`,
      log: (event, details) => log("warn", event, { session: this.id, token: holder.name, ...details }),
    };
    const refuse = (room: Room, ...refused: BatchRefused) => this.#send(ack(room, ...refused));
    this.#fragments = new Fragments(workspace.limits.maxFileBytes * 2, refuse);
    service.presences.begin(this.id);
    this.#unlisten = workspace.listen((event) => this.#evictMoved(event));
  }

  /** Receives one message; a text is only a sign of life. */
  receive(message: Uint8Array | string): void {
    if (this.#closed) return;
    if (typeof message === "string") {
      if (message === "ping") this.#connection.send("pong");
      return;
    }
    const read = readMessage(message);
    if (typeof read === "string") this.#connection.close(PROTOCOL_ERROR, read);
    else this.#process(read);
  }

  /** Reports that the client has received some of the sent bytes. */
  drained(): void {
    this.#load.update();
    if (this.#roomConnection.lagging) return;
    for (const go of this.#whenCaughtUp.splice(0)) go();
    for (const [room, why] of this.#mustRejoin)
      this.#send(roomError(room, RoomErrorCode.RejoinSuggested, `${why}; join again`));
    this.#mustRejoin.clear();
  }

  /** Ends the conversation, because its connection ended or must end. Updates under way are still applied. */
  close(): void {
    this.#closed = true;
    for (const go of this.#whenCaughtUp.splice(0)) go();
    this.#unlisten();
    this.#fragments.close();
    for (const room of this.#joined.values()) room.leave();
    this.#joined.clear();
    this.#service.presences.end(this.id);
  }

  #process(message: ProtocolMessage): void {
    const key = keyOf(message);
    switch (message.type) {
      case MessageType.JoinRequest:
        // Joins follow one another: each sends a whole document, and a client that reads nothing must get no
        // more.
        this.#work(this.#queue.run([key, JOINING], () => this.#join(key, message)));
        break;
      case MessageType.DocUpdate:
        this.#update(key, message);
        break;
      case MessageType.DocUpdateFragmentHeader:
        this.#fragments.begin(message);
        break;
      case MessageType.DocUpdateFragment: {
        const { crdt, roomId, batchId } = message;
        const update = this.#fragments.add(message);
        const whole = { type: MessageType.DocUpdate, crdt, roomId, batchId };
        if (update !== undefined) this.#update(key, { ...whole, updates: [update] });
        break;
      }
      case MessageType.Leave:
        this.#work(this.#queue.run([key], async () => this.#leave(key)));
        break;
      // A client's answers need no reaction: it joins again when it has to.
      case MessageType.Ack:
      case MessageType.RoomError:
      case MessageType.JoinError:
      case MessageType.JoinResponseOk:
        break;
    }
  }

  async #join(key: string, request: JoinRequest): Promise<void> {
    if (this.#roomConnection.lagging) await new Promise<void>((go) => this.#whenCaughtUp.push(go));
    if (this.#closed) return; // nothing would leave the room again
    const { crdt, roomId } = request;
    const part = this.#partIn(key, { crdt, roomId });
    const actor = this.#actor(request.auth);
    if (isRefusal(part)) this.#send(joinError(request, part));
    else {
      if (isRefusal(actor)) this.#send(joinError(request, actor));
      else await part.join(request, actor);
      if (part.path === undefined) this.#joined.delete(key);
    }
  }

  #partIn(key: string, room: Room): Outcome<RoomPart> {
    const known = this.#joined.get(key);
    if (known !== undefined) return known;
    const Kind = KINDS.get(room.crdt);
    if (Kind === undefined)
      return new Refusal("INVALID_ARGUMENT", `the daemon has no rooms of the type ${room.crdt}`, {
        suggestion: `Join a room of the type ${[...KINDS.keys()].join(" or ")}.`,
      });
    if (this.#joined.size >= MOST_ROOMS)
      return new Refusal("OVERLOADED", `this connection has joined ${MOST_ROOMS} rooms, which is the limit`, {
        suggestion: "Leave a room before you join another.",
      });
    const fresh = new Kind(room, this.#rooms, this.#roomConnection);
    this.#joined.set(key, fresh);
    return fresh;
  }

  #leave(key: string): void {
    this.#joined.get(key)?.leave();
    this.#joined.delete(key);
  }

  /** Begins updates in the order of their room; a later one need not wait until an earlier one is durable. */
  #update(key: string, message: DocUpdate): void {
    const begun = this.#queue.run([key], async () => ({ done: this.#updateNow(key, message) }));
    const bytes = message.updates.reduce((sum, { length }) => sum + length, 0);
    this.#work(
      begun.then(({ done }) => done),
      bytes,
    );
  }

  async #updateNow(key: string, message: DocUpdate): Promise<void> {
    const room = this.#joined.get(key);
    if (room !== undefined) return room.update(message);
    this.#send(ack(message, message.batchId, UpdateStatusCode.PermissionDenied));
  }

  /** Returns the author of a join. The token grants the rights; the join's `auth` may give a name. */
  #actor(auth: Uint8Array): Outcome<Actor> {
    const token = this.#token;
    const rights = this.#rights;
    const given = auth.length === 0 ? token : textOf(auth);
    if (given === undefined)
      return new Refusal("INVALID_ARGUMENT", "auth is not a name in UTF-8", {
        suggestion: "Leave auth empty, or send the agent's name as UTF-8.",
      });
    const name = safeName(given, "loro");
    return { name, agent: `${token}/${name}`, rights };
  }

  /** Evicts clients from the rooms of a document that was renamed or deleted. */
  #evictMoved(event: WorkspaceEvent): void {
    if (event.type !== "renamed" && event.type !== "deleted") return;
    for (const [key, room] of this.#joined) {
      if (room.path !== event.path) continue;
      const known = event.type === "renamed" && this.#rights.allows(event.to, "read");
      const why = known ? `the document was renamed to ${event.to}` : "the document no longer exists";
      this.#leave(key);
      this.#send(roomError(roomOf(key), RoomErrorCode.Evicted, why));
    }
  }

  #work(work: Promise<void>, bytes = 0): void {
    const settled = work.catch((error: unknown) => {
      this.#service.log("error", "loro.failed", { session: this.id, reason: String(error) });
      this.#connection.close(1011, "the daemon failed to process a message");
    });
    this.#load.add(settled, bytes);
  }

  #send(message: Uint8Array): void {
    if (!this.#closed) this.#connection.send(message);
  }
}

type BatchRefused = Parameters<typeof ack> extends [Room, ...infer Rest] ? Rest : never;

/** Returns one string per room; types have a fixed length. */
function keyOf({ crdt, roomId }: Room): string {
  return `${crdt}${roomId}`;
}

function roomOf(key: string): Room {
  return { crdt: key.slice(0, CrdtType.Loro.length) as CrdtType, roomId: key.slice(CrdtType.Loro.length) };
}

/** Returns the message in some bytes, or the reason why there is none. */
function readMessage(bytes: Uint8Array): ProtocolMessage | string {
  try {
    return decode(bytes);
  } catch (error) {
    return `the bytes are no message: ${(error as Error).message}`.slice(0, 120);
  }
}

/** Decodes UTF-8; returns undefined for other bytes and for an empty text. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes) || undefined;
  } catch {
    return undefined;
  }
}
