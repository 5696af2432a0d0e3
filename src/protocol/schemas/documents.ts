import { z } from "zod";
import { LEVELS } from "../../workspace/access/rights.ts";
import { headedDiff, historyChange } from "./change.ts";
import {
  answering,
  glob,
  id,
  lineRange,
  message,
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

const info = z.object({
  path,
  docId: z.string(),
  version,
  sha256,
  chars: z.int().describe("Number of code points, whatever the unit of positions."),
  lines: z.int().describe("Number of lines, as editors count them; 1 for an empty document."),
  eol: z.enum(["lf", "crlf", "cr", "mixed", "none"]),
  finalNewline: z.boolean(),
});
/** The answer to a token that may only propose. */
const proposed = z.object({
  path,
  proposal: z.string().describe("Proposal that the request became; it changed nothing yet."),
});
const done = z.object({ path, proposal: proposed.shape.proposal.optional() });

/** Methods about documents and their files. */
export const documents = {
  "doc.list": method(
    "Returns the documents of the workspace that match a glob; all of them without one.",
    "none",
    () =>
      z.strictObject({
        pattern: glob.optional(),
        loaded: z
          .boolean()
          .optional()
          .describe("True for the documents in memory only, false for the others."),
      }),
    () =>
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
    "Returns how documents and their files differ: of a path, of a docId wherever that document is now, or of all documents in memory.",
    "read",
    () =>
      z.union([
        z.strictObject({ path: path.optional() }),
        z.strictObject({ docId: id.describe("Id of the document, whatever its path is now.") }),
      ]),
    () =>
      z.object({
        docs: z.array(
          z.object({
            path,
            docId: z.string(),
            syncStatus: z
              .enum(["synced", "memory_ahead", "disk_ahead", "conflict", "blocked", "deleted"])
              .describe("`conflict`: memory and file both have changes that the daemon is about to merge."),
            diskMtime: z.string().nullable(),
            version,
            sha256,
            pendingWrites: z.int(),
            problem: z.string().optional(),
          }),
        ),
      }),
  ),
  "doc.open": method(
    "Loads a document and returns its state.",
    "read",
    () => z.strictObject({ path }),
    () => info,
  ),
  "doc.read": method(
    "Returns a document's text, or a part of it, as of now or as of a version.",
    "read",
    () =>
      z.strictObject({
        path,
        version: version
          .optional()
          .describe("Version to read, also of a deleted document. Default: the newest."),
        lines: lineRange.optional().describe("First and last line, from 1, inclusive."),
        range: range.optional().describe("Start and end position, half-open."),
        view,
        lineOffsets: z.boolean().optional().describe("True to include the position of each line's start."),
        selectionHash: z.boolean().optional().describe("True to include the hash of the returned text."),
        since: version.optional().describe("Version whose later changes the result includes."),
        unseen: z
          .boolean()
          .optional()
          .describe("True when the client does not show the answer, so that the session has not seen it."),
      }),
    () =>
      info.extend({
        text: z
          .string()
          .describe("The text. The other fields describe the document, also beside a view of it."),
        lineOffsets: z.array(position).optional().describe("Position of each line's start."),
        selection_hash: sha256
          .optional()
          .describe("SHA-256 of `text` in hex; edit.legacy accepts it as selection_fingerprint."),
        since: z
          .object({
            version,
            changes: z.array(historyChange).describe("Oldest first, the newest 100."),
            more: z.boolean().describe("True when there are earlier changes after that version."),
            before: z
              .string()
              .optional()
              .describe(
                "With `more`: the `before` with which history.list returns the earlier changes, the newest first; that version's own change ends them.",
              ),
            splices: z.array(splice).describe("All changes as one edit, in positions of that version."),
          })
          .optional()
          .describe("Changes after the requested version."),
      }),
  ),
  "doc.create": method(
    "Creates a file and its folders; refuses when a file exists. With `propose` alone it becomes a proposal.",
    "propose",
    () => z.strictObject({ path, text: text.describe("Text of the new file."), message, ...answering }),
    () => z.union([info, proposed]),
  ),
  "doc.delete": method(
    "Deletes a document's file; its history remains. With `propose` alone it becomes a proposal.",
    "propose",
    () => z.strictObject({ path, message, ...answering }),
    () => done,
  ),
  "doc.restore": method(
    "Restores a deleted document's file with its newest text, also edits that the file did not contain; its history continues.",
    "write",
    () => z.strictObject({ path, message, ...answering }),
    () => info,
  ),
  "doc.rename": method(
    "Moves a document's file; the document keeps its id and history. With `propose` alone it becomes a proposal.",
    "propose",
    () =>
      z.strictObject({
        path,
        to: path.describe("New path, relative to the workspace."),
        message,
        ...answering,
      }),
    () => done,
  ),
  "doc.save": method(
    "Waits until the file contains all edits of its document.",
    "read",
    () => z.strictObject({ path }),
    () =>
      z.object({
        path,
        version,
        mirrored: z.literal(true).describe("Always true: the file contains the version."),
      }),
  ),
  "doc.reload": method(
    "Restores a document to the text of its file; edits that the daemon could not write are reverted.",
    "write",
    () => z.strictObject({ path }),
    () => info,
  ),
  "doc.diff": method(
    "Returns the unified diff between two versions of a document. Default: from the file's text to the newest version.",
    "read",
    () =>
      z.strictObject({
        path,
        from: version.optional().describe("Older version. Default: the text of the file."),
        to: version.optional().describe("Newer version. Default: the newest."),
      }),
    () => z.object({ diff: headedDiff }),
  ),
  "doc.committed": method(
    "Returns the text that a document has in the newest commit of git. The daemon runs no filter of the repository.",
    "read",
    () => z.strictObject({ path }),
    () =>
      z.object({
        path,
        commit: z.string().nullable().describe("The commit; null without git, a repository or a commit."),
        text: z
          .string()
          .nullable()
          .describe("The text; null if the commit does not have the file, or not as text."),
      }),
  ),
  "mirror.resume": method(
    "Accepts that files which went missing all at once were deleted; until then their documents wait.",
    "admin",
    () => z.strictObject({}),
    () => z.object({ deleted: z.int().describe("Number of deleted documents.") }),
    "all",
  ),
};
