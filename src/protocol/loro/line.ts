import type { DocUpdate, HexString, JoinRequest } from "loro-protocol";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import type { Room } from "./wire.ts";

/** What a connection does for its rooms. */
export interface Line {
  /** Names the connection. */
  readonly session: string;
  send(message: Uint8Array): void;
  /** True when the other end has not taken so much that sending on would only pile up. */
  readonly lagging: boolean;
  /** The client has to compare versions again, once it keeps up. */
  rejoin(room: Room, why: string): void;
  newBatchId(): HexString;
  /** Somebody looks at a document over this connection, or does no longer. */
  here(actor: Actor, document: { readonly path: string; readonly text: Text }): void;
  gone(path: string): void;
  log(event: string, details: Readonly<Record<string, unknown>>): void;
}

/** One connection's part in a room. */
export interface LinePart {
  /** The document's path while joined. */
  readonly path: string | undefined;
  /** Joining again is how a client catches up. */
  join(request: JoinRequest, actor: Actor): Promise<void>;
  /** Takes in an update; acknowledges it once it counts, or says that it is refused. */
  update(message: DocUpdate): Promise<void>;
  leave(): void;
}
