import { type Outcome, Refusal } from "../outcome/refusal.ts";
import { fileRefusal } from "../outcome/refusals.ts";
import type { ProtectedBy } from "./protection.ts";
import { type Level, levelIncludes, type Permission } from "./rights.ts";

/** Returns the refusal for a document that does not exist, or that the token may not read. */
export function absentRefusal(path: string): Refusal {
  return fileRefusal({ kind: "missing", message: `${path}: no such document` });
}

/**
 * Returns the refusal for a new document at a path that agents do not see. It does not reveal whether a file is there.
 */
export function unseenRefusal(path: string): Refusal {
  return new Refusal("NOT_FOUND", `${path}: no such document, and agents cannot create it`, {
    suggestion: "Choose another path, or ask a person to create it.",
  });
}

/** Returns the refusal for a request that needs a higher level on a path. */
export function deniedRefusal(path: string, permission: Permission, needed: Level): Refusal {
  const { level, protectedBy, forAgents } = permission;
  if (protectedBy !== undefined) return protectedRefusal(path, level, protectedBy);
  if (forAgents)
    return new Refusal("PERMISSION_DENIED", messageOf("agents", path, level, needed), {
      suggestion:
        "Ask the owner of the workspace to make this change, or to allow it with `agents.rules` in daemon.config.ts.",
      details: { path, level, needed },
    });
  return new Refusal("PERMISSION_DENIED", messageOf("this token", path, level, needed), {
    suggestion: `Ask the owner of the workspace for a token made with --allow '${path}=${needed}'.`,
    details: { path, level, needed },
  });
}

/** Returns the refusal for a protected path, which needs `admin`. */
function protectedRefusal(path: string, level: Level, protectedBy: ProtectedBy): Refusal {
  const { kind, permission } = PROTECTIONS[protectedBy];
  return new Refusal("PERMISSION_DENIED", `${path} ${kind}; a token below admin may only read it`, {
    suggestion: `Ask the owner of the workspace to make this change. ${permission}`,
    details: { path, level, needed: "admin", protected: protectedBy },
  });
}

/** The kind of each protected file, and the permission that it needs. */
const PROTECTIONS: Readonly<Record<ProtectedBy, { readonly kind: string; readonly permission: string }>> = {
  own: {
    kind: "is part of the daemon's own configuration",
    permission: "Only a token with admin on this path may edit it, and no setting opens it.",
  },
  setting: {
    kind: "is a file that other programs obey without being asked",
    permission:
      "A token with admin on this path may edit it, or the owner opens it with `protect` in daemon.config.ts.",
  },
};

/** Returns the refusal for a request that needs a level on every document. */
export function deniedEverywhereRefusal(needed: Level): Refusal {
  return new Refusal("PERMISSION_DENIED", `this request needs ${needed} on every document`, {
    suggestion: "Ask the owner of the workspace to send it.",
    details: { needed },
  });
}

/** Returns the refusal for a request that needs a level on any one document. */
export function deniedSomewhereRefusal(needed: Level): Refusal {
  return new Refusal(
    "PERMISSION_DENIED",
    `this request needs ${needed} on any one document; this token has it on none`,
    {
      suggestion: `Ask the owner of the workspace for a token made with --allow '<path>=${needed}'.`,
      details: { needed },
    },
  );
}

/** The refusal for an edit that the token may not make but may propose. */
class ProposableRefusal extends Refusal {
  constructor(path: string, level: Level, needed: Level) {
    super("PERMISSION_DENIED", messageOf("this token", path, level, needed), {
      suggestion: "Call proposal.create to propose the edit. A person can then approve it.",
      details: { path, level, needed },
    });
  }
}

/**
 * Returns the refusal for an edit that a token may not make; undefined if it may. An edit of the kind "append" needs
 * the level `append`, any other needs `write`.
 */
export function editRightRefusal(path: string, permission: Permission, kind: string): Refusal | undefined {
  const { level } = permission;
  const needed = kind === "append" ? "append" : "write";
  if (levelIncludes(level, needed)) return undefined;
  return levelIncludes(level, "propose")
    ? new ProposableRefusal(path, level, needed)
    : deniedRefusal(path, permission, needed);
}

/** True for a refused edit that the token may propose instead (R5). */
export function isProposable(outcome: Outcome<unknown>): outcome is Refusal {
  return outcome instanceof ProposableRefusal;
}

function messageOf(who: string, path: string, level: Level, needed: Level): string {
  return `${who} ${MAY[level]} ${path}; the request needs the level ${needed}`;
}

/** The part of a refusal about the rights of a level. */
const MAY: Readonly<Record<Level, string>> = {
  none: "may not see",
  read: "may only read",
  propose: "may only propose edits of",
  append: "may only append to",
  write: "may only edit",
  admin: "may do all with",
};
