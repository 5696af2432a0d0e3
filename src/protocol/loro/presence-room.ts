import { type DocUpdate, encode, type JoinRequest, MessageType, UpdateStatusCode } from "loro-protocol";
import type { Actor } from "../../workspace/access/actor.ts";
import { isRefusal } from "../../workspace/outcome/refusal.ts";
import type { PresenceGroup } from "./presence-group.ts";
import type { RoomConnection, RoomPart } from "./room-connection.ts";
import type { Rooms } from "./rooms.ts";
import { ack, joinError, type Room, updateMessages } from "./wire.ts";

/** Longest presence update, in bytes. */
const MOST_PRESENCE_BYTES = 64 << 10;

interface JoinedPresence {
  readonly path: string;
  readonly presence: PresenceGroup;
}

/** One connection's part in the presence room of a document. */
export class PresenceRoom implements RoomPart {
  readonly #room: Room;
  readonly #rooms: Rooms;
  readonly #connection: RoomConnection;
  #joined: JoinedPresence | undefined;
  /** Number of joins and leaves; a join that is no longer the latest has no effect. */
  #joinCount = 0;

  constructor(room: Room, rooms: Rooms, connection: RoomConnection) {
    this.#room = room;
    this.#rooms = rooms;
    this.#connection = connection;
  }

  get path(): string | undefined {
    return this.#joined?.path;
  }

  /** Joins the room. Requires `read`: a reader of a document may publish its position there. */
  async join(_request: JoinRequest, actor: Actor): Promise<void> {
    this.leave();
    const turn = this.#joinCount;
    const joined = await this.#rooms.joinPresence(this, actor, this.#room.roomId);
    if (turn !== this.#joinCount) {
      if (!isRefusal(joined)) joined.presence.leave(this, this.#connection.session);
      return;
    }
    if (isRefusal(joined)) {
      this.#connection.send(joinError(this.#room, joined));
      return;
    }
    this.#joined = joined;
    const version = new Uint8Array();
    this.#connection.send(
      encode({ type: MessageType.JoinResponseOk, ...this.#room, permission: "write", version }),
    );
    const current = await joined.presence.current();
    if (current !== undefined && current.length > 0) this.receive([current]);
  }

  receive(updates: readonly Uint8Array[]): void {
    if (this.#joined === undefined) return;
    if (this.#connection.lagging) {
      this.leave();
      this.#connection.rejoin(this.#room, "the client fell behind");
      return;
    }
    for (const message of updateMessages(this.#room, updates, () => this.#connection.newBatchId()))
      this.#connection.send(message);
  }

  async update({ updates, batchId }: DocUpdate): Promise<void> {
    const status = await this.#publish(updates);
    this.#connection.send(ack(this.#room, batchId, status));
  }

  leave(): void {
    this.#joinCount++;
    this.#joined?.presence.leave(this, this.#connection.session);
    this.#joined = undefined;
  }

  async #publish(updates: readonly Uint8Array[]): Promise<UpdateStatusCode> {
    if (this.#joined === undefined) return UpdateStatusCode.PermissionDenied;
    const { presence } = this.#joined;
    for (const update of updates) {
      if (update.length > MOST_PRESENCE_BYTES) return UpdateStatusCode.PayloadTooLarge;
      if (!(await presence.publish(this, this.#connection.session, update)))
        return UpdateStatusCode.InvalidUpdate;
    }
    return UpdateStatusCode.Ok;
  }
}
