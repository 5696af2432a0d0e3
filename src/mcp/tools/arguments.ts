import { z } from "zod";
import * as wire from "../../protocol/schemas/common.ts";
import { common } from "../../protocol/schemas/edits.ts";

/** Arguments that several tools have. Ranges are plain arrays: not every client reads tuples. */

export const pathArgument = wire.path.describe("Relative to the workspace, with / between folders.");
export const versionArgument = wire.version.describe("As read, edit or changes_since told it.");
export const { id } = wire;
export const { message } = common;
export const linesArgument = z
  .array(z.int().min(1))
  .length(2)
  .describe("First and last line, counted from 1, both included.");
