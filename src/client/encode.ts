import { hasLostNumber, stringifyExactly } from "../text/exact-json.ts";

/** Returns requests as JSON. @throws RangeError for NaN and infinities, which JSON would turn into null */
export function encode(requests: unknown): string {
  if (hasLostNumber(requests)) throw new RangeError("a number of the request is none that JSON can carry");
  return stringifyExactly(requests);
}
