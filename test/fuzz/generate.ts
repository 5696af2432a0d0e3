import type { Seeded } from "../helpers/seeded.ts";

/** The part of JSON Schema that the schemas of the wire and of the tools use. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema | readonly Schema[] | false;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Returns a known value for a property's name; undefined leaves the value to the schema. */
export type Hint = (name: string, schema: Schema) => unknown;

const MOST_ITEMS = 3;
const HEX = /\^\[0-9a-fA-F\]\{64\}\$/;

/** Generates a value for a schema, as far as its keywords describe it. */
export class Generator {
  readonly #random: Seeded;
  readonly #hint: Hint;

  constructor(random: Seeded, hint: Hint) {
    this.#random = random;
    this.#hint = hint;
  }

  value(schema: Schema, name = ""): unknown {
    const known = name === "" ? undefined : this.#hint(name, schema);
    if (known !== undefined) return known;
    const random = this.#random;
    const either = schema.anyOf ?? schema.oneOf;
    if (either !== undefined) return this.value(random.pick(either), name);
    if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((all) => this.value(all)));
    if (schema.enum !== undefined) return random.pick(schema.enum);
    if ("const" in schema) return schema.const;
    switch (schema.type) {
      case "object":
        return this.#object(schema);
      case "array":
        return this.#array(schema, name);
      case "string":
        return this.#string(schema);
      case "integer":
      case "number":
        return this.#number(schema);
      case "boolean":
        return random.chance(0.5);
      case "null":
        return null;
      default:
        return random.pick<unknown>([1, "any", true, null, ["x"], { a: { b: 1 } }]);
    }
  }

  #object({ properties = {}, required = [] }: Schema): unknown {
    const chosen = Object.entries(properties).filter(
      ([name]) => required.includes(name) || this.#random.chance(0.3),
    );
    return Object.fromEntries(chosen.map(([name, schema]) => [name, this.value(schema, name)]));
  }

  #array({ prefixItems, items, minItems = 0, maxItems = MOST_ITEMS }: Schema, name: string): unknown[] {
    const tuple = prefixItems ?? (Array.isArray(items) ? (items as readonly Schema[]) : undefined);
    if (tuple !== undefined) return this.#ordered(tuple.map((schema) => this.value(schema, name)));
    const count = this.#random.between(minItems, Math.max(minItems, Math.min(maxItems, MOST_ITEMS)));
    return Array.from({ length: count }, () => this.value((items as Schema) || {}, name));
  }

  /** Most pairs of numbers are a range. */
  #ordered(tuple: unknown[]): unknown[] {
    return tuple.every((item) => typeof item === "number") && this.#random.chance(0.8)
      ? tuple.sort((a, b) => Number(a) - Number(b))
      : tuple;
  }

  #string({ pattern, minLength = 0, maxLength = 40 }: Schema): string {
    if (pattern !== undefined && HEX.test(pattern))
      return Array.from({ length: 64 }, () => this.#random.int(16).toString(16)).join("");
    const length = this.#random.between(minLength, Math.min(maxLength, 40));
    return Array.from({ length }, () => this.#random.pick(LETTERS))
      .join("")
      .slice(0, maxLength);
  }

  #number({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): number {
    const [low, high] = [Math.max(minimum, -1000), Math.min(maximum, 1000)];
    return this.#random.chance(0.8) ? this.#random.between(low, Math.min(high, low + 12)) : high;
  }
}

const LETTERS = [..."abcdefghijklm nopqrs\n", "é", "👩", "日", "$", "&", "\\", "/", "."];
