import { globProblem } from "../../paths/glob.ts";
import {
  type AccessRule,
  CONFLICT_POLICIES,
  type ConflictPolicy,
  EVERY_PATH,
  LEVELS,
  type Level,
} from "../../workspace/access/rights.ts";

/** Short names for a level with a conflict policy. */
const ALIASES: Readonly<Record<string, Pick<AccessRule, "level" | "conflict">>> = {
  ReadOnly: { level: "read" },
  ReadWrite: { level: "write", conflict: "disk" },
  Admin: { level: "admin", conflict: "agent" },
  Human: { level: "write", conflict: "ask" },
  Partner: { level: "write", conflict: "ask" },
};

/** Reads `<glob>=<level>[:<conflict policy>]`. For any other text it returns an error message. */
export function parseRule(text: string): AccessRule | string {
  const at = text.lastIndexOf("=");
  if (at < 0) return `${JSON.stringify(text)} is not a rule; write <glob>=<level>, such as "docs/**=write"`;
  const glob = text.slice(0, at);
  const [name = "", policy, ...more] = text.slice(at + 1).split(":");
  const problem = ruleGlobProblem(glob);
  if (problem !== undefined) return `${JSON.stringify(glob)}: ${problem}`;
  const alias = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
  const level = alias?.level ?? name;
  if (!isLevel(level))
    return `there is no level ${JSON.stringify(name)}; the levels are ${[...LEVELS, ...Object.keys(ALIASES)].join(", ")}`;
  const conflict = policy ?? alias?.conflict;
  if ((conflict !== undefined && !isPolicy(conflict)) || more.length > 0)
    return `there is no conflict policy ${JSON.stringify([policy, ...more].join(":"))}; the policies are ${CONFLICT_POLICIES.join(", ")}`;
  return { glob, level, ...(conflict !== undefined && { conflict }) };
}

/** Returns a rule as `parseRule` reads it. */
export function formatRule({ glob, level, conflict }: AccessRule): string {
  return `${glob}=${level}${conflict === undefined ? "" : `:${conflict}`}`;
}

/** Returns why a rule cannot have a glob, such as one with a misleading form; undefined when it can. */
export function ruleGlobProblem(glob: string): string | undefined {
  if (glob === "") return "the glob is missing";
  if (/[\\\0]/.test(glob)) return "write / between folders, not a backslash";
  if (glob.startsWith("!")) return "to forbid paths, write <glob>=none before the rule that allows them";
  if (glob.endsWith("/")) return `for the documents in a folder, write ${glob}**`;
  if (glob.split("/").some((part) => ["", ".", ".."].includes(part)))
    return "write a path relative to the workspace, without empty, . or .. parts";
  return globProblem(glob);
}

/** Returns the first rule without effect, because a rule before it matches every path; undefined when there is none. */
export function unreachableRule(rules: readonly AccessRule[]): AccessRule | undefined {
  const last = rules.findIndex(({ glob }) => glob === EVERY_PATH);
  return last < 0 ? undefined : rules[last + 1];
}

function isLevel(name: string): name is Level {
  return (LEVELS as readonly string[]).includes(name);
}

function isPolicy(name: string): name is ConflictPolicy {
  return (CONFLICT_POLICIES as readonly string[]).includes(name);
}
