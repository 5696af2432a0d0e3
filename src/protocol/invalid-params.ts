import { z } from "zod";
import { Refusal } from "../workspace/outcome/refusal.ts";
import { type Schema, typeOf, variants } from "./json-schema.ts";
import { type Method, methods } from "./schemas.ts";

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
}

/** Returns the refusal for invalid parameters; its `problems` name each place and reason. */
export function invalidParams(method: Method, error: { readonly issues: readonly Issue[] }): Refusal {
  const problems = error.issues
    .slice(0, 5)
    .map((issue) => ({ at: issue.path.map(String).join("."), message: messageOf(method, issue) }));
  const summary = problems.map(({ at, message }) => (at === "" ? message : `${at}: ${message}`)).join("; ");
  return new Refusal("INVALID_ARGUMENT", `${method}: ${summary}`, {
    suggestion: "See docs/protocol.md for the parameters.",
    details: { problems },
  });
}

/** Returns the message of an issue; where nothing of several alternatives fits, it says what they are. */
function messageOf(method: Method, { code, path, message }: Issue): string {
  if (code !== "invalid_union") return message;
  const schema = z.toJSONSchema(methods[method].params, { io: "input" }) as Schema;
  const place = path.reduce<Schema | undefined>(inside, schema);
  return place === undefined ? message : `Invalid input: expected ${typeOf(place)}`;
}

/** Returns the schema of a part of a value. */
function inside(schema: Schema | undefined, part: PropertyKey): Schema | undefined {
  if (schema === undefined) return undefined;
  for (const one of variants(schema)) {
    const { additionalProperties: others } = one;
    const found =
      typeof part === "number"
        ? (one.prefixItems?.[part] ?? one.items)
        : (one.properties?.[String(part)] ?? (typeof others === "object" ? others : undefined));
    if (found !== undefined) return found;
  }
  return undefined;
}
