import { z } from "zod";
import { common } from "../../protocol/schemas/edits.ts";

/** Arguments that several tools have. Ranges are plain arrays: not every client reads tuples. */

export const path = z.string().min(1).describe("Relative to the workspace, with / between folders.");
export const version = z.string().min(1).describe("As read, edit or changes_since told it.");
export const { message } = common;
export const lines = z
  .array(z.int().min(1))
  .length(2)
  .describe("First and last line, counted from 1, both included.");
