import { type Outcome, Refusal } from "../outcome/refusal.ts";
import { fileRefusal } from "../outcome/refusals.ts";
import type { ProtectedBy } from "./protection.ts";
import { type Level, levelIncludes, type Permission } from "./rights.ts";

/** How those are answered who may not do what they ask for. */

/** The answer for a document that is not there, and for one that may not be known of. */
export function absentRefusal(path: string): Refusal {
  return fileRefusal({ kind: "missing", message: `${path}: no such document` });
}

/** The answer where more is needed than is allowed on a path. */
export function deniedRefusal(
  path: string,
  { level, protectedBy: closed }: Permission,
  needed: Level,
): Refusal {
  if (closed !== undefined) return closedTo(path, level, closed);
  return new Refusal("PERMISSION_DENIED", wording(path, level, needed), {
    suggestion: `Ask whoever runs the daemon for a token made with --allow '${path}=${needed}'.`,
    details: { path, level, needed },
  });
}

/** The answer where a path is protected: only `admin` there is enough. */
function closedTo(path: string, level: Level, closed: ProtectedBy): Refusal {
  const [what, opening] = CLOSINGS[closed];
  return new Refusal("PERMISSION_DENIED", `${path} is ${what}: below admin this token may only read it`, {
    suggestion: `Ask the owner of the workspace to make this change; ${opening}.`,
    details: { path, level, needed: "admin", protected: closed },
  });
}

/** What a protected file is, and what opens it. */
const CLOSINGS: Readonly<Record<ProtectedBy, readonly [what: string, opening: string]>> = {
  own: [
    "the daemon's own configuration",
    "only a token with admin on this path may, and no setting opens it",
  ],
  setting: [
    "among the files that other programs act on unasked",
    "a token with admin on this path may, or the owner opens it with `protect` in daemon.config.ts",
  ],
};

/** The answer where something concerns the whole workspace, and not everything is allowed there. */
export function deniedEverywhereRefusal(needed: Level): Refusal {
  return new Refusal("PERMISSION_DENIED", `this concerns every document: it takes ${needed} on all of them`, {
    suggestion: "Ask the owner of the workspace to do it.",
    details: { needed },
  });
}

/** The answer where something takes a right on some document, whichever, and there is none. */
export function deniedSomewhereRefusal(needed: Level): Refusal {
  return new Refusal(
    "PERMISSION_DENIED",
    `this takes ${needed} on some document; this token has it on none`,
    {
      suggestion: `Ask whoever runs the daemon for a token made with --allow '<path>=${needed}'.`,
      details: { needed },
    },
  );
}

/** The answer to an edit by somebody who may not make it, but may propose it. */
class Proposable extends Refusal {
  constructor(path: string, level: Level, needed: Level) {
    super("PERMISSION_DENIED", wording(path, level, needed), {
      suggestion: "Call proposal.create to propose it for a person to approve.",
      details: { path, level, needed },
    });
  }
}

/**
 * Why somebody may not make an edit; undefined when they may. `allowed` is for the path, `kind` the
 * edit's: adding at the end takes `append`, anything else `write`.
 */
export function editRightRefusal(path: string, allowed: Permission, kind: string): Refusal | undefined {
  const { level } = allowed;
  const needed = kind === "append" ? "append" : "write";
  if (levelIncludes(level, needed)) return undefined;
  return levelIncludes(level, "propose")
    ? new Proposable(path, level, needed)
    : deniedRefusal(path, allowed, needed);
}

/** True of an edit that was not made but may be proposed instead (R5). */
export function isProposable(outcome: Outcome<unknown>): boolean {
  return outcome instanceof Proposable;
}

function wording(path: string, level: Level, needed: Level): string {
  return `this token allows ${level} on ${path}; that takes ${needed}`;
}
