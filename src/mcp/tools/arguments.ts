import { z } from "zod";
import * as wire from "../../protocol/schemas/common.ts";
import { common } from "../../protocol/schemas/edits.ts";

/** Arguments of several tools. Ranges are plain arrays, as not every client accepts tuples. */

export const pathArgument = wire.path.meta({ description: undefined });
export const versionArgument = wire.version.describe("A version from an answer.");
export const baseArgument = wire.version
  .optional()
  .describe("The version that you read. Default: your last read.");
export const idArgument = wire.id;
export const messageArgument = common.message.describe("Reason, for the history.");
export const linesArgument = z.array(z.int().min(1)).length(2).describe("First and last line, from 1.");
export const occurrence = z
  .union([z.enum(["unique", "first", "all"]), z.int().min(1)])
  .optional()
  .describe("Which of several matches; the first is 1. Default: unique.");
