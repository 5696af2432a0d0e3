import { z } from "zod";
import { type Method, methods } from "../../src/protocol/schemas/schemas.ts";
import type { Holder } from "../../src/protocol/service/service.ts";
import { type Level, Rights } from "../../src/workspace/access/rights.ts";
import type { Seeded } from "../helpers/seeded.ts";
import { Generator, type Schema } from "./generate.ts";
import { write } from "./json.ts";
import type { KnownValues } from "./known-values.ts";
import { mutated, mutatedEnvelope } from "./mutate.ts";

/** Most attempts at a request that its schema accepts. */
const TRIES = 20;

const NAMES = Object.keys(methods) as Method[];

/** The parameters of each method, as JSON Schema. */
export const SCHEMAS: ReadonlyMap<string, Schema> = new Map(
  NAMES.map((name) => [
    name,
    z.toJSONSchema(methods[name].params, { io: "input", unrepresentable: "any" }) as Schema,
  ]),
);

/** Returns a holder with a level on all documents but the hidden ones. */
export function holderOf(level: Level): Holder {
  const rules = [
    { glob: "hidden/**", level: "none", conflict: "merge" },
    { glob: "**", level, conflict: "merge" },
  ] as const;
  return { name: level, rights: new Rights(rules) };
}

/** Generates valid and invalid frames. */
export function framesOf(random: Seeded, known: KnownValues): () => string {
  const generator = new Generator(random, known.hint);
  let ids = 0;
  return () => {
    const method = random.pick(NAMES);
    const params = validParams(generator, method);
    const id = random.chance(0.05) ? undefined : random.chance(0.02) ? "i".repeat(5_000) : ++ids;
    const request = { jsonrpc: "2.0", ...(id !== undefined && { id }), method, params };
    return random.weighted([
      [5, () => write(request)],
      [4, () => write({ ...request, params: mutated(params, random) })],
      [1, () => mutatedEnvelope(request, random)],
    ])();
  };
}

/** Generates parameters until the schema accepts them: JSON Schema omits some of its rules. */
export function validParams(generator: Generator, method: Method): Record<string, unknown> {
  for (let left = TRIES; ; left--) {
    let params = generator.value(SCHEMAS.get(method)!) as Record<string, unknown>;
    if (method === "preview.create")
      params = { ...params, params: validParams(generator, params["method"] as Method) };
    if (left === 0 || methods[method].params.safeParse(params).success) return params;
  }
}
