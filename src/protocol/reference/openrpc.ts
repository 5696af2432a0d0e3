import { z } from "zod";
import { REFUSAL_CODES } from "../../workspace/outcome/refusal.ts";
import { numberOf } from "../base/errors.ts";
import { type Schema, variants } from "../base/json-schema.ts";
import { type Method, methods, notifications, type Result } from "../schemas/schemas.ts";
import { EXAMPLES } from "./examples.ts";
import { MEANINGS } from "./reference.ts";

/** One parameter or result in OpenRPC's terms. */
interface Content {
  readonly name: string;
  readonly summary?: string;
  readonly required?: boolean;
  readonly schema: object;
}

/** Returns the protocol as an OpenRPC 1.3 document, generated from the schemas of the wire. */
export function openRpc(version: string): Result<"rpc.discover"> {
  return {
    openrpc: "1.3.2",
    info: {
      title: "spliced",
      version,
      description: "JSON-RPC 2.0 over a WebSocket, one object per text frame; hello comes first.",
    },
    methods: (Object.keys(methods) as Method[]).map(method),
    components: { errors: Object.fromEntries(REFUSAL_CODES.map((code) => [code, errorOf(code)])) },
    "x-notifications": Object.entries(notifications).map(([name, schema]) => ({
      name,
      params: contents(jsonSchema(schema, "output")),
    })),
  };
}

function method(name: Method): { name: string } & Record<string, unknown> {
  const { summary, params, result } = methods[name];
  return {
    name,
    summary,
    paramStructure: "by-name",
    params: contents(jsonSchema(params, "input")),
    result: { name: "result", schema: jsonSchema(result, "output") },
    examples: [{ name: "example", params: valuesOf(EXAMPLES[name]) }],
    errors: REFUSAL_CODES.map((code) => ({ $ref: `#/components/errors/${code}` })),
  };
}

/**
 * Returns the properties of a schema, required ones first. In alternatives a property is required when all
 * require it.
 */
function contents(schema: Schema): Content[] {
  const alternatives = variants(schema);
  const properties = Object.assign({}, ...alternatives.map((one) => one.properties ?? {}));
  return Object.entries<Schema>(properties)
    .map(([name, property]) => ({
      name,
      ...(property.description !== undefined && { summary: property.description }),
      required: alternatives.every(({ required = [] }) => required.includes(name)),
      schema: property,
    }))
    .sort((a, b) => Number(b.required) - Number(a.required));
}

function valuesOf(params: Readonly<Record<string, unknown>>): object[] {
  return Object.entries(params).map(([name, value]) => ({ name, value }));
}

/** Returns the schema in the JSON Schema draft of OpenRPC. */
function jsonSchema(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io, target: "draft-7" });
  return withAnyOf(rest) as Schema;
}

/** Writes several types of one schema as `anyOf`, because generators of clients read no list of types. */
function withAnyOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withAnyOf);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, withAnyOf(part)]));
  const { type, description, ...rest } = parts;
  if (!Array.isArray(type)) return parts;
  const anyOf = type.map((one) => (one === "null" ? { type: one } : { ...rest, type: one }));
  return description === undefined ? { anyOf } : { description, anyOf };
}

function errorOf(code: (typeof REFUSAL_CODES)[number]): object {
  return { code: numberOf(code), message: MEANINGS[code], data: { code } };
}
