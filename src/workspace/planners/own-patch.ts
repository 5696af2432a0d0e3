import { isPatchFailure, type Match, parsePatch } from "../../text/patch.ts";
import { Refusal } from "../outcome/refusal.ts";
import { planPatch } from "./patch.ts";
import { type Planner, workerPlanner } from "./plan.ts";

/** Plans a patch of one of the files `all`; refuses it if its headers name another of these files. */
export function planOwnPatch(
  source: string,
  match: Match | undefined,
  path: string,
  all: readonly string[],
  own: boolean,
): Planner {
  const plan = planPatch(source, match, own);
  const args = [source, match, path, all, own];
  return workerPlanner({ planner: "ownPatch", args, cost: plan.task!.cost }, (base) => {
    const patch = parsePatch(source, match);
    const names = isPatchFailure(patch) ? [] : [patch.from, patch.to].flatMap(spellings);
    const other = names.includes(path) ? undefined : names.find((name) => all.includes(name));
    if (other === undefined) return plan(base);
    return new Refusal("PATCH_REJECTED", `the patch for ${path} names ${other} in its headers`, {
      suggestion: "Send one patch for each file.",
      details: { reason: "multiple_files" },
    });
  });
}

/** Returns the paths that a name in a header may stand for: diffs put `a/` and `b/` before paths. */
function spellings(name: string | undefined): string[] {
  return name === undefined ? [] : [name, name.replace(/^[ab]\//, "")];
}
