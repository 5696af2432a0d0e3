import {
  type DocUpdate,
  encode,
  type HexString,
  type JoinRequest,
  MessageType,
  RoomErrorCode,
  UpdateStatusCode,
} from "loro-protocol";
import type { Actor } from "../../workspace/actor.ts";
import { isRefusal } from "../../workspace/refusal.ts";
import type { Member } from "../../workspace/shared-document.ts";
import type { Joined, Rooms } from "./rooms.ts";
import { ack, joinError, type Room, roomError, statusOf, updateMessages } from "./wire.ts";

/** What a room says and asks of its connection. */
export interface Line {
  send(message: Uint8Array): void;
  /** True when the other end has not taken so much that sending on would only pile up. */
  readonly lagging: boolean;
  newBatchId(): HexString;
  log(event: string, details: Readonly<Record<string, unknown>>): void;
}

type State =
  | { readonly is: "out" }
  /** What others did meanwhile follows the answer. */
  | { readonly is: "joining"; readonly backlog: (readonly Uint8Array[])[] }
  | { readonly is: "in"; readonly actor: Actor; readonly joined: Joined }
  /** The other end did not keep up; it is told to compare versions once it does. */
  | { readonly is: "behind" };

/**
 * One connection's part in the room of a document's text.
 *
 *     out ── join ──► joining ──► in ── leave, evict ──► out
 *                                 └── lags ──► behind ── join ──► joining
 */
export class TextRoom implements Member {
  readonly #room: Room;
  readonly #rooms: Rooms;
  readonly #line: Line;
  #state: State = { is: "out" };

  constructor(room: Room, rooms: Rooms, line: Line) {
    this.#room = room;
    this.#rooms = rooms;
    this.#line = line;
  }

  /** The document's path while joined. */
  get path(): string | undefined {
    return this.#state.is === "in" ? this.#state.joined.path : undefined;
  }

  /** Joining again is how a client catches up. */
  async join({ version }: JoinRequest, actor: Actor): Promise<void> {
    this.leave();
    const joining: State = { is: "joining", backlog: [] };
    this.#state = joining;
    const joined = await this.#rooms.join(this, actor, this.#room.roomId, version);
    if (this.#state !== joining) {
      if (!isRefusal(joined)) this.#rooms.leave(this, joined.shared);
      return;
    }
    if (isRefusal(joined)) {
      this.#state = { is: "out" };
      return this.#line.send(joinError(this.#room, joined));
    }
    this.#state = { is: "in", actor, joined };
    const { welcome, mayWrite } = joined;
    const permission = mayWrite ? "write" : "read";
    this.#line.send(
      encode({ type: MessageType.JoinResponseOk, ...this.#room, permission, version: welcome.version }),
    );
    if (welcome.bytes !== undefined) this.#send([welcome.bytes]);
    for (const updates of joining.backlog) this.receive(updates);
  }

  receive(updates: readonly Uint8Array[]): void {
    if (this.#state.is === "joining") this.#state.backlog.push(updates);
    if (this.#state.is !== "in") return;
    if (this.#line.lagging) {
      this.leave();
      this.#state = { is: "behind" };
    } else this.#send(updates);
  }

  /** The other end has caught up with what was sent. */
  drained(): void {
    if (this.#state.is !== "behind") return;
    this.#state = { is: "out" };
    this.#suggestRejoin("you fell behind; join again");
  }

  /** Takes in an update; acknowledges it once it is durable, or says that it is refused. */
  async update({ updates, batchId }: DocUpdate): Promise<void> {
    if (this.#state.is !== "in")
      return this.#line.send(ack(this.#room, batchId, UpdateStatusCode.PermissionDenied));
    const { actor, joined } = this.#state;
    const outcome = await joined.shared.adopt(this, actor, this.#room.roomId, updates);
    if (!isRefusal(outcome)) return this.#line.send(ack(this.#room, batchId, UpdateStatusCode.Ok));
    const { code, message, details } = outcome;
    this.#line.log("loro.refused", { path: joined.path, code, message });
    this.#line.send(ack(this.#room, batchId, statusOf(outcome)));
    if (details["reason"] === "incomplete" && this.#state.is === "in") {
      this.leave();
      this.#suggestRejoin(message);
    }
  }

  leave(): void {
    if (this.#state.is === "in") this.#rooms.leave(this, this.#state.joined.shared);
    this.#state = { is: "out" };
  }

  /** The room's document is gone from here. */
  evict(why: string): void {
    this.leave();
    this.#line.send(roomError(this.#room, RoomErrorCode.Evicted, why));
  }

  #suggestRejoin(why: string): void {
    this.#line.send(roomError(this.#room, RoomErrorCode.RejoinSuggested, why));
  }

  #send(updates: readonly Uint8Array[]): void {
    for (const message of updateMessages(this.#room, updates, () => this.#line.newBatchId()))
      this.#line.send(message);
  }
}
