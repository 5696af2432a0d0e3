import { z } from "zod";
import * as wire from "../../protocol/schemas/common.ts";
import { common } from "../../protocol/schemas/edits.ts";

/** Arguments of several tools. Ranges are plain arrays, as not every client accepts tuples. */

export const pathArgument = wire.path.describe("Path relative to the workspace, with / between folders.");
export const versionArgument = wire.version.describe(
  "A version from an answer of read, edit or changes_since.",
);
export const idArgument = wire.id;
export const messageArgument = common.message;
export const linesArgument = z
  .array(z.int().min(1))
  .length(2)
  .describe("First and last line, both included; the first line is 1.");
