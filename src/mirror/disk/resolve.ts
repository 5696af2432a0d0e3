import { lstatSync, readlinkSync } from "node:fs";
import type { FileProblem } from "../files.ts";
import { type DocPath, isPathProblem, parsePath } from "../path.ts";
import type { Beneath } from "./beneath.ts";

/** The most links to follow for one path: as many as Linux does (MAXSYMLINKS). */
const MOST_LINKS = 40;

/**
 * Follows the links inside the workspace to the file's own path. Reads each link beneath the root and looks at no file
 * outside. So the result for a path that leads out never depends on its target (I12).
 */
export function resolveBeneath(beneath: Beneath, path: DocPath): DocPath | FileProblem {
  if (beneath.within(path, targetOf) === undefined) return path; // no link at all
  const left = path.split("/");
  const real: string[] = [];
  let links = 0;
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (real.pop() === undefined) return leadsOut(path);
      continue;
    }
    const link = beneath.within([...real, part].join("/") as DocPath, targetOf);
    if (typeof link === "object")
      return link.kind === "missing" ? { kind: "missing", message: `${path}: no such file` } : link;
    if (link === undefined) real.push(part);
    else {
      if (++links > MOST_LINKS) return leadsOut(path);
      const inside = link.startsWith("/") ? beneath.below(link) : link;
      if (inside === undefined) return leadsOut(path);
      if (link.startsWith("/")) real.length = 0;
      left.unshift(...inside.split("/"));
    }
  }
  const found = parsePath(real.join("/"));
  return isPathProblem(found) ? leadsOut(path) : found;
}

/** Returns the target of a link; undefined for any other file. */
function targetOf(at: string): string | undefined {
  return lstatSync(at).isSymbolicLink() ? readlinkSync(at) : undefined;
}

function leadsOut(path: string): FileProblem {
  return { kind: "escape", message: `${path} is a link that leads out of the workspace` };
}
