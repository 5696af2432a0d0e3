import type { Tool as WireTool } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Tool } from "./tool.ts";

/** Keywords that a model does not need: the daemon checks them, and its refusal names right arguments. */
const LEFT_OUT = new Set([
  "$schema",
  "additionalProperties",
  "pattern",
  "minLength",
  "maxLength",
  "maximum",
  "minimum",
  "exclusiveMinimum",
  "minItems",
  "maxItems",
]);

/** Returns the description of a tool for clients. */
export function describeTool({ name, title, description, reads, destroys, schema, output }: Tool): WireTool {
  return {
    name,
    title,
    description,
    inputSchema: shortSchema(schema) as WireTool["inputSchema"],
    ...(output && { outputSchema: shortSchema(output) as NonNullable<WireTool["outputSchema"]> }),
    annotations: { readOnlyHint: reads, destructiveHint: destroys === true, openWorldHint: false },
  };
}

/** Returns the JSON schema of a tool's arguments or answer, as short as it can be. */
export function shortSchema(schema: z.ZodObject): object {
  return short(z.toJSONSchema(schema, { io: "input" })) as object;
}

function short(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(short);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, part]) => !isLeftOut(key, part));
  return Object.fromEntries(
    kept.map(([key, part]) => [key, short(key === "properties" ? shown(part) : part)]),
  );
}

/** A property may have the name of a keyword; the schema of a property is an object. */
function isLeftOut(key: string, part: unknown): boolean {
  return LEFT_OUT.has(key) && (typeof part !== "object" || part === null || key === "additionalProperties");
}

/** Returns the properties without the ones that only programs of earlier builds send. */
function shown(properties: unknown): object {
  return Object.fromEntries(
    Object.entries(properties as Record<string, { readonly unlisted?: true }>).filter(
      ([, { unlisted }]) => unlisted !== true,
    ),
  );
}
