import { seedUpdate } from "../../doc/replica.ts";
import { diff } from "../../text/diff/diff.ts";
import { type UnifiedOptions, unifiedDiff } from "../../text/diff/unified.ts";
import { eolOf } from "../../text/lines.ts";
import { Text } from "../../text/text.ts";
import { readJson } from "../../work/json.ts";
import type { Outcome } from "../outcome/refusal.ts";
import { planLines } from "../planners/lines.ts";
import { planPatch } from "../planners/patch.ts";
import type { Plan, Planner, PlannerName } from "../planners/plan.ts";
import { planReplaceRegex } from "../planners/regex.ts";
import { planReplace } from "../planners/replace.ts";
import { planSet } from "../planners/set.ts";
import { planView, viewOf } from "../planners/view.ts";
import { planSave, planWrite } from "../planners/whole.ts";

/** The planners that a worker runs, by the names in their tasks. */
const PLANNERS = {
  lines: planLines,
  patch: planPatch,
  regex: planReplaceRegex,
  replace: planReplace,
  save: planSave,
  set: planSet,
  view: planView,
  write: planWrite,
} satisfies Readonly<Record<PlannerName, (...args: never[]) => Planner>>;

/** The functions that a worker runs; structured clone can copy their arguments and results. */
export const tasks = {
  diff,
  json: readJson,
  plan(planner: PlannerName, args: readonly unknown[], text: string, maxBytes: number): Outcome<Plan> {
    const make = PLANNERS[planner] as (...args: unknown[]) => Planner;
    const base = Text.of(text);
    return make(...args)({ text: base, eol: eolOf(base), maxBytes });
  },
  seed: seedUpdate,
  unifiedDiff: (before: string, after: string, options: UnifiedOptions) =>
    unifiedDiff(before, after, options),
  view: (path: string, text: string) => viewOf(path, Text.of(text)),
};

export type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
