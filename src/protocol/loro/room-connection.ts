import type { DocUpdate, HexString, JoinRequest } from "loro-protocol";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import type { Room } from "./wire.ts";

/** The services of a connection for its rooms. */
export interface RoomConnection {
  /** Id of the connection. */
  readonly session: string;
  send(message: Uint8Array): void;
  /** True when the client has too many unsent bytes for more. */
  readonly lagging: boolean;
  /** Asks the client to join again once it has caught up; it then compares versions. */
  rejoin(room: Room, why: string): void;
  newBatchId(): HexString;
  /** Reports that a client looks at a document. */
  arrived(actor: Actor, document: { readonly path: string; readonly text: Text }): void;
  left(path: string): void;
  log(event: string, details: Readonly<Record<string, unknown>>): void;
}

/** One connection's part in a room. */
export interface RoomPart {
  /** Path of the document while the client is in the room. */
  readonly path: string | undefined;
  /** Joins the room; a client joins again to catch up. */
  join(request: JoinRequest, actor: Actor): Promise<void>;
  /** Applies an update, then acknowledges it or reports its refusal. */
  update(message: DocUpdate): Promise<void>;
  leave(): void;
}
