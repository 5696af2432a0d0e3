import type { DocPath } from "../mirror/path.ts";
import { refusalIfIgnored } from "../workspace/folder/ignored-path.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import type { Sealer } from "./sealer.ts";

/** Returns why this machine gets no file at a path that other machines have; undefined where it gets one (M10). */
export function barred(sealer: Sealer, workspace: Workspace, path: DocPath): string | undefined {
  if (!sealer.mayRead(sealer.machine, path)) return "not readable here";
  return refusalIfIgnored(workspace.ports.ignored, path)?.message;
}
