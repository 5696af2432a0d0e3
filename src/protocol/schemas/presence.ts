import { z } from "zod";
import { time } from "./change.ts";
import { machine, method, name, path, position } from "./common.ts";

const selection = {
  from: position
    .optional()
    .describe("Start of the selection, or position of the caret, in the text of that time."),
  to: position.optional().describe("End of the selection. Default: a caret at `from`."),
};
const who = { session: z.string(), agent: z.string(), name, machine };

/** Methods about the present positions of clients in documents; the daemon does not store them. */
export const presence = {
  "presence.set": method(
    "Sets your position in a document for the other clients, or ends your presence there. The end of the connection ends it, too.",
    "read",
    () =>
      z
        .strictObject({
          path,
          ...selection,
          gone: z
            .boolean()
            .optional()
            .describe("True to leave; `path` is then the one that presence.set returned."),
        })
        .refine(({ from, to }) => to === undefined || from !== undefined, { error: "to requires from" })
        .refine(({ from = 0, to = from }) => from <= to, { error: "from must not be after to" })
        .refine(({ from, gone }) => !gone || from === undefined, {
          error: "gone: true excludes a selection",
        }),
    () => z.object({ path }),
  ),
  "presence.list": method(
    "Returns the clients in a document, including yourself.",
    "read",
    () => z.strictObject({ path }),
    () =>
      z.object({
        present: z
          .array(z.object({ ...who, ...selection, at: time }))
          .describe("Clients with their positions."),
      }),
  ),
};

export const presenceChanged = z.object({
  path,
  ...who,
  ...selection,
  gone: z.literal(true).optional().describe("True when the client left the document."),
});
