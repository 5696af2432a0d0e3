import type { IgnoreRules } from "../../paths/ignore-rules.ts";
import type { Refusal } from "../outcome/refusal.ts";
import { ignoredRefusal } from "../outcome/refusals.ts";

/** Returns the refusal of a path that a rule leaves out by now; undefined for the path of a document. */
export function refusalIfIgnored(ignored: IgnoreRules, path: string): Refusal | undefined {
  ignored.refresh();
  const rule = ignored.ruleFor(path);
  return rule && ignoredRefusal(path, rule);
}
