import { z } from "zod";
import { LEVELS } from "../../workspace/access/rights.ts";
import {
  glob,
  id,
  lineRange,
  method,
  path,
  position,
  range,
  sha256,
  splice,
  text,
  version,
  view,
} from "./common.ts";
import { told } from "./told.ts";

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

/** Methods about documents and their files. */
export const documents = {
  "doc.list": method(
    "Documents in the workspace, by glob.",
    "none",
    z.strictObject({
      pattern: glob.optional(),
      loaded: z.boolean().optional(),
    }),
    z.object({
      docs: z.array(
        z.object({
          path,
          size: z.int(),
          permission: z.enum(LEVELS),
          loaded: z.boolean(),
          dirty: z.boolean(),
          kind: z.enum(["text", "binary", "too_large"]),
        }),
      ),
    }),
  ),
  "doc.status": method(
    "How a document and its file stand to each other, wherever that is now by docId; all loaded ones without either.",
    "read",
    z.union([z.strictObject({ path: path.optional() }), z.strictObject({ docId: id })]),
    z.object({
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
  ),
  "doc.open": method("Loads a document.", "read", z.strictObject({ path }), info),
  "doc.read": method(
    "The text as it is now or was at a version, whole or in part.",
    "read",
    z.strictObject({
      path,
      version: version
        .optional()
        .describe("Read the text that this names, also of a deleted document. Default: the newest."),
      lines: lineRange.optional().describe("From and to, 1-based, inclusive."),
      range: range.optional().describe("From and to, half-open."),
      view,
      lineOffsets: z.boolean().optional().describe("Also answer the position at which each line starts."),
      selectionHash: z.boolean().optional().describe("Also answer the hash of the part that was asked for."),
      since: version.optional().describe("Also answer what was changed after this version, by whom."),
    }),
    info.extend({
      text: z.string().describe("All else is told of the document itself, also where this is a view of it."),
      lineOffsets: z.array(position).optional(),
      selection_hash: sha256
        .optional()
        .describe("SHA-256 of `text`, hex; edit.legacy takes it as selection_fingerprint."),
      since: z
        .object({
          version,
          changes: z.array(told).describe("Oldest first; the newest 100 of them."),
          more: z.boolean().describe("There were earlier ones after that version."),
          splices: z.array(splice).describe("All of them as one edit, in the positions of that version."),
        })
        .optional(),
    }),
  ),
  "doc.create": method(
    "Makes a file, and the folders that it needs; never over another one.",
    "write",
    z.strictObject({ path, text }),
    info,
  ),
  "doc.delete": method("Deletes the file; the history stays.", "write", z.strictObject({ path }), done),
  "doc.restore": method(
    "Makes a deleted document's file again, with all that memory held; the history goes on.",
    "write",
    z.strictObject({ path }),
    info,
  ),
  "doc.rename": method(
    "Moves the file; the document keeps its identity and history.",
    "write",
    z.strictObject({ path, to: path }),
    done,
  ),
  "doc.save": method(
    "Waits until the file holds everything.",
    "read",
    z.strictObject({ path }),
    z.object({ path, version, mirrored: z.literal(true) }),
  ),
  "doc.reload": method(
    "Goes back to what the file holds; edits that could not be written are taken back.",
    "write",
    z.strictObject({ path }),
    info,
  ),
  "doc.diff": method(
    "The unified diff between two versions; from the file to memory by default.",
    "read",
    z.strictObject({
      path,
      from: version.optional(),
      to: version.optional(),
    }),
    z.object({ diff: z.string() }),
  ),
  "mirror.resume": method(
    "Believes that the files are deleted which went missing all at once, and for which the mirror waits.",
    "admin",
    z.strictObject({}),
    z.object({ deleted: z.int() }),
    "all",
  ),
};
