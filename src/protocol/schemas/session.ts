import { z } from "zod";
import { glob, method, name, path, text, unit } from "./common.ts";

const subscription = z.object({
  matched: z.int().describe("Documents that match now."),
  opened: z.int().describe("Documents that are watched because of this; limited by limits.subscribeOpen."),
});
const target = z.union([z.strictObject({ path }), z.strictObject({ pattern: glob })]);

/** Methods about the connection itself. */
export const session = {
  hello: method(
    "Comes first, within 5 s: who you are, and the unit of positions.",
    "none",
    z.object({
      protocol: z.int(),
      agent: z.object({
        name: text.describe(
          "What to call you. Unseen characters are taken out, and a name like the daemon's own is marked.",
        ),
      }),
      positionEncoding: unit.optional(),
    }),
    z.object({
      protocol: z.literal(1),
      session: z.string(),
      agent: z.object({ id: z.string(), name }),
      server: z.object({ name: z.literal("spliced"), version: z.string() }),
      positionEncoding: unit,
      limits: z.object({
        maxMessageBytes: z.int(),
        maxFileBytes: z.int(),
        maxInserted: z.int().describe("UTF-16 units that one edit may put in"),
      }),
    }),
  ),
  subscribe: method(
    "Asks for notifications about a document, or all that match a glob.",
    "read",
    target,
    subscription,
  ),
  unsubscribe: method("Ends a subscription.", "none", target, z.object({})),
  "doc.close": method(
    "Ends this connection's interest in a document.",
    "none",
    z.strictObject({ path }),
    z.object({ path }),
  ),
};
