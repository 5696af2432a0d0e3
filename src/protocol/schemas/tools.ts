import { z } from "zod";
import { MAX_PATTERN } from "../../text/find/regex.ts";
import { glob, line, method, origin, path, text } from "./common.ts";

const count = z.int().min(0);
const counts = z.record(z.string(), count);

/** The most lines of a match's surroundings, and the most matches of one answer. */
const MOST_CONTEXT = 20;
const MOST_MATCHES = 1000;
const lines = z.array(z.string());
const place = z.strictObject({
  path,
  line: line.optional().describe("Last line that was searched. Default: the whole document was."),
});

/** Methods that look through the workspace or at the daemon itself, and helpers that use no document. */
export const tools = {
  search: method(
    "Returns the lines of documents that contain a text or match a regex, document by document. An answer comes soon: while `more` is true, continue with `next` as `after`.",
    "none",
    () =>
      z.strictObject({
        query: text.min(1).max(MAX_PATTERN).describe("Text to find, or the regex."),
        regex: z
          .boolean()
          .optional()
          .describe("True for an RE2 regex; `^` and `$` match at lines. Default: false."),
        ignoreCase: z.boolean().optional().describe("True to ignore upper and lower case. Default: false."),
        pattern: glob.optional(),
        limit: z
          .int()
          .min(1)
          .max(MOST_MATCHES)
          .optional()
          .describe("Most matching lines in the answer. Default: 100."),
        context: z
          .int()
          .min(0)
          .max(MOST_CONTEXT)
          .optional()
          .describe("Lines to return before and after each match. Default: 0."),
        after: place.optional().describe("Place to continue from: `next` of the answer before."),
      }),
    () =>
      z.object({
        matches: z
          .array(z.object({ path, line, text: z.string(), before: lines, after: lines }))
          .describe("Matching lines, cut after 500 characters. They do not count as seen."),
        more: z.boolean().describe("True when not all documents have been searched."),
        next: place.nullable().describe("Where to continue; null at the end."),
        tooLong: z.array(path).describe("Documents in which the regex needs too many steps."),
      }),
  ),
  "metrics.get": method(
    "Returns the daemon's counters since its start; GET /metrics returns them for Prometheus.",
    "read",
    () => z.strictObject({}),
    () =>
      z.object({
        total_patches: count.describe("Number of answered calls of edit.patch."),
        patch_conflicts: count.describe(
          "Number of these that did not fit the document, or overlapped later edits.",
        ),
        avg_patch_latency: z.number().describe("Mean time from such a call to its answer, in milliseconds."),
        uptimeMs: count.describe("Time since the daemon's start, in milliseconds."),
        memoryBytes: count.describe("Resident memory of the daemon, in bytes."),
        connections: count.describe("Number of open connections."),
        documents: z
          .object({ loaded: count, pendingWrites: count, problems: counts })
          .describe("Documents in memory, changes not yet in their files, and file problems by kind."),
        changes: z.partialRecord(origin, count).describe("Number of changes, by origin."),
        conflicts: count.describe("Number of merges of the same or adjoining words (doc.conflict)."),
        rescued: count.describe("Number of stale saves that were merged (doc.rescued)."),
        superseded: count.describe("Number of saves that reverted edits of other authors."),
        storeTrouble: z
          .enum(["full", "gone", "failed"])
          .nullable()
          .describe("Reason why the store refuses writes; null when it works."),
        requests: z
          .array(
            z.object({
              method: z.string(),
              outcomes: counts,
              latency: z.object({
                count,
                sumMs: z.number(),
                buckets: z.array(z.object({ le: z.number(), count })),
              }),
            }),
          )
          .describe(
            "Requests by method, `unknown` for an unknown one. Outcomes are `ok` and the codes of refusals; a bucket counts the requests of at most `le` milliseconds.",
          ),
      }),
    "all",
  ),
  "rpc.discover": method(
    "Returns this protocol as an OpenRPC document.",
    "none",
    () => z.strictObject({}),
    () =>
      z.looseObject({
        openrpc: z.string(),
        info: z.looseObject({ title: z.string(), version: z.string() }),
        methods: z.array(z.looseObject({ name: z.string() })),
      }),
  ),
  "diff.build": method(
    "Returns the unified diff from one text to another, in the form that edit.patch accepts.",
    "none",
    () =>
      z.strictObject({
        original: text.describe("Exact text that the patch will be applied to."),
        updated: text.describe("Text after the patch."),
        path: path.optional().describe("Path in the diff's headers; without one the diff has no headers."),
        context: z.int().min(1).max(1000).optional().describe("Unchanged lines around a change. Default: 3."),
      }),
    () =>
      z.object({
        diff: z.string().describe("Unified diff; empty when the texts are equal."),
        changed: z.boolean().describe("True when the texts differ."),
      }),
  ),
};
