import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { methods, notifications } from "../../src/protocol/schemas/schemas.ts";

const RESULTS: Readonly<Record<string, { readonly result: z.ZodType } | undefined>> = methods;
const NOTES: Readonly<Record<string, z.ZodType | undefined>> = notifications;

/** Returns how the result of a method differs from its schema; undefined if it does not. */
export function undescribedResult(method: string, result: unknown): string | undefined {
  return difference(method, RESULTS[method]?.result, result);
}

/** Returns how a notification differs from its schema; undefined if it does not. */
export function undescribedNote(method: string, params: unknown): string | undefined {
  return difference(method, NOTES[method], params);
}

/** The schemas leave out fields that they do not describe, so that a text without them shows which there are. */
function difference(method: string, schema: z.ZodType | undefined, value: unknown): string | undefined {
  if (schema === undefined) return `${method} is described nowhere`;
  const { success, data, error } = schema.safeParse(value);
  if (!success) return `${method}: ${error.message} ${JSON.stringify(value)}`;
  if (isDeepStrictEqual(data, value)) return undefined;
  return `${method}: ${JSON.stringify(value)} has fields beside ${JSON.stringify(data)}`;
}
