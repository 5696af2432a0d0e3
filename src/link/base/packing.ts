import { Encoder } from "msgpackr";

/** The encoding of what machines exchange: maps with names, which any version of this program reads. */
export const packer = new Encoder({ useRecords: false });

/** More values than a message or a part of a snapshot has; the names in maps count, too. */
const MOST_VALUES = 8_000_000;

/** Returns the value that some bytes encode; undefined for other bytes. */
export function unpacked(bytes: Uint8Array): unknown {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Decodes the bytes of another machine. A few bytes can name lists so long that they would fill the memory, and the
 * extensions of MessagePack can name values again and again. So it first adds up the lengths of all lists and maps, and
 * takes no extension but the one of `undefined`. @throws Error for bytes that encode no value, or too many values
 */
export function decode(bytes: Uint8Array): unknown {
  const most = Math.min(bytes.length, MOST_VALUES); // each value has a byte
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let values = 0;
  for (let at = 0; at < bytes.length; ) {
    const { size, holds } = tokenAt(view, at);
    values += holds;
    if (values > most) throw new RangeError("the message has too many values");
    at += size;
  }
  return packer.decode(bytes);
}

/** The bytes of a value without the values that it holds, and the number of these. */
interface Token {
  readonly size: number;
  readonly holds: number;
}

/** The sizes of the numbers whose first byte is 0xca to 0xd3. */
const NUMBERS = [5, 9, 2, 3, 5, 9, 2, 3, 5, 9];

/** @throws RangeError for an extension, or a value without its length */
function tokenAt(view: DataView, at: number): Token {
  const first = view.getUint8(at);
  const text = (size: number): Token => ({ size, holds: 0 });
  const length = (width: number) => {
    if (width === 1) return view.getUint8(at + 1);
    return width === 2 ? view.getUint16(at + 1) : view.getUint32(at + 1);
  };
  const sized = (width: number): Token => text(1 + width + length(width));
  const holding = (width: number, each: number): Token => ({ size: 1 + width, holds: each * length(width) });
  if (first >= 0x80 && first <= 0x8f) return { size: 1, holds: 2 * (first & 0x0f) };
  if (first >= 0x90 && first <= 0x9f) return { size: 1, holds: first & 0x0f };
  if (first >= 0xa0 && first <= 0xbf) return text(1 + (first & 0x1f));
  if (first >= 0xc4 && first <= 0xc6) return sized(1 << (first - 0xc4));
  if (first >= 0xca && first <= 0xd3) return text(NUMBERS[first - 0xca]!);
  if (first === 0xd4 && view.getUint8(at + 1) === 0) return text(3);
  if (first >= 0xd9 && first <= 0xdb) return sized(1 << (first - 0xd9));
  if (first === 0xdc || first === 0xdd) return holding(2 << (first - 0xdc), 1);
  if (first === 0xde || first === 0xdf) return holding(2 << (first - 0xde), 2);
  if ((first >= 0xc7 && first <= 0xc9) || (first >= 0xd4 && first <= 0xd8))
    throw new RangeError("the message has a value that machines do not exchange");
  return text(1);
}
