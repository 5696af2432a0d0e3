import { z } from "zod";
import { method, path, version } from "./common.ts";

/** The methods about the versions that this session has seen: by reads, by notifications and by its own edits. */
export const seen = {
  "seen.list": method(
    "Lists the documents that this session has seen.",
    "read",
    () => z.strictObject({ path: path.optional().describe("Only this document.") }),
    () =>
      z.object({
        docs: z.array(
          z.object({
            path,
            docId: z.string(),
            version: version.describe("Newest version that this session heard of."),
            first: version.describe("Version that this session saw first."),
          }),
        ),
      }),
  ),
  "seen.told": method(
    "Notes that this session was told which changes led to a version. It has not seen that text.",
    "read",
    () => z.strictObject({ path, version }),
    () => z.object({ path, version }),
  ),
};
