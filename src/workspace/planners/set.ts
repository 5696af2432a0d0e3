import type { Json, Key } from "../../structured/data.ts";
import { setField } from "../../structured/set-field.ts";
import { type Planner, workerPlanner } from "./plan.ts";
import { structureCost, structuredPlan } from "./structure.ts";

/** Plans `edit.set`: one field of a TOML, JSON or YAML document. The path's extension decides the format. */
export function planSet(path: string, key: Key, value: Json): Planner {
  return workerPlanner({ planner: "set", args: [path, key, value], cost: structureCost }, ({ text }) =>
    structuredPlan(setField(text.toString(), path, key, value)),
  );
}
