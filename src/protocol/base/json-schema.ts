/** The part of JSON Schema that the schemas of the wire use. */
export interface Schema {
  readonly type?: string | string[];
  readonly description?: string;
  readonly properties?: Record<string, Schema>;
  readonly required?: string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly prefixItems?: Schema[];
  readonly anyOf?: Schema[];
  readonly oneOf?: Schema[];
  readonly enum?: unknown[];
  readonly const?: unknown;
}

/** Returns a schema as a TypeScript type. */
export function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOf))].join(" | ");
  if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(typeOf).join(", ")}]`;
  if (schema.items !== undefined) return list(schema.items);
  if (schema.properties !== undefined) return record(schema);
  if (typeof schema.additionalProperties === "object")
    return `{ [name]: ${typeOf(schema.additionalProperties)} }`;
  return [schema.type ?? "unknown"].flat().join(" | ");
}

function record({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, property]) => `${name}${required.includes(name) ? "" : "?"}: ${typeOf(property)}`,
  );
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

function list(item: Schema): string {
  const union = item.enum ?? item.anyOf ?? item.oneOf;
  return union === undefined ? `${typeOf(item)}[]` : `(${typeOf(item)})[]`;
}

/** Returns the alternatives of a schema; a schema without alternatives is the only one. */
export function variants(schema: Schema): Schema[] {
  return schema.anyOf ?? schema.oneOf ?? [schema];
}
