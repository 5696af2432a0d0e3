import { fileRefusal } from "./problems.ts";
import { Refusal } from "./refusal.ts";
import { includes, type Level } from "./rights.ts";

/** How those are answered who may not do what they ask for. */

/** The answer for a document that is not there, and for one that may not be known of. */
export function absent(path: string): Refusal {
  return fileRefusal({ kind: "missing", message: `${path}: no such document` });
}

/** The answer where more is needed than is allowed on a path. */
export function denied(path: string, level: Level, needed: Level): Refusal {
  return new Refusal("PERMISSION_DENIED", `this token allows ${level} on ${path}; that takes ${needed}`, {
    suggestion: includes(level, "propose")
      ? "Call proposal.create to propose it for a person to approve."
      : `Ask whoever runs the daemon for a token made with --allow '${path}=${needed}'.`,
    details: { path, level, needed },
  });
}

/** The answer where something concerns the whole workspace, and not everything is allowed there. */
export function deniedEverywhere(needed: Level): Refusal {
  return new Refusal("PERMISSION_DENIED", `this concerns every document: it takes ${needed} on all of them`, {
    suggestion: "Ask the owner of the workspace to do it.",
    details: { needed },
  });
}
