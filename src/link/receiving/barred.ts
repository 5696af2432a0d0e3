import type { DocPath } from "../../mirror/path.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { ignoredRefusal } from "../../workspace/outcome/refusals.ts";
import type { Sealer } from "../members/sealer.ts";

/** Returns why this machine gets no file at a path that other machines have; undefined where it gets one (M10). */
export function barred(sealer: Sealer, workspace: Workspace, path: DocPath): string | undefined {
  workspace.ports.ignored.refresh();
  return barredBefore(sealer, workspace, path);
}

/** As `barred`, by the rules that the workspace has read already. */
export function barredBefore(sealer: Sealer, workspace: Workspace, path: DocPath): string | undefined {
  if (!sealer.mayRead(sealer.machine, path)) return "not readable here";
  const rule = workspace.ports.ignored.ruleFor(path);
  return rule && ignoredRefusal(path, rule).message;
}
