import { folded, matcher } from "../../paths/glob.ts";
import { type ProtectedBy, Protection } from "./protection.ts";

/**
 * The levels of access to a document; each includes those before it. With `propose`, edits become proposals. With
 * `append`, a token may add text at the end and propose other edits. With `admin`, it may also manage the workspace.
 */
export const LEVELS = ["none", "read", "propose", "append", "write", "admin"] as const;
export type Level = (typeof LEVELS)[number];

/** The ways to resolve an edit and a save of the same characters: both, the save, the edit, or a question (R6). */
export const CONFLICT_POLICIES = ["merge", "disk", "agent", "ask"] as const;
export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];

/** The access to the paths that match a glob. */
export interface AccessRule {
  readonly glob: string;
  readonly level: Level;
  readonly conflict: ConflictPolicy;
}

/** A glob that every path matches. */
export const EVERY_PATH = "**";

/** The access to a path. */
export interface Permission {
  readonly level: Level;
  /** The reason why the level is lower than the rule for the path says. */
  readonly protectedBy?: ProtectedBy | undefined;
}

/** The level of a token below `admin` on a protected path. */
const PROTECTED_LEVEL: Level = "read";

interface CompiledRule {
  readonly rule: AccessRule;
  readonly match: (path: string) => boolean;
  readonly matchFolded: (path: string) => boolean;
}

/** True if a level includes another. */
export function levelIncludes(level: Level, other: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(other);
}

/**
 * The access of a token to the paths of a workspace. The first rule that matches a path decides; without one, the
 * token has no access. On a protected path, a token below `admin` may only read. Callers pass paths as `parsePath`
 * returns them.
 */
export class Rights {
  readonly #rules: readonly CompiledRule[];
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
   * Returns the lowest level on any of these paths. A file system may treat two spellings as one name, so the rule
   * for another spelling of a path applies, too, if it allows less.
   */
  levelAt(...paths: readonly string[]): Level {
    return this.permissionAt(...paths).level;
  }

  /** Returns the lowest access on any of these paths, with the reason if protection lowered it. */
  permissionAt(...paths: readonly string[]): Permission {
    return paths.map((path) => this.#allowedOn(path)).reduce(lower);
  }

  /** True if the token has `level` on a path. */
  allows(path: string, level: Level): boolean {
    return levelIncludes(this.#allowedOn(path).level, level);
  }

  /** True if the token has `level` on every possible path, including protected ones. */
  allowsEverywhere(level: Level): boolean {
    if (!levelIncludes(PROTECTED_LEVEL, level) && level !== "admin") return this.allowsEverywhere("admin");
    const last = this.#rules.findIndex(({ rule }) => rule.glob === EVERY_PATH);
    return last >= 0 && this.#rules.slice(0, last + 1).every(({ rule }) => levelIncludes(rule.level, level));
  }

  /** True if a reachable rule gives the token `level`. */
  allowsSomewhere(level: Level): boolean {
    const last = this.#rules.findIndex(({ rule }) => rule.glob === EVERY_PATH);
    const reachable = last >= 0 ? this.#rules.slice(0, last + 1) : this.#rules;
    return reachable.some(({ rule }) => levelIncludes(rule.level, level));
  }

  /** Returns the policy for edits of a path in conflict with a save; `merge` if no rule matches. */
  conflict(path: string): ConflictPolicy {
    return this.#rules.find(({ match }) => match(path))?.rule.conflict ?? "merge";
  }

  #allowedOn(path: string): Permission {
    const level = this.#levelOf(path);
    if (level === "admin" || levelIncludes(PROTECTED_LEVEL, level)) return { level };
    const protectedBy = this.#protection.protectedBy(path);
    return protectedBy === undefined ? { level } : { level: PROTECTED_LEVEL, protectedBy };
  }

  #levelOf(path: string): Level {
    const rule = this.#rules.find(({ match }) => match(path))?.rule;
    if (rule === undefined) return "none";
    const folding = folded(path);
    const other = this.#rules.find(({ matchFolded }) => matchFolded(folding))?.rule ?? rule;
    return levelIncludes(rule.level, other.level) ? other.level : rule.level;
  }
}

/** Returns the lower of two permissions. */
function lower(a: Permission, b: Permission): Permission {
  return levelIncludes(b.level, a.level) ? a : b;
}

/** The rights of the owner and of the daemon itself. */
export const FULL_RIGHTS = new Rights([{ glob: EVERY_PATH, level: "admin", conflict: "merge" }]);
