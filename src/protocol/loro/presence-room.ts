import { type DocUpdate, encode, type JoinRequest, MessageType, UpdateStatusCode } from "loro-protocol";
import type { Actor } from "../../workspace/access/actor.ts";
import { isRefusal } from "../../workspace/outcome/refusal.ts";
import type { Gathering } from "./gathering.ts";
import type { Line, LinePart } from "./line.ts";
import type { Rooms } from "./rooms.ts";
import { ack, joinError, type Room, updateMessages } from "./wire.ts";

/** Longest presence update, in bytes. */
const MOST_SAID = 64 << 10;

interface Joined {
  readonly path: string;
  readonly gathering: Gathering;
}

/** One connection's part in the presence room of a document. */
export class PresenceRoom implements LinePart {
  readonly #room: Room;
  readonly #rooms: Rooms;
  readonly #line: Line;
  #joined: Joined | undefined;
  /** Number of joins and leaves; a join that is no longer the latest has no effect. */
  #turn = 0;

  constructor(room: Room, rooms: Rooms, line: Line) {
    this.#room = room;
    this.#rooms = rooms;
    this.#line = line;
  }

  get path(): string | undefined {
    return this.#joined?.path;
  }

  /** Joins the room. Requires `read`: a reader of a document may publish its position there. */
  async join(_request: JoinRequest, actor: Actor): Promise<void> {
    this.leave();
    const turn = this.#turn;
    const joined = await this.#rooms.gather(this, actor, this.#room.roomId);
    if (turn !== this.#turn) {
      if (!isRefusal(joined)) joined.gathering.leave(this, this.#line.session);
      return;
    }
    if (isRefusal(joined)) {
      this.#line.send(joinError(this.#room, joined));
      return;
    }
    this.#joined = joined;
    const version = new Uint8Array();
    this.#line.send(
      encode({ type: MessageType.JoinResponseOk, ...this.#room, permission: "write", version }),
    );
    const said = await joined.gathering.all();
    if (said !== undefined && said.length > 0) this.receive([said]);
  }

  receive(updates: readonly Uint8Array[]): void {
    if (this.#joined === undefined) return;
    if (this.#line.lagging) {
      this.leave();
      this.#line.rejoin(this.#room, "the client fell behind");
      return;
    }
    for (const message of updateMessages(this.#room, updates, () => this.#line.newBatchId()))
      this.#line.send(message);
  }

  async update({ updates, batchId }: DocUpdate): Promise<void> {
    const status = await this.#say(updates);
    this.#line.send(ack(this.#room, batchId, status));
  }

  leave(): void {
    this.#turn++;
    this.#joined?.gathering.leave(this, this.#line.session);
    this.#joined = undefined;
  }

  async #say(updates: readonly Uint8Array[]): Promise<UpdateStatusCode> {
    if (this.#joined === undefined) return UpdateStatusCode.PermissionDenied;
    const { gathering } = this.#joined;
    for (const update of updates) {
      if (update.length > MOST_SAID) return UpdateStatusCode.PayloadTooLarge;
      if (!(await gathering.say(this, this.#line.session, update))) return UpdateStatusCode.InvalidUpdate;
    }
    return UpdateStatusCode.Ok;
  }
}
