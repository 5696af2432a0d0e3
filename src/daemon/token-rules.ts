import { globProblem } from "../paths/glob.ts";
import {
  type AccessRule,
  CONFLICT_POLICIES,
  type ConflictPolicy,
  EVERY_PATH,
  LEVELS,
  type Level,
} from "../workspace/access/rights.ts";

/** Further names of levels, each with a conflict policy. */
const ALIASES: Readonly<Record<string, Pick<AccessRule, "level" | "conflict">>> = {
  ReadOnly: { level: "read", conflict: "merge" },
  ReadWrite: { level: "write", conflict: "disk" },
  Admin: { level: "admin", conflict: "agent" },
  Human: { level: "write", conflict: "ask" },
  Partner: { level: "write", conflict: "ask" },
};

/** Reads `<glob>=<level>[:<conflict policy>]`; the answer is a sentence when it is not one. */
export function parseRule(text: string): AccessRule | string {
  const at = text.lastIndexOf("=");
  if (at < 0) return `${JSON.stringify(text)} is no rule; write <glob>=<level>, as "docs/**=write"`;
  const glob = text.slice(0, at);
  const [name = "", policy, ...more] = text.slice(at + 1).split(":");
  const problem = ruleGlobProblem(glob);
  if (problem !== undefined) return `${JSON.stringify(glob)}: ${problem}`;
  const alias = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
  const level = alias?.level ?? name;
  if (!isLevel(level))
    return `there is no level ${JSON.stringify(name)}; there are ${[...LEVELS, ...Object.keys(ALIASES)].join(", ")}`;
  const conflict = policy ?? alias?.conflict ?? "merge";
  if (!isPolicy(conflict) || more.length > 0)
    return `there is no conflict policy ${JSON.stringify([policy, ...more].join(":"))}; there are ${CONFLICT_POLICIES.join(", ")}`;
  return { glob, level, conflict };
}

/** A rule as it is written. */
export function showRule({ glob, level, conflict }: AccessRule): string {
  return `${glob}=${level}${conflict === "merge" ? "" : `:${conflict}`}`;
}

/** Why a glob is none that a rule may have: it would not mean what it seems to. Undefined when it is sound. */
export function ruleGlobProblem(glob: string): string | undefined {
  if (glob === "") return "the glob is missing";
  if (/[\\\0]/.test(glob)) return "write / between folders, and no backslash";
  if (glob.startsWith("!")) return "a rule that forbids is written <glob>=none, ahead of the one that allows";
  if (glob.endsWith("/")) return `what is in a folder is written ${glob}**`;
  if (glob.split("/").some((part) => ["", ".", ".."].includes(part)))
    return "globs are relative to the workspace, without empty, . or .. parts";
  return globProblem(glob);
}

/** The rule that is never tried, because one ahead of it matches every path. */
export function idleRule(rules: readonly AccessRule[]): AccessRule | undefined {
  const last = rules.findIndex(({ glob }) => glob === EVERY_PATH);
  return last < 0 ? undefined : rules[last + 1];
}

function isLevel(name: string): name is Level {
  return (LEVELS as readonly string[]).includes(name);
}

function isPolicy(name: string): name is ConflictPolicy {
  return (CONFLICT_POLICIES as readonly string[]).includes(name);
}
