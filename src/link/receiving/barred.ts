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
function barredBefore(sealer: Sealer, workspace: Workspace, path: DocPath): string | undefined {
  return unreadable(sealer, path) ?? leftOut(workspace, path);
}

/** Returns why this machine's level keeps it from the content of a path; undefined where it may read it (M10). */
export function unreadable(sealer: Sealer, path: DocPath): string | undefined {
  return sealer.mayRead(sealer.machine, path) ? undefined : "this machine may not read it";
}

/** Returns why a rule of the workspace leaves out a path. */
export function leftOut({ ports }: Workspace, path: DocPath): string | undefined {
  const rule = ports.ignored.ruleFor(path);
  return rule && ignoredRefusal(path, rule).message;
}
