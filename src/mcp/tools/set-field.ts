import { z } from "zod";
import type { Params } from "../../protocol/schemas/schemas.ts";
import { edited } from "../answer.ts";
import { defineTool } from "../tool.ts";
import { messageArgument, pathArgument } from "./arguments.ts";

export const setFieldTool = defineTool({
  name: "set_field",
  title: "Set a field",
  description: "Sets one field of a TOML, JSON or YAML document; everything else in it stays.",
  reads: false,
  output: edited,
  schema: z.strictObject({
    path: pathArgument,
    key: z
      .array(z.union([z.string(), z.int().min(0)]))
      .min(1)
      .describe("Names of fields and indexes of items, from 0."),
    value: z.unknown().describe("Any JSON value."),
    message: messageArgument,
  }),
  example: { path: "package.json", key: ["scripts", "test"], value: "vitest run" },
  run: (agent, { path, key, value, message }) =>
    agent.edit("edit.set", {
      path,
      key,
      value: value as Params<"edit.set">["value"],
      ...(message !== undefined && { message }),
    }),
});
