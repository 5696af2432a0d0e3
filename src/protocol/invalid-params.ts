import { z } from "zod";
import { quoteUnknown } from "../text/nearest-name.ts";
import { Refusal } from "../workspace/outcome/refusal.ts";
import { type Schema, typeOf, variants } from "./json-schema.ts";
import { type Method, methods } from "./schemas.ts";

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly keys?: readonly string[];
}

/** The most problems of one refusal. */
const MOST_PROBLEMS = 5;

/** A value that a schema refuses: its place, empty for the whole, and the reason. */
export interface Problem {
  readonly at: string;
  readonly message: string;
}

/** Returns the refusal for invalid parameters; its `problems` name each place and reason. */
export function invalidParams(method: Method, error: { readonly issues: readonly Issue[] }): Refusal {
  const problems = problemsOf(methods[method].params, error);
  return new Refusal("INVALID_ARGUMENT", `${method}: ${inOneLine(problems)}`, {
    suggestion: "See docs/protocol.md for the parameters.",
    details: { problems },
  });
}

/** Returns the refusal for a method that is none; it names the similar one, and all. */
export function unknownMethod(method: string): Refusal {
  const names = Object.keys(methods);
  return new Refusal("INVALID_ARGUMENT", `there is no method ${quoteUnknown(method, names)}`, {
    suggestion: `The methods are: ${names.join(", ")}.`,
  });
}

/** Returns the first problems of a value that a schema refuses. */
export function problemsOf(schema: z.ZodType, error: { readonly issues: readonly Issue[] }): Problem[] {
  return error.issues
    .slice(0, MOST_PROBLEMS)
    .map((issue) => ({ at: issue.path.map(String).join("."), message: messageOf(schema, issue) }));
}

export function inOneLine(problems: readonly Problem[]): string {
  return problems.map(({ at, message }) => (at === "" ? message : `${at}: ${message}`)).join("; ");
}

/** Returns the message of an issue: which names and forms are taken where a name or a form is not. */
function messageOf(schema: z.ZodType, { code, path, message, keys = [] }: Issue): string {
  if (code !== "invalid_union" && code !== "unrecognized_keys") return message;
  const whole = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;
  const place = path.reduce<Schema | undefined>(inside, whole);
  if (place === undefined) return message;
  if (code === "invalid_union") return `Invalid input: expected ${typeOf(place)}`;
  const names = [...new Set(variants(place).flatMap(({ properties = {} }) => Object.keys(properties)))];
  const quoted = keys.slice(0, MOST_PROBLEMS).map((key) =>
    quoteUnknown(
      key,
      names.filter((name) => name !== key),
    ),
  );
  const isOne = variants(place).length === 1;
  return `there is no ${quoted.join(" nor ")}; it takes ${isOne ? names.join(", ") || "nothing" : typeOf(place)}`;
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
