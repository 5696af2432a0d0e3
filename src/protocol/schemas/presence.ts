import { z } from "zod";
import { method, name, path, position } from "./common.ts";
import { time } from "./told.ts";

const selection = {
  from: position.optional().describe("Where the selection starts, or the caret is, when it was set."),
  to: position.optional().describe("Where the selection ends; left out, it is a caret."),
};
const who = { session: z.string(), agent: z.string(), name };

/** Methods about who looks at what, now; nothing of it is stored. */
export const presence = {
  "presence.set": method(
    "Tells the others where you are in a document, or that you left it; it ends with the connection, too.",
    "read",
    z
      .strictObject({
        path,
        ...selection,
        gone: z.boolean().optional().describe("You left; `path` as `presence.set` answered it."),
      })
      .refine(({ from, to }) => to === undefined || from !== undefined, { error: "give from with to" })
      .refine(({ from = 0, to = from }) => from <= to, { error: "from must not be after to" })
      .refine(({ from, gone }) => !gone || from === undefined, { error: "who is gone has no selection" }),
    z.object({ path }),
  ),
  "presence.list": method(
    "Who is in a document, yourself included.",
    "read",
    z.strictObject({ path }),
    z.object({ present: z.array(z.object({ ...who, ...selection, at: time })) }),
  ),
};

export const presenceChanged = z.object({
  path,
  ...who,
  ...selection,
  gone: z.literal(true).optional().describe("Left the document."),
});
