import {
  type CrdtType,
  encode,
  type HexString,
  JoinErrorCode,
  MAX_MESSAGE_SIZE,
  MessageType,
  type RoomErrorCode,
  UpdateStatusCode,
} from "loro-protocol";
import type { Refusal, RefusalCode } from "../../workspace/outcome/refusal.ts";

/** Which room, of which kind, a message is about. */
export interface Room {
  readonly crdt: CrdtType;
  readonly roomId: string;
}

/** The longest message, by the protocol; what is longer comes in fragments. */
export const MOST_MESSAGE_BYTES = MAX_MESSAGE_SIZE;

/** Bytes of an update that go into one message, beside what else is in it. */
const FRAGMENT_BYTES = MAX_MESSAGE_SIZE - 4096;

export function joinError({ crdt, roomId }: Room, { code, message, suggestion }: Refusal): Uint8Array {
  const said = suggestion === undefined ? message : `${message} ${suggestion}`;
  const error = { code: JoinErrorCode.AppError, message: said, appCode: code };
  return encode({ type: MessageType.JoinError, crdt, roomId, ...error });
}

export function roomError({ crdt, roomId }: Room, code: RoomErrorCode, message: string): Uint8Array {
  return encode({ type: MessageType.RoomError, crdt, roomId, code, message });
}

export function ack({ crdt, roomId }: Room, refId: HexString, status: UpdateStatusCode): Uint8Array {
  return encode({ type: MessageType.Ack, crdt, roomId, refId, status });
}

/** The messages that carry updates: one each, or fragments of one that is too long for that. */
export function updateMessages(
  room: Room,
  updates: readonly Uint8Array[],
  newId: () => HexString,
): Uint8Array[] {
  return updates.flatMap((update) => messagesOf(room, update, newId()));
}

function messagesOf({ crdt, roomId }: Room, update: Uint8Array, batchId: HexString): Uint8Array[] {
  if (update.length <= FRAGMENT_BYTES)
    return [encode({ type: MessageType.DocUpdate, crdt, roomId, updates: [update], batchId })];
  const fragmentCount = Math.ceil(update.length / FRAGMENT_BYTES);
  const totalSizeBytes = update.length;
  const header = { type: MessageType.DocUpdateFragmentHeader, crdt, roomId, batchId };
  return [
    encode({ ...header, fragmentCount, totalSizeBytes }),
    ...Array.from({ length: fragmentCount }, (_, index) => {
      const fragment = update.subarray(index * FRAGMENT_BYTES, (index + 1) * FRAGMENT_BYTES);
      return encode({ type: MessageType.DocUpdateFragment, crdt, roomId, batchId, index, fragment });
    }),
  ];
}

const STATUSES: Partial<Record<RefusalCode, UpdateStatusCode>> = {
  PERMISSION_DENIED: UpdateStatusCode.PermissionDenied,
  INVALID_ARGUMENT: UpdateStatusCode.InvalidUpdate,
  STALE_VERSION: UpdateStatusCode.InvalidUpdate,
  TOO_LARGE: UpdateStatusCode.PayloadTooLarge,
  OVERLOADED: UpdateStatusCode.RateLimited,
};

/** How an update is acknowledged that was refused. */
export function statusOf({ code }: Refusal): UpdateStatusCode {
  return STATUSES[code] ?? UpdateStatusCode.AppError;
}
