import { z } from "zod";
import { method, origin, path, text } from "./common.ts";

const count = z.int().min(0);
const counts = z.record(z.string(), count);

/** Methods about the daemon itself, and helpers that use no document. */
export const tools = {
  "metrics.get": method(
    "Returns the daemon's counters since its start; GET /metrics returns them for Prometheus.",
    "read",
    z.strictObject({}),
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
    z.strictObject({}),
    z.looseObject({
      openrpc: z.string(),
      info: z.looseObject({ title: z.string(), version: z.string() }),
      methods: z.array(z.looseObject({ name: z.string() })),
    }),
  ),
  "diff.build": method(
    "Returns the unified diff from one text to another, in the form that edit.patch accepts.",
    "none",
    z.strictObject({
      original: text.describe("Exact text that the patch will be applied to."),
      updated: text.describe("Text after the patch."),
      path: path.optional().describe("Path in the diff's headers; without one the diff has no headers."),
      context: z.int().min(1).max(1000).optional().describe("Unchanged lines around a change. Default: 3."),
    }),
    z.object({
      diff: z.string().describe("Unified diff; empty when the texts are equal."),
      changed: z.boolean().describe("True when the texts differ."),
    }),
  ),
};
