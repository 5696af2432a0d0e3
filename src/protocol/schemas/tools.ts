import { z } from "zod";
import { method, origin, path, text } from "./common.ts";

const count = z.int().min(0);
const counts = z.record(z.string(), count);

/** Methods about the daemon itself, and helpers that touch no document. */
export const tools = {
  "metrics.get": method(
    "What the daemon has done since it started, in numbers. GET /metrics has the same for Prometheus.",
    "read",
    z.strictObject({}),
    z.object({
      total_patches: count.describe("Calls of edit.patch that were answered."),
      patch_conflicts: count.describe("Those of them that did not fit the document, or met later edits."),
      avg_patch_latency: z.number().describe("Mean time from such a call to its answer, in milliseconds."),
      uptimeMs: count,
      memoryBytes: count,
      connections: count,
      documents: z
        .object({ loaded: count, pendingWrites: count, problems: counts })
        .describe("Those in memory: changes their files do not hold yet, and files in trouble by kind."),
      changes: z.partialRecord(origin, count).describe("Made, by where they came from."),
      conflicts: count.describe("Times that doc.conflict told of the same characters changed on both sides."),
      rescued: count.describe("Stale saves that were merged (doc.rescued)."),
      superseded: count.describe("Saves that stand and took out others' edits."),
      storeTrouble: z.enum(["full", "gone", "failed"]).nullable(),
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
          "By method; `unknown` for those there are not. Outcomes are `ok` and codes of refusals; a bucket counts all that took at most `le` milliseconds.",
        ),
    }),
    "all",
  ),
  "rpc.discover": method(
    "This protocol as an OpenRPC document.",
    "none",
    z.strictObject({}),
    z.looseObject({
      openrpc: z.string(),
      info: z.looseObject({ title: z.string(), version: z.string() }),
      methods: z.array(z.looseObject({ name: z.string() })),
    }),
  ),
  "diff.build": method(
    "The unified diff from one text to another, as edit.patch takes it.",
    "none",
    z.strictObject({
      original: text.describe("The text that the patch will be sent against, exactly."),
      updated: text,
      path: path.optional().describe("Named in the headers; without it the diff has none."),
      context: z.int().min(1).max(1000).optional().describe("Unchanged lines around a change. Default: 3."),
    }),
    z.object({ diff: z.string().describe("Empty when the texts are equal."), changed: z.boolean() }),
  ),
};
