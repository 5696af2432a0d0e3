import { z } from "zod";
import { glob, method, name, path, text, unit } from "./common.ts";

const subscription = z.object({
  matched: z.int().describe("Number of matching documents."),
  opened: z
    .int()
    .describe("Number of documents that the subscription watches, at most limits.subscribeOpen."),
});
const target = z.union([z.strictObject({ path }), z.strictObject({ pattern: glob })]);

/** Methods about the connection itself. */
export const session = {
  hello: method(
    "Opens the session: names the client and the unit of positions. It comes first, within 5 seconds.",
    "none",
    z.object({
      protocol: z.int().describe("Version of the protocol: 1."),
      agent: z
        .object({
          name: text.describe("Name of the author of this connection's edits."),
        })
        .describe(
          "The client. The daemon removes invisible characters from its name and marks a name like its own.",
        ),
      positionEncoding: unit
        .optional()
        .describe("Unit of positions on this connection. Default: utf-32, code points."),
    }),
    z.object({
      protocol: z.literal(1).describe("Version of the protocol."),
      session: z.string().describe("Id of the connection."),
      agent: z.object({ id: z.string(), name }).describe("Identity and name of the client's edits."),
      server: z
        .object({ name: z.literal("spliced"), version: z.string() })
        .describe("Name and version of the daemon."),
      positionEncoding: unit.describe("Unit of positions on this connection."),
      limits: z
        .object({
          maxMessageBytes: z.int(),
          maxFileBytes: z.int(),
          maxInserted: z.int().describe("Most UTF-16 units that one edit may insert."),
        })
        .describe(
          "Most bytes of a frame, most bytes of a file, and most UTF-16 units that one edit may insert.",
        ),
    }),
  ),
  subscribe: method(
    "Subscribes to the notifications about a document, or about all documents that match a glob.",
    "read",
    target,
    subscription,
  ),
  unsubscribe: method("Ends a subscription.", "none", target, z.object({})),
  "doc.close": method(
    "Ends the subscription and the presence of this connection in a document.",
    "none",
    z.strictObject({ path }),
    z.object({ path }),
  ),
};
