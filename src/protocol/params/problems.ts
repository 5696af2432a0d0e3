import { z } from "zod";
import { isJsonObject } from "../../json-object.ts";
import { quoteUnknown } from "../../text/diff/nearest-name.ts";
import { type Schema, typeOf, variants } from "../base/json-schema.ts";

/** An issue of zod. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly keys?: readonly string[];
  /** The refused value; the whole object where the parameter that tells its forms apart has no value of them. */
  readonly input?: unknown;
  readonly discriminator?: string | undefined;
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

/** The most problems of one refusal. */
const MOST_PROBLEMS = 5;

/** A value that a schema refuses: its place, empty for the whole, and the reason. */
export interface Problem {
  readonly at: string;
  readonly message: string;
}

/** Returns the first problems of a value that a schema refuses. */
export function problemsOf(schema: z.ZodType, error: { readonly issues: readonly Issue[] }): Problem[] {
  return error.issues
    .filter(isOwn)
    .slice(0, MOST_PROBLEMS)
    .map((issue) => {
      const at = (path: readonly PropertyKey[]) => path.map(String).join(".");
      const name = issue.path.at(-1);
      if (isMissing(issue) && typeof name === "string")
        return { at: at(issue.path.slice(0, -1)), message: `${JSON.stringify(name)} is missing` };
      return { at: at(issue.path), message: messageOf(schema, issue) };
    });
}

/** False for an issue about the size of a value of a wrong type. */
function isOwn({ path }: Issue, i: number, issues: readonly Issue[]): boolean {
  const before = issues[i - 1];
  return before?.code !== "invalid_type" || before.path.join() !== path.join();
}

/** True for an issue about the names of parameters: one is missing, is none, or is of another form. */
export function concernsNames(issue: Issue): boolean {
  return issue.code === "unrecognized_keys" || issue.code === "invalid_union" || isMissing(issue);
}

/** True for a value that is not there. */
function isMissing({ path, input, discriminator }: Issue): boolean {
  if (discriminator === undefined) return input === undefined && path.length > 0;
  return isJsonObject(input) && input[discriminator] === undefined;
}

export function inOneLine(problems: readonly Problem[]): string {
  return problems.map(({ at, message }) => (at === "" ? message : `${at}: ${message}`)).join("; ");
}

/** Returns the message of an issue: which names and forms are taken where a name or a form is not. */
function messageOf(schema: z.ZodType, issue: Issue): string {
  const { code, path, message, keys = [] } = issue;
  const bound = outOfBounds(issue);
  if (bound !== undefined) return bound;
  if (code !== "invalid_union" && code !== "unrecognized_keys" && code !== "invalid_type") return message;
  const whole = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;
  const place = path.reduce<Schema | undefined>(inside, whole);
  if (place === undefined) return message;
  if (code === "invalid_union") return `Invalid input: expected ${typeOf(place)}`;
  if (code === "invalid_type") return message.replace("expected object", `expected ${typeOf(place)}`);
  // The form that a value has is one of those without the key; often it is the only one.
  const forms = variants(place).filter(({ properties = {} }) => !keys.some((key) => key in properties));
  const names = [...new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const quoted = keys.slice(0, MOST_PROBLEMS).map((key) =>
    quoteUnknown(
      key,
      names.filter((name) => name !== key),
    ),
  );
  const [form, ...more] = forms;
  const takes = form !== undefined && more.length === 0 ? names.join(", ") || "nothing" : typeOf(place);
  const kind = form !== undefined && more.length === 0 && variants(place).length > 1 ? kindOf(form) : "";
  return `there is no ${quoted.join(" nor ")}${kind}; it takes ${takes}`;
}

/** Returns the message of a value that is too large or too small; undefined for an issue with a message of its own. */
function outOfBounds({ code, origin, minimum, maximum, message }: Issue): string | undefined {
  if (!message.startsWith("Too ")) return undefined;
  if (code === "too_small" && origin === "string" && minimum === 1) return "the text is empty";
  if (code === "too_big" && origin === "string") return `the text is longer than ${maximum} characters`;
  if (code === "too_big" && origin === "array") return `give at most ${maximum}`;
  if (code === "too_small" && origin === "array") return `give at least ${minimum}`;
  if (code === "too_big") return `give a number up to ${maximum}`;
  return code === "too_small" ? `give a number from ${minimum}` : undefined;
}

/** Returns the words for one of several forms, by the parameter that tells them apart. */
function kindOf({ properties = {} }: Schema): string {
  const [name, kind] = Object.entries(properties).find(([, { const: only }]) => only !== undefined) ?? [];
  return kind === undefined ? "" : ` with ${name} ${JSON.stringify(kind.const)}`;
}

/** Returns the schema of a part of a value; of a value with several forms, the schemas in all of them. */
function inside(schema: Schema | undefined, part: PropertyKey): Schema | undefined {
  const found = (schema === undefined ? [] : variants(schema)).flatMap((one) => {
    const { additionalProperties: others } = one;
    const inner =
      typeof part === "number"
        ? (one.prefixItems?.[part] ?? one.items)
        : (one.properties?.[String(part)] ?? (typeof others === "object" ? others : undefined));
    return inner === undefined ? [] : variants(inner);
  });
  return found.length > 1 ? { anyOf: found } : found[0];
}
