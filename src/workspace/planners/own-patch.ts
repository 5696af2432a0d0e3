import { isPatchFailure, type Match, parsePatch } from "../../text/patch.ts";
import { Refusal } from "../outcome/refusal.ts";
import { planPatch } from "./patch.ts";
import { type Planner, workerPlanner } from "./plan.ts";

/** A patch of one of several files, refused when its headers name another one of them. */
export function planOwnPatch(
  source: string,
  match: Match | undefined,
  path: string,
  all: readonly string[],
): Planner {
  const plan = planPatch(source, match);
  const args = [source, match, path, all];
  return workerPlanner({ planner: "ownPatch", args, cost: plan.task!.cost }, (base) => {
    const patch = parsePatch(source, match);
    const names = isPatchFailure(patch) ? [] : [patch.from, patch.to].flatMap(spellings);
    const other = names.includes(path) ? undefined : names.find((name) => all.includes(name));
    if (other === undefined) return plan(base);
    return new Refusal("PATCH_REJECTED", `the patch is of ${other}, and was given for ${path}`, {
      suggestion: "Give each file its own patch.",
      details: { reason: "multiple_files" },
    });
  });
}

/** What a name in a header may mean: diffs put `a/` and `b/` ahead of paths. */
function spellings(name: string | undefined): string[] {
  return name === undefined ? [] : [name, name.replace(/^[ab]\//, "")];
}
