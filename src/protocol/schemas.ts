import { z } from "zod";

/** Everything that crosses the wire, as schemas: the checks, the types and the reference come from here. */

/** A string that UTF-8 can carry. */
const text = z.string().refine((s) => s.isWellFormed(), {
  error: "holds a lone surrogate, which is no text",
});
const path = text.min(1).describe("Root-relative, with / between folders.");
const version = z.string().min(1).max(64).describe("Names the text after one change; opaque.");
const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, { error: "must be 64 hex digits" })
  .describe("SHA-256 of the file's exact bytes, hex.");
const position = z
  .int()
  .min(0)
  .describe("A position in the unit that hello agreed on; code points by default.");
const line = z.int().min(1).describe("A line number, 1-based.");
const name = text.min(1).max(100);
const glob = text
  .min(1)
  .max(1000)
  .refine((s) => !/[@!+*?]\(/.test(s) && s.split("/").every((part) => part.split("*").length <= 4), {
    error: "at most three * in one part of the path, and no (…) groups, so that it is matched quickly",
  })
  .describe("`*` stays within a folder, `**` does not.");

export const unit = z.enum(["utf-32", "utf-16", "utf-8"]);
const splice = z.strictObject({ from: position, to: position, insert: text });
const range = z.tuple([z.int().min(0), z.int().min(0)]);
const lineRange = z.tuple([line, line]);

const edit = {
  path,
  version: version.optional(),
  sha256: sha256.optional(),
  onStale: z
    .enum(["merge", "reject"])
    .optional()
    .describe("What to do when the document has changed since the base. Default: merge."),
  ack: z
    .enum(["mirrored", "durable"])
    .optional()
    .describe(
      "When to answer: once the file on disk holds the edit (default), or once it is fsynced in the store.",
    ),
  opId: text
    .min(1)
    .max(200)
    .optional()
    .describe("The same id again gets the first answer again, not a second edit."),
  message: text.max(80).optional().describe("Why, as in a commit; shown in the history."),
  confirm: z.string().min(1).max(64).optional().describe("The patch_id of a CONFIRMATION_REQUIRED answer."),
};

const newLines = z.array(text).min(1);
const lineTarget = {
  startLine: line,
  endLine: line,
  expectedOriginalLines: z.array(text).min(1),
};
const described = {
  changeKey: name.optional(),
  description: z.string().max(1000).optional(),
};
export const lineChange = z.discriminatedUnion("operation", [
  z.strictObject({
    ...described,
    operation: z.literal("insert"),
    afterLine: z.int().min(0),
    newLines,
  }),
  z.strictObject({
    ...described,
    operation: z.literal("replace"),
    ...lineTarget,
    newLines,
  }),
  z.strictObject({
    ...described,
    operation: z.literal("delete"),
    ...lineTarget,
  }),
]);

export const params = {
  hello: z.object({
    protocol: z.int(),
    agent: z.object({ name }),
    positionEncoding: unit.optional(),
  }),
  "doc.list": z.strictObject({
    pattern: glob.optional(),
    loaded: z.boolean().optional(),
  }),
  "doc.status": z.strictObject({ path: path.optional() }),
  "doc.open": z.strictObject({ path }),
  "doc.read": z.strictObject({
    path,
    lines: lineRange.optional().describe("From and to, 1-based, inclusive."),
    range: range.optional().describe("From and to, half-open."),
    view: z.enum(["text"]).optional(),
    lineOffsets: z.boolean().optional().describe("Also answer the position at which each line starts."),
  }),
  "doc.create": z.strictObject({ path, text }),
  "doc.delete": z.strictObject({ path }),
  "doc.restore": z.strictObject({ path }),
  "doc.rename": z.strictObject({ path, to: path }),
  "doc.save": z.strictObject({ path }),
  "doc.reload": z.strictObject({ path }),
  "doc.close": z.strictObject({ path }),
  "doc.diff": z.strictObject({
    path,
    from: version.optional(),
    to: version.optional(),
  }),
  subscribe: z.union([z.strictObject({ path }), z.strictObject({ pattern: glob })]),
  unsubscribe: z.union([z.strictObject({ path }), z.strictObject({ pattern: glob })]),
  "edit.replace": z.strictObject({
    ...edit,
    old: text.min(1),
    new: text,
    occurrence: z
      .union([z.enum(["unique", "first", "all"]), z.int().min(1)])
      .optional()
      .describe("Which match is meant; a number counts from 1. Default: unique."),
    regex: z.boolean().optional().describe("`old` is an RE2 regex; $1, $<name> and $& work in `new`."),
  }),
  "edit.patch": z
    .strictObject({
      ...edit,
      patch: text.min(1).optional().describe("A unified diff of this one document."),
      patch_lines: z.array(text).min(1).optional().describe("The same, a string a line."),
      match: z.enum(["strict"]).optional(),
    })
    .refine((p) => (p.patch === undefined) !== (p.patch_lines === undefined), {
      error: "give either patch or patch_lines",
    }),
  "edit.splice": z.strictObject({ ...edit, splices: z.array(splice).min(1) }),
  "edit.lines": z.strictObject({
    ...edit,
    changes: z.array(lineChange).min(1),
  }),
  "edit.append": z.strictObject({ ...edit, text }),
  "edit.write": z.strictObject({ ...edit, text }),
  "mirror.resume": z.strictObject({}),
  undo: z.strictObject({
    changeId: z.string().min(1).max(100),
    ack: edit.ack,
    opId: edit.opId,
    message: edit.message,
  }),
} as const;

export type Method = keyof typeof params;
export type Params<M extends Method> = z.infer<(typeof params)[M]>;

const info = z.object({
  path,
  docId: z.string(),
  version,
  sha256,
  chars: z.int(),
  lines: z.int(),
  eol: z.enum(["lf", "crlf", "cr", "mixed", "none"]),
  finalNewline: z.boolean(),
});
const done = z.object({ path });
const conflicts = z.array(z.object({ ours: splice, theirs: splice }));

const editResult = z.object({
  changeId: z.string().nullable().describe("Null when nothing was left to change."),
  path,
  version,
  sha256: sha256
    .nullable()
    .describe("Null for a document over 1 MiB whose file was not waited for (ack: durable)."),
  summary: z.string(),
  splices: z.array(splice).describe("In the positions of the text they were applied to."),
  durable: z.boolean(),
  mirrored: z.boolean().describe("False when the file could not be written yet; doc.status tells why."),
  merged: z.boolean().describe("Others had changed the document since the base."),
  conflicts: conflicts.describe("Both sides changed the same characters (base positions); both texts stay."),
  applied: z.object({ hunks: z.int(), offset: z.int(), fuzz: z.int() }).optional(),
});
const subscription = z.object({
  matched: z.int().describe("Documents that match now."),
  opened: z.int().describe("Documents that are watched because of this; limited by limits.subscribeOpen."),
});

export const results = {
  hello: z.object({
    protocol: z.literal(1),
    session: z.string(),
    agent: z.object({ id: z.string(), name }),
    server: z.object({ name: z.literal("spliced"), version: z.string() }),
    positionEncoding: unit,
    limits: z.object({ maxMessageBytes: z.int(), maxFileBytes: z.int() }),
  }),
  "doc.list": z.object({
    docs: z.array(
      z.object({
        path,
        size: z.int(),
        permission: z.enum(["none", "read", "propose", "append", "write", "admin"]),
        loaded: z.boolean(),
        dirty: z.boolean(),
        kind: z.enum(["text", "binary", "too_large"]),
      }),
    ),
  }),
  "doc.status": z.object({
    docs: z.array(
      z.object({
        path,
        docId: z.string(),
        syncStatus: z.enum(["synced", "memory_ahead", "disk_ahead", "conflict", "blocked", "deleted"]),
        diskMtime: z.string().nullable(),
        version,
        sha256,
        pendingWrites: z.int(),
        problem: z.string().optional(),
      }),
    ),
  }),
  "doc.open": info,
  "doc.read": info.extend({
    text: z.string(),
    lineOffsets: z.array(position).optional(),
  }),
  "doc.create": info,
  "doc.delete": done,
  "doc.restore": info,
  "doc.rename": done,
  "doc.save": z.object({ path, version, mirrored: z.literal(true) }),
  "doc.reload": info,
  "doc.close": done,
  "doc.diff": z.object({ diff: z.string() }),
  subscribe: subscription,
  unsubscribe: z.object({}),
  "edit.replace": editResult,
  "edit.patch": editResult,
  "edit.splice": editResult,
  "edit.lines": editResult,
  "edit.append": editResult,
  "edit.write": editResult,
  undo: editResult,
  "mirror.resume": z.object({ deleted: z.int() }),
} as const satisfies Record<Method, z.ZodType>;

export type Result<M extends Method> = z.infer<(typeof results)[M]>;

const author = z.string().describe("The agent's name; `disk` for what came from the file.");

export const notifications = {
  "doc.changed": z.object({
    path,
    version,
    sha256: sha256.nullable(),
    author,
    agent: z.string(),
    origin: z.enum(["agent", "disk", "undo", "proposal", "remote"]),
    changeId: z.string(),
    splices: z.array(splice),
  }),
  "doc.created": z.object({ path, docId: z.string(), author }),
  "doc.deleted": z.object({
    path,
    docId: z.string(),
    author,
    unsaved: z.int().describe("Edits that the file did not hold yet; doc.restore brings them back, too."),
  }),
  "doc.renamed": z.object({ path, to: path, docId: z.string(), author }),
  "doc.conflict": z.object({
    path,
    version,
    author,
    conflicts: conflicts.describe(
      "Where the save (`ours`) and edits that the file did not hold yet (`theirs`) replaced the same characters of what the file held; both texts stayed.",
    ),
    superseded: z
      .object({ changeId: z.string(), base: version, authors: z.array(z.string()) })
      .optional()
      .describe(
        "The save took out what these wrote since `base`, perhaps without meaning to. It stands; undoing `changeId` brings them back.",
      ),
  }),
  "doc.rescued": z.object({
    path,
    version,
    changeId: z.string().describe("The change that gave the edits back; undo it to let the save stand."),
    base: version.describe("What the save was made from."),
    authors: z.array(z.string()).describe("Whose edits the save lacked."),
    conflicts: conflicts.describe("Where both changed the same characters of the base; both texts stayed."),
  }),
  "mirror.blocked": z.object({
    path,
    problem: z.object({ kind: z.string(), message: z.string() }),
  }),
  "mirror.recovered": z.object({ path }),
  resync: z.object({
    paths: z.array(path).describe("Read these again: changes to them were not sent."),
  }),
} as const;

export type Notification = keyof typeof notifications;
export type NotificationParams<N extends Notification> = z.infer<(typeof notifications)[N]>;

/** One line on each method, for the reference. */
export const summaries: Record<Method, string> = {
  hello: "Comes first, within 5 s: who you are, and the unit of positions.",
  "doc.list": "Documents in the workspace, by glob.",
  "doc.status": "How a document and its file stand to each other; all loaded ones without a path.",
  "doc.open": "Loads a document.",
  "doc.read": "The text as it is now, whole or in part.",
  "doc.create": "Makes a file, and the folders that it needs; never over another one.",
  "doc.delete": "Deletes the file; the history stays.",
  "doc.restore": "Makes a deleted document's file again, with all that memory held; the history goes on.",
  "doc.rename": "Moves the file; the document keeps its identity and history.",
  "doc.save": "Waits until the file holds everything.",
  "doc.reload": "Goes back to what the file holds; edits that could not be written are taken back.",
  "doc.close": "Ends this connection's interest in a document.",
  "doc.diff": "The unified diff between two versions; from the file to memory by default.",
  subscribe: "Asks for notifications about a document, or all that match a glob.",
  unsubscribe: "Ends a subscription.",
  "edit.replace": "Replaces text by text.",
  "edit.patch": "Applies a unified diff: all hunks or none.",
  "edit.splice": "Replaces ranges by position.",
  "edit.lines": "Inserts, replaces and deletes whole lines by number.",
  "edit.append": "Adds text at the end.",
  "mirror.resume":
    "Believes that the files are deleted which went missing all at once, and for which the mirror waits.",
  undo: "Takes one change back, whoever made it, and keeps all that came after.",
  "edit.write": "Makes the text what is given, by the least difference.",
};
