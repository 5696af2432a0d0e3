import { seedUpdate } from "../doc/replica.ts";
import { eolOf } from "../text/lines.ts";
import { Text } from "../text/text.ts";
import { type UnifiedOptions, unifiedDiff } from "../text/unified.ts";
import { readJson } from "../work/json.ts";
import { planLines } from "./edits/lines.ts";
import { planOwnPatch } from "./edits/own-patch.ts";
import { planPatch } from "./edits/patch.ts";
import type { Plan, Planner } from "./edits/plan.ts";
import { planReplaceRegex } from "./edits/regex.ts";
import { planReplace } from "./edits/replace.ts";
import { planSet } from "./edits/set.ts";
import { planView, viewOf } from "./edits/view.ts";
import { planWrite } from "./edits/whole.ts";
import type { Outcome } from "./refusal.ts";

/** The planners that a worker runs, by the names that their `work` has. */
const PLANNERS = {
  lines: planLines,
  ownPatch: planOwnPatch,
  patch: planPatch,
  regex: planReplaceRegex,
  replace: planReplace,
  set: planSet,
  view: planView,
  write: planWrite,
} satisfies Readonly<Record<string, (...args: never[]) => Planner>>;

/** What workers are asked: functions of what structured clone carries. */
export const tasks = {
  json: readJson,
  plan(planner: string, args: readonly unknown[], text: string, maxBytes: number): Outcome<Plan> {
    const make = PLANNERS[planner as keyof typeof PLANNERS] as (...args: unknown[]) => Planner;
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
