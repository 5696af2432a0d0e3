import type { z } from "zod";
import { isJsonObject } from "../../json-object.ts";
import { type Method, methods } from "../schemas/schemas.ts";

/** Methods that mean the newest change if none is named: an id of null would be a mistake with an effect. */
const OF_NEWEST: ReadonlySet<Method> = new Set<Method>(["undo", "redo"]);

/** An issue of zod; those of a union's forms have paths from the union on. */
interface Issue {
  readonly path: readonly PropertyKey[];
  /** The members that the schema does not have. */
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly Issue[])[];
}

/** Issues name the refused values, by which `problemsOf` knows missing ones. */
const REPORTING = { reportInput: true };

/** Checks the parameters of a method; `parse` tells what null means. */
export function checkParams(method: Method, given: unknown): z.ZodSafeParseResult<unknown> {
  const { params } = methods[method];
  return OF_NEWEST.has(method) ? params.safeParse(given, REPORTING) : parse(params, given);
}

/**
 * Parses a value that a client sent. A member of null that its schema refuses, or does not have, counts as left out and
 * is removed from the value: many programs write null for what they leave out.
 */
export function parse<S extends z.ZodType>(schema: S, given: unknown): z.ZodSafeParseResult<z.output<S>> {
  for (;;) {
    const parsed = schema.safeParse(given, REPORTING);
    if (parsed.success || !removeNulls(given, parsed.error.issues as readonly Issue[])) return parsed;
  }
}

/** Removes the members of null that issues are about; returns false if there are none. */
function removeNulls(within: unknown, issues: readonly Issue[]): boolean {
  let isRemoved = false;
  for (const { path, keys = [], errors = [] } of issues) {
    const parent = path.slice(0, -1).reduce(memberOf, within);
    const place = path.reduce(memberOf, within);
    const removed = [...removeNull(parent, path.slice(-1)), ...removeNull(place, keys)];
    const forms = errors.filter((form) => removeNulls(place, form));
    isRemoved ||= removed.length > 0 || forms.length > 0;
  }
  return isRemoved;
}

/** Removes those of an object's members that are null, and returns their names. */
function removeNull(object: unknown, names: readonly PropertyKey[]): PropertyKey[] {
  if (!isJsonObject(object)) return [];
  const nulls = names.filter((name) => memberOf(object, name) === null);
  for (const name of nulls) Reflect.deleteProperty(object, name);
  return nulls;
}

function memberOf(value: unknown, name: PropertyKey): unknown {
  const isMember = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isMember ? (value as Record<PropertyKey, unknown>)[name] : undefined;
}
