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

/** The room of a message. */
export interface Room {
  readonly crdt: CrdtType;
  readonly roomId: string;
}

/** Longest message of the protocol, in bytes; longer updates come in fragments. */
export const MOST_MESSAGE_BYTES = MAX_MESSAGE_SIZE;

/** Most bytes of an update in one message, beside its other fields. */
const FRAGMENT_BYTES = MAX_MESSAGE_SIZE - 4096;

export function joinError({ crdt, roomId }: Room, { code, message, suggestion }: Refusal): Uint8Array {
  const text = suggestion === undefined ? message : `${message}. ${suggestion}`;
  const error = { code: JoinErrorCode.AppError, message: text, appCode: code };
  return encode({ type: MessageType.JoinError, crdt, roomId, ...error });
}

export function roomError({ crdt, roomId }: Room, code: RoomErrorCode, message: string): Uint8Array {
  return encode({ type: MessageType.RoomError, crdt, roomId, code, message });
}

export function ack({ crdt, roomId }: Room, refId: HexString, status: UpdateStatusCode): Uint8Array {
  return encode({ type: MessageType.Ack, crdt, roomId, refId, status });
}

/** Returns the messages for updates: one for each, or the fragments of a long one. */
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

/** Returns the acknowledgement's status for a refused update. */
export function statusOf({ code }: Refusal): UpdateStatusCode {
  return STATUSES[code] ?? UpdateStatusCode.AppError;
}
