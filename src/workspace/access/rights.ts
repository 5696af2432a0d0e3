import { folded, matcher } from "../../paths/glob.ts";
import { privatePaths } from "./private-files.ts";
import { type ProtectedBy, Protection } from "./protection.ts";

/**
 * The levels of access to a document; each includes those before it. With `propose`, edits become proposals. With
 * `append`, a token may add text at the end and propose other edits. With `admin`, it may also manage the workspace.
 */
export const LEVELS = ["none", "read", "propose", "append", "write", "admin"] as const;
export type Level = (typeof LEVELS)[number];

/** The ways to resolve an edit and a save of the same words: both, the save, the edit, or a question (R6). */
export const CONFLICT_POLICIES = ["merge", "disk", "agent", "ask"] as const;
export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];

/** The access to the paths that match a glob. */
export interface AccessRule {
  readonly glob: string;
  readonly level: Level;
  /** Undefined if the rule names none. */
  readonly conflict?: ConflictPolicy | undefined;
}

/** A glob that every path matches. */
export const EVERY_PATH = "**";

/** The access to a path. */
export interface Permission {
  readonly level: Level;
  /** The reason why the level is lower than the level of the path's rule. */
  readonly protectedBy?: ProtectedBy | undefined;
  /** True if only agents have so low a level. */
  readonly forAgents?: true;
}

/** The most paths whose permission is remembered. */
const MOST_KNOWN = 1000;

/** The level of a token below `admin` on a protected path. */
const PROTECTED_LEVEL: Level = "read";

/** Rules of which the first that matches a path decides. */
class RuleList {
  readonly #rules: readonly {
    readonly rule: AccessRule;
    readonly match: (path: string) => boolean;
    readonly matchFolded: (path: string) => boolean;
  }[];

  constructor(rules: readonly AccessRule[]) {
    this.#rules = rules.map((rule) => ({
      rule,
      match: matcher(rule.glob),
      matchFolded: matcher(folded(rule.glob)),
    }));
  }

  /** The rules up to the first one that matches every path. */
  get reachable(): readonly AccessRule[] {
    const rules = this.#rules.map(({ rule }) => rule);
    const last = rules.findIndex(({ glob }) => glob === EVERY_PATH);
    return last >= 0 ? rules.slice(0, last + 1) : rules;
  }

  /** Returns the rule for a path. */
  at(path: string): AccessRule | undefined {
    return this.#rules.find(({ match }) => match(path))?.rule;
  }

  /**
   * Returns the level of a path; undefined if no rule matches it. A file system may treat two spellings as one name, so
   * the rule for another spelling of the path applies, too, if it allows less.
   */
  levelOf(path: string): Level | undefined {
    const rule = this.at(path);
    if (rule === undefined) return undefined;
    const other = this.anySpelling(path) ?? rule;
    return levelIncludes(rule.level, other.level) ? other.level : rule.level;
  }

  /** Returns the first rule that matches some spelling of a path. */
  anySpelling(path: string): AccessRule | undefined {
    const folding = folded(path);
    return this.#rules.find(({ matchFolded }) => matchFolded(folding))?.rule;
  }
}

/** The one who uses a token: a program that a model directs, or a person. */
export type Role = "agent" | "person";

/** The upper bound of the rights of all agents: rules, and paths that no agent sees. */
export class AgentBounds {
  readonly #rules: RuleList;
  readonly #isPrivate: (path: string) => boolean;
  readonly #bounded = new WeakMap<Rights, Rights>();

  /** `rules` bound the levels of the paths that they match; `privateGlobs` are the setting `private`. */
  constructor(rules: readonly AccessRule[] = [], privateGlobs: readonly string[] = []) {
    this.#rules = new RuleList(rules);
    this.#isPrivate = privatePaths(privateGlobs);
  }

  /** Returns the rights of a token in a role: one object for each token and role. */
  rightsIn(role: Role, rights: Rights): Rights {
    if (role === "person") return rights;
    const known = this.#bounded.get(rights);
    if (known !== undefined) return known;
    const bounded = rights.boundedBy(this);
    this.#bounded.set(rights, bounded);
    return bounded;
  }

  isPrivate(path: string): boolean {
    return this.#isPrivate(path);
  }

  /** Returns the highest level of an agent on a path. */
  levelOf(path: string): Level {
    if (this.#isPrivate(path)) return "none";
    return this.#rules.levelOf(path) ?? this.#rules.anySpelling(path)?.level ?? "admin";
  }

  conflict(path: string): ConflictPolicy | undefined {
    return this.#rules.at(path)?.conflict;
  }

  /** True if every rule includes a level. */
  allowsEverywhere(level: Level): boolean {
    return this.#rules.reachable.every((rule) => levelIncludes(rule.level, level));
  }
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
  readonly #rules: RuleList;
  readonly #protection: Protection;
  readonly #bounds: AgentBounds | undefined;
  readonly #known = new Map<string, Permission>();
  /** The same object for all rights that come from one token. */
  readonly token: Rights;

  constructor(
    rules: readonly AccessRule[] | RuleList,
    protection = new Protection(),
    bounded?: { readonly bounds: AgentBounds; readonly token: Rights },
  ) {
    this.#rules = rules instanceof RuleList ? rules : new RuleList(rules);
    this.#protection = protection;
    this.#bounds = bounded?.bounds;
    this.token = bounded?.token ?? this;
  }

  /** Returns the part of these rights that an agent has. */
  boundedBy(bounds: AgentBounds): Rights {
    return new Rights(this.#rules, this.#protection, { bounds, token: this.token });
  }

  /** Returns the lowest level on any of these paths. */
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

  /** True for a path that only agents may not see. */
  hidesFromAgent(path: string): boolean {
    return this.#bounds?.isPrivate(path) ?? false;
  }

  /** True if the token has `level` on every possible path, including protected ones. This ignores private paths. */
  allowsEverywhere(level: Level): boolean {
    if (!levelIncludes(PROTECTED_LEVEL, level) && level !== "admin") return this.allowsEverywhere("admin");
    const { reachable } = this.#rules;
    const isWhole = reachable.at(-1)?.glob === EVERY_PATH && (this.#bounds?.allowsEverywhere(level) ?? true);
    return isWhole && reachable.every((rule) => levelIncludes(rule.level, level));
  }

  /** True if nothing is hidden: the rights allow reading every path, also private ones. */
  get seesEverything(): boolean {
    return this.#bounds === undefined && this.allowsEverywhere("read");
  }

  /** True if a reachable rule gives the token `level`. */
  allowsSomewhere(level: Level): boolean {
    return this.#rules.reachable.some((rule) => levelIncludes(rule.level, level));
  }

  /** Returns the policy for edits of a path in conflict with a save; `merge` if no rule names one. */
  conflict(path: string): ConflictPolicy {
    return this.#rules.at(path)?.conflict ?? this.#bounds?.conflict(path) ?? "merge";
  }

  #allowedOn(path: string): Permission {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    const permission = this.#decide(path);
    this.#known.set(path, permission);
    return permission;
  }

  #decide(path: string): Permission {
    const own = this.#rules.levelOf(path) ?? "none";
    const bound = this.#bounds?.levelOf(path) ?? "admin";
    const level = levelIncludes(own, bound) ? bound : own;
    const forAgents = level !== own && { forAgents: true as const };
    if (level === "admin" || !levelIncludes(level, PROTECTED_LEVEL)) return { level, ...forAgents };
    const protectedBy = this.#protection.protectedBy(path);
    return protectedBy === undefined ? { level, ...forAgents } : { level: PROTECTED_LEVEL, protectedBy };
  }
}

/** Returns the lower of two permissions. */
function lower(a: Permission, b: Permission): Permission {
  return levelIncludes(b.level, a.level) ? a : b;
}

/** The rights of the owner and of the daemon itself. */
export const FULL_RIGHTS = new Rights([{ glob: EVERY_PATH, level: "admin" }]);
