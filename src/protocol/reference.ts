import { z } from "zod";
import { LEVELS } from "../workspace/access/rights.ts";
import { REFUSAL_CODES, type RefusalCode } from "../workspace/outcome/refusal.ts";
import { numberOf } from "./errors.ts";
import { type Method, notifications, methods as schemas } from "./schemas.ts";

/** The protocol reference, in Markdown, made from the schemas that check what crosses the wire. */
export function protocolReference(): string {
  return [INTRODUCTION, ...methods(), ...notices(), ...errors()].join("\n");
}

const INTRODUCTION = `# Protocol, version 1

Made from the schemas by \`npm run docs\`; not written by hand.

Connect a WebSocket to the \`rpc\` address of \`<workspace>/.spliced/daemon.json\`, with its token in the header
\`Authorization: Bearer …\`. Every text frame is one JSON-RPC 2.0 object. The first request is \`hello\`, within
5 seconds. Requests may be sent without waiting for answers: those on one document are done in the order in
which they were sent.

Lines are 1-based and inclusive. Positions are half-open ranges in code points, unless \`hello\` asks for
\`utf-16\` or \`utf-8\`. A \`version\` names the text after one change and is opaque; a \`sha256\` is of the file's
exact bytes; either may name the base of an edit. An edit against an older base is resolved strictly there and
then merged over what happened since.

What a method takes is what the token has to allow on the documents it names: \`${LEVELS.join(" < ")}\`. What may
not be read is answered as if it were not there. Edits are applied with \`write\`, \`edit.append\` with \`append\`.
`;

function methods(): string[] {
  const names = Object.keys(schemas) as Method[];
  return ["## Methods", "", ...names.flatMap((name) => method(name))];
}

function method(name: Method): string[] {
  const { summary, level, on, params, result } = schemas[name];
  return [
    `### \`${name}\``,
    "",
    level === "none" ? summary : `${summary} Takes \`${level}\`${on === "all" ? " on all documents" : ""}.`,
    "",
    "| parameter | type | |",
    "|---|---|---|",
    ...rows(params),
    "",
    `Result: ${inline(z.toJSONSchema(result, { io: "output" }) as Schema)}`,
    "",
    ...notes(result),
  ];
}

function notices(): string[] {
  const entries = Object.entries(notifications);
  return [
    "## Notifications",
    "",
    "Of one document they come in the order of its versions. A client that falls too far behind gets `resync`",
    "with the paths to read again, instead of them.",
    "",
    ...entries.flatMap(([name, schema]) => [
      `### \`${name}\``,
      "",
      inline(z.toJSONSchema(schema, { io: "output" }) as Schema),
      "",
      ...notes(schema),
    ]),
  ];
}

function errors(): string[] {
  return [
    "## Errors",
    "",
    '`{"error":{"code":…,"message":"…","data":{"code":"NO_MATCH","details":{…},"suggestion":"…"}}}`. A frame that is',
    "not JSON is -32700, one that is no request -32600, an unknown method -32601; their `data.code` is",
    "`INVALID_ARGUMENT`.",
    "",
    "| `data.code` | `code` | when |",
    "|---|---|---|",
    ...REFUSAL_CODES.map((code) => `| \`${code}\` | ${numberOf(code)} | ${MEANINGS[code]} |`),
    "",
  ];
}

export interface Schema {
  readonly type?: string | string[];
  readonly description?: string;
  readonly properties?: Record<string, Schema>;
  readonly required?: string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly prefixItems?: Schema[];
  readonly anyOf?: Schema[];
  readonly oneOf?: Schema[];
  readonly enum?: unknown[];
  readonly const?: unknown;
}

function rows(schema: z.ZodType): string[] {
  const json = z.toJSONSchema(schema, { io: "input" }) as Schema;
  return variants(json).flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, property]) => {
      const shown = required.includes(name) ? `\`${name}\`` : `\`${name}\`?`;
      return `| ${shown} | ${inline(property).replaceAll("|", "\\|")} | ${property.description ?? ""} |`;
    }),
  );
}

/** Descriptions of a result's fields, as a list. */
function notes(schema: z.ZodType): string[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: "output" }) as Schema;
  const described = Object.entries(properties).filter(([, { description }]) => description !== undefined);
  return described.length === 0
    ? []
    : [...described.map(([name, p]) => `- \`${name}\`: ${p.description}`), ""];
}

/** A schema on one line, as TypeScript would write the type. */
function inline(schema: Schema): string {
  return `\`${typeOf(schema)}\``;
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.map(typeOf).join(" | ");
  if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(typeOf).join(", ")}]`;
  if (schema.items !== undefined) return list(schema.items);
  if (schema.properties !== undefined) return record(schema);
  if (typeof schema.additionalProperties === "object")
    return `{ [name]: ${typeOf(schema.additionalProperties)} }`;
  return [schema.type ?? "unknown"].flat().join(" | ");
}

function record({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, property]) => `${name}${required.includes(name) ? "" : "?"}: ${typeOf(property)}`,
  );
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

function list(item: Schema): string {
  const union = item.enum ?? item.anyOf ?? item.oneOf;
  return union === undefined ? `${typeOf(item)}[]` : `(${typeOf(item)})[]`;
}

export function variants(schema: Schema): Schema[] {
  return schema.anyOf ?? schema.oneOf ?? [schema];
}

/** What each refusal says. */
export const MEANINGS: Record<RefusalCode, string> = {
  UNAUTHENTICATED: "hello has not been said",
  PERMISSION_DENIED: "the system, or the token, does not allow it; the path is reserved",
  NOT_FOUND: "there is no such document or version; a near spelling is named",
  ALREADY_EXISTS: "there is a file already",
  DELETED: "the document was deleted; its history is kept",
  INVALID_ARGUMENT: "a parameter is missing, unknown or wrong; it is named",
  INVALID_POSITION: "a position is outside the text or inside a character",
  PATH_ESCAPE: "the path leads out of the workspace, or a link on it does",
  NOT_TEXT: "the file is not UTF-8 text; it is never touched",
  TOO_LARGE: "a file, edit or regex is over a limit; the limit is named",
  NO_MATCH: "the old text or lines are not there; the nearest are named",
  AMBIGUOUS_MATCH: "they are there several times; the lines are named",
  PATCH_REJECTED:
    "a patch cannot be read, or a hunk does not fit; `details` has its number, the reason, expected and actual lines (from line `start` on) and the nearest match",
  STALE_VERSION: "the document has changed since the base, or the base is not known; the newest is named",
  CONFLICT:
    "what was shown is not what is there (status 409), later edits changed what an undo would take back or a proposal would change, or the proposal was reviewed already",
  CONFIRMATION_REQUIRED: "send it again with `confirm: details.patch_id`",
  STORAGE_FULL: "nothing could be stored, nothing was changed",
  MIRROR_BLOCKED: "the file cannot be written or read now; edits are kept",
  OVERLOADED: "too much is under way, the document just left memory, or the daemon is stopping; try again",
  INTERNAL: "a defect; the log has more under the id in the message",
};
