import { z } from "zod";
import { glob, id, method, name, path, text, threadId, unit } from "./common.ts";

const subscription = z.object({ matched: z.int().describe("Number of files or threads that match now.") });
const target = z.union([
  z.strictObject({ path }),
  z.strictObject({ pattern: glob }),
  z.strictObject({
    thread: threadId.describe("Thread whose messages, changes and parts of answers the daemon sends."),
  }),
  z.strictObject({
    threads: z.literal(true).describe("All threads that you may see, without the parts of answers."),
  }),
]);

/** Methods about the connection itself. */
export const session = {
  hello: method(
    "Opens the session: names the client and the unit of positions. It comes first, within 5 seconds.",
    "none",
    () =>
      z.object({
        protocol: z.int().describe("Version of the protocol: 1."),
        agent: z
          .object({
            name: text.describe("Name of the author of this connection's edits."),
            session: text
              .max(100)
              .optional()
              .describe("Session of the agent, which the history shows and `undo` selects."),
          })
          .describe(
            "The client. The daemon removes invisible characters from its name and marks a name like its own.",
          ),
        role: z
          .enum(["agent", "person"])
          .optional()
          .describe(
            "Who acts on this connection. Private files exist for a person only, and `agents.rules` bound an agent only. Default: agent. A role never allows more than the token does.",
          ),
        positionEncoding: unit
          .optional()
          .describe("Unit of positions on this connection. Default: utf-32, code points."),
        lasting: z
          .union([z.literal(true), id])
          .optional()
          .describe(
            "For a client that speaks for a model. The daemon remembers the versions that the client has seen, by its token and name, across connections and restarts. A notification does not make a text seen. `true`, or the id of the client's former connection when it connects again.",
          ),
      }),
    () =>
      z.object({
        protocol: z.literal(1).describe("Version of the protocol."),
        session: z.string().describe("Id of the connection, which `lasting` accepts."),
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
    "Subscribes to the notifications about a document, about all documents that match a glob, about a thread, or about all threads. The messages of a document's threads are among the notifications about the document.",
    "read",
    () => target,
    () => subscription,
  ),
  unsubscribe: method(
    "Ends a subscription.",
    "none",
    () => target,
    () => z.object({}),
  ),
  "doc.close": method(
    "Ends the subscription and the presence of this connection in a document.",
    "none",
    () => z.strictObject({ path }),
    () => z.object({ path }),
  ),
};
