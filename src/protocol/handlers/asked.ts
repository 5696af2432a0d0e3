import { crc32 } from "node:zlib";
import { BASE_PARAMETERS } from "../params/parameter-names.ts";
import type { Method } from "../schemas/schemas.ts";

/** Parameters in which a request and its repetition may differ: its base, what it waits for, and how it is told. */
const BESIDE: ReadonlySet<string> = new Set([
  ...BASE_PARAMETERS,
  "opId",
  "onStale",
  "ack",
  "confirm",
  "message",
  "thread",
  "messageId",
]);

/** The most values of a request that its digest contains: reading all of a large one would block others (I14). */
const MOST_VALUES = 2_000;

/**
 * Returns 16 bits that the content of a request and its checked parameters determine; undefined for a request without
 * an `opId`. Two bytes find nearly every `opId` that a client uses for two requests.
 */
export function askedOf(method: Method, params: object): number | undefined {
  if (!("opId" in params) || params.opId === undefined) return undefined;
  const { files, ...own } = params as { readonly files?: readonly object[] };
  const digest = new Digest();
  digest.add(method);
  digest.add(withoutBase(own));
  for (const file of files ?? []) digest.add(withoutBase(file));
  return digest.bits;
}

function withoutBase(fields: object): unknown[] {
  return Object.entries(fields).filter(([name]) => !BESIDE.has(name));
}

/** A digest of JSON values. */
class Digest {
  #crc = 0;
  #left = MOST_VALUES;

  get bits(): number {
    return this.#crc & 0xffff;
  }

  add(value: unknown): void {
    if (this.#left-- <= 0) return;
    if (typeof value === "string") this.#crc = crc32(`s${value.length} ${value}`, this.#crc);
    else if (typeof value !== "object" || value === null) this.#crc = crc32(`${value} `, this.#crc);
    else {
      const entries = Array.isArray(value) ? value : Object.entries(value);
      this.#crc = crc32(`o${entries.length} `, this.#crc);
      for (const inner of entries) this.add(inner);
    }
  }
}
