import { folded, matcher } from "../../paths/glob.ts";
import { type ProtectedBy, Protection } from "./protection.ts";

/**
 * What may be done to a document, each level including those before it. `propose`: edits become proposals.
 * `append`: adding at the end, and proposing the rest. `admin`: also what concerns the whole workspace.
 */
export const LEVELS = ["none", "read", "propose", "append", "write", "admin"] as const;
export type Level = (typeof LEVELS)[number];

/** What becomes of an edit where a save changed the same characters: both stay, one side stands, or nobody's (R6). */
export const CONFLICT_POLICIES = ["merge", "disk", "agent", "ask"] as const;
export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];

/** What is allowed on the paths that match a glob. */
export interface AccessRule {
  readonly glob: string;
  readonly level: Level;
  readonly conflict: ConflictPolicy;
}

/** A glob that every path matches. */
export const EVERY_PATH = "**";

/** What is allowed on a path, and why it is less than a rule says, where it is. */
export interface Permission {
  readonly level: Level;
  readonly protectedBy?: ProtectedBy | undefined;
}

/** The most that a token below `admin` may do where `Protection` closes a path. */
const CLOSED_TO: Level = "read";

interface Matched {
  readonly rule: AccessRule;
  readonly match: (path: string) => boolean;
  readonly matchFolded: (path: string) => boolean;
}

/** True when a level includes another. */
export function levelIncludes(level: Level, other: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(other);
}

/**
 * What somebody may do where. Rules are tried in their order, and the first that matches decides; where none
 * does, nothing is allowed. Where a path is protected, less than `admin` is no more than `read`. Paths are
 * documents' own, as `parsePath` leaves them.
 */
export class Rights {
  readonly #rules: readonly Matched[];
  readonly #protection: Protection;

  constructor(rules: readonly AccessRule[], protection = new Protection()) {
    this.#protection = protection;
    this.#rules = rules.map((rule) => ({
      rule,
      match: matcher(rule.glob),
      matchFolded: matcher(folded(rule.glob)),
    }));
  }

  /**
   * The least that is allowed on any of these paths. Where a file system may take a path for another spelling of
   * the same name, the rule for that spelling holds as well, as far as it allows less.
   */
  levelAt(...paths: readonly string[]): Level {
    return this.permissionAt(...paths).level;
  }

  /** As levelAt, with the reason where a protected path is why it is no more. */
  permissionAt(...paths: readonly string[]): Permission {
    return paths.map((path) => this.#allowedOn(path)).reduce(less);
  }

  /** True when `level` is allowed on a path. */
  allows(path: string, level: Level): boolean {
    return levelIncludes(this.#allowedOn(path).level, level);
  }

  /** True when `level` is allowed on every path there can be, protected ones included. */
  allowsEverywhere(level: Level): boolean {
    if (!levelIncludes(CLOSED_TO, level) && level !== "admin") return this.allowsEverywhere("admin");
    const last = this.#rules.findIndex(({ rule }) => rule.glob === EVERY_PATH);
    return last >= 0 && this.#rules.slice(0, last + 1).every(({ rule }) => levelIncludes(rule.level, level));
  }

  /** True when `level` may be allowed on a path: a rule that counts says so. */
  allowsSomewhere(level: Level): boolean {
    const last = this.#rules.findIndex(({ rule }) => rule.glob === EVERY_PATH);
    const counting = last >= 0 ? this.#rules.slice(0, last + 1) : this.#rules;
    return counting.some(({ rule }) => levelIncludes(rule.level, level));
  }

  /** What becomes of edits of a document in conflict with a save; `merge` where no rule says. */
  conflict(path: string): ConflictPolicy {
    return this.#rules.find(({ match }) => match(path))?.rule.conflict ?? "merge";
  }

  #allowedOn(path: string): Permission {
    const level = this.#levelOf(path);
    if (level === "admin" || levelIncludes(CLOSED_TO, level)) return { level };
    const closed = this.#protection.protectedBy(path);
    return closed === undefined ? { level } : { level: CLOSED_TO, protectedBy: closed };
  }

  #levelOf(path: string): Level {
    const rule = this.#rules.find(({ match }) => match(path))?.rule;
    if (rule === undefined) return "none";
    const spelled = folded(path);
    const other = this.#rules.find(({ matchFolded }) => matchFolded(spelled))?.rule ?? rule;
    return levelIncludes(rule.level, other.level) ? other.level : rule.level;
  }
}

/** The one of two that allows less. */
function less(a: Permission, b: Permission): Permission {
  return levelIncludes(b.level, a.level) ? a : b;
}

/** The owner's rights, and the daemon's own. */
export const FULL_RIGHTS = new Rights([{ glob: EVERY_PATH, level: "admin", conflict: "merge" }]);
