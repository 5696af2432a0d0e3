import { type DocUpdate, encode, type JoinRequest, MessageType, UpdateStatusCode } from "loro-protocol";
import type { Actor } from "../../workspace/access/actor.ts";
import { isRefusal } from "../../workspace/outcome/refusal.ts";
import type { Member } from "../../workspace/sharing/shared-document.ts";
import type { RoomConnection, RoomPart } from "./room-connection.ts";
import type { JoinedDocument, Rooms } from "./rooms.ts";
import { ack, joinError, type Room, statusOf, updateMessages } from "./wire.ts";

type State =
  | { readonly is: "out" }
  /** Other clients' updates that arrive while the join is under way; they follow its answer. */
  | { readonly is: "joining"; readonly backlog: (readonly Uint8Array[])[] }
  | { readonly is: "in"; readonly actor: Actor; readonly joined: JoinedDocument };

/**
 * One connection's part in the room of a document's text.
 *
 *     out ── join ──► joining ──► in ── leave, or lag ──► out
 */
export class TextRoom implements RoomPart, Member {
  readonly #room: Room;
  readonly #rooms: Rooms;
  readonly #connection: RoomConnection;
  #state: State = { is: "out" };

  constructor(room: Room, rooms: Rooms, connection: RoomConnection) {
    this.#room = room;
    this.#rooms = rooms;
    this.#connection = connection;
  }

  get path(): string | undefined {
    return this.#state.is === "in" ? this.#state.joined.path : undefined;
  }

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
      this.#connection.send(joinError(this.#room, joined));
      return;
    }
    this.#state = { is: "in", actor, joined };
    const { initial, mayWrite, path, text } = joined;
    const permission = mayWrite ? "write" : "read";
    this.#connection.send(
      encode({ type: MessageType.JoinResponseOk, ...this.#room, permission, version: initial.version }),
    );
    if (initial.bytes !== undefined) this.#send([initial.bytes]);
    for (const updates of joining.backlog) this.receive(updates);
    this.#connection.arrived(actor, { path, text });
  }

  receive(updates: readonly Uint8Array[]): void {
    if (this.#state.is === "joining") this.#state.backlog.push(updates);
    if (this.#state.is !== "in") return;
    if (this.#connection.lagging) this.#rejoin("the client fell behind");
    else this.#send(updates);
  }

  async update({ updates, batchId }: DocUpdate): Promise<void> {
    if (this.#state.is !== "in") {
      this.#connection.send(ack(this.#room, batchId, UpdateStatusCode.PermissionDenied));
      return;
    }
    const { actor, joined } = this.#state;
    const outcome = await joined.shared.adopt(this, actor, this.#room.roomId, updates);
    if (!isRefusal(outcome)) {
      this.#connection.send(ack(this.#room, batchId, UpdateStatusCode.Ok));
      return;
    }
    const { code, message, details } = outcome;
    this.#connection.log("loro.refused", { path: joined.path, code, message });
    this.#connection.send(ack(this.#room, batchId, statusOf(outcome)));
    if (details["reason"] === "incomplete") this.#rejoin(message);
  }

  leave(): void {
    if (this.#state.is === "in") {
      this.#rooms.leave(this, this.#state.joined.shared);
      this.#connection.left(this.#state.joined.path);
    }
    this.#state = { is: "out" };
  }

  #rejoin(why: string): void {
    if (this.#state.is !== "in") return;
    this.leave();
    this.#connection.rejoin(this.#room, why);
  }

  #send(updates: readonly Uint8Array[]): void {
    for (const message of updateMessages(this.#room, updates, () => this.#connection.newBatchId()))
      this.#connection.send(message);
  }
}
