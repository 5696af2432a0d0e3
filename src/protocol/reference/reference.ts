import { z } from "zod";
import { LEVELS } from "../../workspace/access/rights.ts";
import { REFUSAL_CODES, type RefusalCode } from "../../workspace/outcome/refusal.ts";
import { numberOf } from "../base/errors.ts";
import { type Schema, typeOf, variants } from "../base/json-schema.ts";
import { type Method, notifications, methods as schemas } from "../schemas/schemas.ts";
import { EXAMPLES } from "./examples.ts";

/** Returns the protocol reference in Markdown, generated from the schemas of the wire. */
export function protocolReference(): string {
  return [INTRODUCTION, ...methodSections(), ...notificationSections(), ...errorSection()].join("\n");
}

const INTRODUCTION = `# Protocol, version 1

\`npm run docs\` generates this page from the schemas.

Connect a WebSocket to the \`rpc\` address in \`<workspace>/.spliced/daemon.json\`, with that file's token in the header
\`Authorization: Bearer …\`. Every text frame is one JSON-RPC 2.0 object. The first request is \`hello\`, within
5 seconds. A client may send requests without waiting for answers: the daemon performs requests on one document in
the order of their arrival. It performs an undo, an approval or a restored checkpoint after all changes that the
connection sent before it. A parameter of null counts as left out, except for \`undo\` and \`redo\`.

Lines are numbered from 1, and ranges of lines are inclusive. Positions are half-open ranges in code points, unless
\`hello\` selects \`utf-16\` or \`utf-8\`. A \`version\` is an opaque name of the text after one change; a \`sha256\` is that
of the file's exact bytes. Either may name the base of an edit. A text does not contain the byte order mark with which
its file begins, and the \`sha256\` counts that mark. The daemon resolves an edit against an older base
exactly there, and then merges it over the later changes.

The daemon knows what each session has seen of a document: by reads, by \`doc.changed\` notifications and by its own
edits. An edit without a base is made from that text. Positions, lines and whole texts for a document that the session
has not seen are refused with \`VERSION_REQUIRED\`. \`version: "latest"\` means the newest text, whatever it holds.

A method requires a level of access on the documents that it names:
\`${LEVELS.join(" < ")}\`. Documents that a token may not read look missing to it. The level \`write\` lets a token apply edits, \`append\` lets it apply \`edit.append\`; with
\`propose\` alone, an edit becomes a proposal.
`;

function methodSections(): string[] {
  const names = Object.keys(schemas) as Method[];
  return ["## Methods", "", ...names.flatMap((name) => methodSection(name))];
}

function methodSection(name: Method): string[] {
  const { summary, level, on, params, result } = schemas[name];
  return [
    `### \`${name}\``,
    "",
    level === "none"
      ? summary
      : `${summary} Requires \`${level}\`${on === "all" ? " on all documents" : ""}.`,
    "",
    ...parameterTable(params),
    "",
    `Example: \`${JSON.stringify(EXAMPLES[name])}\``,
    "",
    `Result: ${inline(z.toJSONSchema(result, { io: "output" }) as Schema)}`,
    "",
    ...fieldList(result),
  ];
}

function notificationSections(): string[] {
  const entries = Object.entries(notifications);
  return [
    "## Notifications",
    "",
    "The notifications of one document arrive in the order of its versions. A client that falls too far behind gets",
    "`resync` instead, with the paths to read again.",
    "",
    ...entries.flatMap(([name, schema]) => [
      `### \`${name}\``,
      "",
      inline(z.toJSONSchema(schema, { io: "output" }) as Schema),
      "",
      ...fieldList(schema),
    ]),
  ];
}

function errorSection(): string[] {
  return [
    "## Errors",
    "",
    '`{"error":{"code":…,"message":"…","data":{"code":"NO_MATCH","details":{…},"suggestion":"…"}}}`. A frame that is',
    "not JSON has the code -32700, an invalid request -32600, and an unknown method -32601; their `data.code` is",
    "`INVALID_ARGUMENT`. Some errors have no `suggestion`: their message says what to do.",
    "",
    "| `data.code` | `code` | when |",
    "|---|---|---|",
    ...REFUSAL_CODES.map((code) => `| \`${code}\` | ${numberOf(code)} | ${MEANINGS[code]} |`),
    "",
  ];
}

function parameterTable(schema: z.ZodType): string[] {
  const forms = variants(z.toJSONSchema(schema, { io: "input" }) as Schema);
  const properties = Object.assign({}, ...forms.map((form) => form.properties ?? {}));
  const rows = Object.entries<Schema>(properties).map(([name, property]) => {
    const isRequired = forms.every(({ required = [] }) => required.includes(name));
    const field = isRequired ? `\`${name}\`` : `\`${name}\`?`;
    return `| ${field} | ${inline(property).replaceAll("|", "\\|")} | ${property.description ?? ""} |`;
  });
  if (rows.length === 0) return ["No parameters."];
  const choice = forms.length > 1 ? [`Takes one of: ${forms.map(inline).join(" or ")}.`, ""] : [];
  return [...choice, "| parameter | type | meaning |", "|---|---|---|", ...rows];
}

/** Returns the descriptions of a result's fields as a list. */
function fieldList(schema: z.ZodType): string[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: "output" }) as Schema;
  const described = Object.entries(properties).filter(([, { description }]) => description !== undefined);
  return described.length === 0
    ? []
    : [...described.map(([name, p]) => `- \`${name}\`: ${p.description}`), ""];
}

/** Returns a schema on one line, as a TypeScript type. */
function inline(schema: Schema): string {
  return `\`${typeOf(schema)}\``;
}

/** The condition of each refusal. */
export const MEANINGS: Record<RefusalCode, string> = {
  UNAUTHENTICATED: "the connection has not sent `hello`, or its token is no longer valid",
  PERMISSION_DENIED: "the token or the file's mode forbids it, or the path is reserved",
  NOT_FOUND: "there is no such document or version; the message names a similar one",
  ALREADY_EXISTS: "a file with that path exists",
  IGNORED:
    "a rule of .gitignore, .splicedignore or the configuration leaves the path out; `details` has `rule`, `file` and `line`",
  DELETED: "the document was deleted; its history remains",
  INVALID_ARGUMENT: "a parameter is missing, unknown or invalid; the message names it",
  INVALID_POSITION: "a position is outside the text or inside a character",
  PATH_ESCAPE: "the path, or a link on it, leads out of the workspace",
  NOT_TEXT: "the file is not UTF-8 text; the daemon never changes it",
  TOO_LARGE: "a file, edit or regex exceeds a limit; the message names the limit",
  NO_MATCH: "the document does not contain the old text or lines; the message names the nearest ones",
  AMBIGUOUS_MATCH: "the document contains the old text several times; the message names the lines",
  PATCH_REJECTED:
    "the patch is invalid, or a hunk does not fit; `details` has its number, the reason, the expected and the actual lines (from line `start` on) and the nearest match",
  STALE_VERSION:
    "the document has changed since the base, or the base is unknown; the message names the newest version",
  VERSION_REQUIRED:
    'the edit gives positions or a whole text, names no base, and its session has not seen that text; read it first, or send `version: "latest"`',
  CONFLICT:
    "the document differs from the preview (status 409), later edits overlap an undo or a proposal, or the proposal was reviewed already",
  CONFIRMATION_REQUIRED: "the edit needs a confirmation: send it again with `confirm: details.patch_id`",
  STORAGE_FULL: "the store could not save the change; nothing changed",
  MIRROR_BLOCKED:
    "the daemon cannot read or write the file now, for example because the system forbids it; edits remain in the store",
  OVERLOADED:
    "too many requests are under way, the document just left memory, or the daemon is stopping; try again",
  INTERNAL: "the daemon has a defect; the log has the reason under the id in the message",
};
