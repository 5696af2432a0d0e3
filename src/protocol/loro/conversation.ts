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
import type { WorkspaceEvent } from "../../workspace/events/events.ts";
import { KeyedQueue } from "../../workspace/keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import { safeName } from "../names.ts";
import type { Holder, Service } from "../service.ts";
import { Fragments } from "./fragments.ts";
import type { Line, LinePart } from "./line.ts";
import { PresenceRoom } from "./presence-room.ts";
import type { Rooms } from "./rooms.ts";
import { TextRoom } from "./text-room.ts";
import { ack, joinError, type Room, roomError } from "./wire.ts";

/** The wire under a conversation. */
export interface LoroConnection {
  send(message: Uint8Array | string): void;
  /** Bytes sent but not yet taken by the other end. */
  readonly buffered: number;
  /** Stops and starts the arrival of messages. */
  hold(held: boolean): void;
  close(code: number, reason: string): void;
}

const PROTOCOL_ERROR = 1002;
/** Past so many unsent bytes a client has fallen behind. */
const LAGGING_BYTES = 8 << 20;
/** Past so many messages under way no further one is taken from the wire, nor while the client has fallen behind. */
const HOLD_MESSAGES = 64;
/** What joinings wait for one another by; no room is named so. */
const JOINING = "joining";
const MOST_ROOMS = 100;
/** What can be joined, by the type that clients name it with. */
const KINDS = new Map<CrdtType, typeof TextRoom | typeof PresenceRoom>([
  [CrdtType.Loro, TextRoom],
  [CrdtType.LoroEphemeralStore, PresenceRoom],
]);

/**
 * One Loro client's conversation. Does no I/O: messages come in through `receive`, go out through the
 * connection. What concerns one room is done in the order in which it came.
 */
export class LoroConversation {
  readonly id: string;
  readonly #service: Service;
  readonly #rooms: Rooms;
  readonly #holder: Holder;
  readonly #connection: LoroConnection;
  readonly #line: Line;
  readonly #joined = new Map<string, LinePart>();
  /** Rooms whose client is to join again, and why. */
  readonly #behind = new Map<Room, string>();
  readonly #turns = new KeyedQueue<string>();
  /** Called once the other end keeps up. */
  readonly #caughtUp: (() => void)[] = [];
  readonly #fragments: Fragments;
  readonly #unlisten: () => void;
  /** Messages under way, and the bytes of their updates. */
  #open = 0;
  #bytes = 0;
  #held = false;
  #closed = false;

  constructor(service: Service, rooms: Rooms, holder: Holder, connection: LoroConnection) {
    const { workspace, log } = service;
    this.id = workspace.newId("ses");
    this.#service = service;
    this.#rooms = rooms;
    this.#holder = holder;
    this.#connection = connection;
    this.#line = {
      session: this.id,
      send: (message) => this.#send(message),
      get lagging() {
        return connection.buffered > LAGGING_BYTES;
      },
      rejoin: (room, why) => {
        this.#behind.set(room, why);
        this.drained();
      },
      here: (actor, document) => void service.presences.set(this.id, actor, document, undefined),
      gone: (path) => service.presences.leave(this.id, path),
      newBatchId: () => `0x${Buffer.from(workspace.ports.random(8)).toString("hex")}`,
      log: (event, details) => log("warn", event, { session: this.id, token: holder.name, ...details }),
    };
    const refuse = (room: Room, ...refused: BatchRefused) => this.#send(ack(room, ...refused));
    this.#fragments = new Fragments(workspace.limits.maxFileBytes * 2, refuse);
    service.presences.begin(this.id);
    this.#unlisten = workspace.listen((event) => this.#heed(event));
  }

  /** Takes one message; a text is a sign of life and nothing else. */
  receive(message: Uint8Array | string): void {
    if (this.#closed) return;
    if (typeof message === "string") {
      if (message === "ping") this.#connection.send("pong");
      return;
    }
    const read = readMessage(message);
    if (typeof read === "string") this.#connection.close(PROTOCOL_ERROR, read);
    else this.#take(read);
  }

  /** The other end has taken some of what was sent. */
  drained(): void {
    this.#hold();
    if (this.#line.lagging) return;
    for (const go of this.#caughtUp.splice(0)) go();
    for (const [room, why] of this.#behind)
      this.#send(roomError(room, RoomErrorCode.RejoinSuggested, `${why}; join again`));
    this.#behind.clear();
  }

  /** The connection is gone, or must go. What was begun is done all the same. */
  close(): void {
    this.#closed = true;
    for (const go of this.#caughtUp.splice(0)) go();
    this.#unlisten();
    this.#fragments.close();
    for (const room of this.#joined.values()) room.leave();
    this.#joined.clear();
    this.#service.presences.end(this.id);
  }

  #take(message: ProtocolMessage): void {
    const key = keyOf(message);
    switch (message.type) {
      case MessageType.JoinRequest:
        // One after the other: what a document holds is sent on joining, and a client that reads nothing gets no more.
        this.#work(this.#turns.run([key, JOINING], () => this.#join(key, message)));
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
        this.#work(this.#turns.run([key], async () => this.#leave(key)));
        break;
      // What a client says of our own messages: it joins again where it needs to.
      case MessageType.Ack:
      case MessageType.RoomError:
      case MessageType.JoinError:
      case MessageType.JoinResponseOk:
        break;
    }
  }

  async #join(key: string, request: JoinRequest): Promise<void> {
    if (this.#line.lagging) await new Promise<void>((go) => this.#caughtUp.push(go));
    if (this.#closed) return; // nobody would leave again
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

  #partIn(key: string, room: Room): Outcome<LinePart> {
    const known = this.#joined.get(key);
    if (known !== undefined) return known;
    const Kind = KINDS.get(room.crdt);
    if (Kind === undefined)
      return new Refusal("INVALID_ARGUMENT", `there are no rooms of the type ${room.crdt} here`, {
        suggestion: `There are those of ${[...KINDS.keys()].join(" and ")}.`,
      });
    if (this.#joined.size >= MOST_ROOMS)
      return new Refusal("OVERLOADED", `this connection has joined ${MOST_ROOMS} rooms already`, {
        suggestion: "Leave one.",
      });
    const fresh = new Kind(room, this.#rooms, this.#line);
    this.#joined.set(key, fresh);
    return fresh;
  }

  #leave(key: string): void {
    this.#joined.get(key)?.leave();
    this.#joined.delete(key);
  }

  /** Begun in its turn; the next need not wait until it is durable. */
  #update(key: string, message: DocUpdate): void {
    const begun = this.#turns.run([key], async () => ({ done: this.#updateNow(key, message) }));
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

  /** Who joins: the token says who may, the join's own bytes may give a name. */
  #actor(auth: Uint8Array): Outcome<Actor> {
    const { name: token, rights } = this.#holder;
    const given = auth.length === 0 ? token : textOf(auth);
    if (given === undefined)
      return new Refusal("INVALID_ARGUMENT", "auth is not a name", {
        suggestion: "Leave it empty, or give the agent's name as UTF-8.",
      });
    const name = safeName(given, "loro");
    return { name, agent: `${token}/${name}`, rights };
  }

  /** A document that goes elsewhere, or away, leaves its room behind. */
  #heed(event: WorkspaceEvent): void {
    if (event.type !== "renamed" && event.type !== "deleted") return;
    for (const [key, room] of this.#joined) {
      if (room.path !== event.path) continue;
      const known = event.type === "renamed" && this.#holder.rights.allows(event.to, "read");
      const why = known ? `renamed to ${event.to}` : "there is no such document any more";
      this.#leave(key);
      this.#send(roomError(roomOf(key), RoomErrorCode.Evicted, why));
    }
  }

  #work(work: Promise<void>, bytes = 0): void {
    this.#open++;
    this.#bytes += bytes;
    this.#hold();
    work
      .catch((error: unknown) => {
        this.#service.log("error", "loro.failed", { session: this.id, reason: String(error) });
        this.#connection.close(1011, "something went wrong here");
      })
      .finally(() => {
        this.#open--;
        this.#bytes -= bytes;
        this.#hold();
      });
  }

  #hold(): void {
    const { maxFileBytes } = this.#service.workspace.limits;
    const held = this.#open >= HOLD_MESSAGES || this.#bytes > maxFileBytes || this.#line.lagging;
    if (held === this.#held) return;
    this.#held = held;
    this.#connection.hold(held);
  }

  #send(message: Uint8Array): void {
    if (!this.#closed) this.#connection.send(message);
  }
}

type BatchRefused = Parameters<typeof ack> extends [Room, ...infer Rest] ? Rest : never;

/** One string a room; types have a fixed length. */
function keyOf({ crdt, roomId }: Room): string {
  return `${crdt}${roomId}`;
}

function roomOf(key: string): Room {
  return { crdt: key.slice(0, CrdtType.Loro.length) as CrdtType, roomId: key.slice(CrdtType.Loro.length) };
}

/** A message, or why these bytes are none. */
function readMessage(bytes: Uint8Array): ProtocolMessage | string {
  try {
    return decode(bytes);
  } catch (error) {
    return `not a message: ${(error as Error).message}`.slice(0, 120);
  }
}

/** Undefined for bytes that are no text, or a text of nothing. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes) || undefined;
  } catch {
    return undefined;
  }
}
