import { Beneath } from "../../mirror/disk/beneath.ts";
import { walkFiles } from "../../mirror/disk/walk.ts";
import type { IgnoreFileReport } from "../../paths/ignore-rules.ts";
import type { OuterRules } from "../../paths/outer-rules.ts";
import { systemDoubt } from "../../state/system-folder.ts";
import { PRIVATE } from "../../workspace/access/private-files.ts";
import { ConfigError, plainConfig } from "../config/config.ts";
import type { Config } from "../config/define-config.ts";
import { openIgnoring, outerRulesOf } from "../parts/ignoring.ts";
import type { DoctorFinding } from "./doctor.ts";

/** The most files that doctor visits to find the files of patterns. */
const MOST_VISITED = 100_000;
/** The most files of patterns that doctor names. */
const MOST_NAMED = 20;

/** Reports the rules for ignored files that are in force, and the globs of files that agents do not see. */
export async function examineIgnoring(root: string): Promise<DoctorFinding[]> {
  if (systemDoubt(root) !== undefined) return []; // the check of the ownership reports it
  let found: ReturnType<typeof plainConfig>;
  try {
    found = plainConfig(root);
  } catch (error) {
    if (error instanceof ConfigError) return []; // that check reports this, too
    throw error;
  }
  const ignored = await ignoredFiles(root, await outerRulesOf(root, found?.config.ignore ?? [], found?.file));
  if (found !== undefined) return [ignored, privateFiles(found.config)];
  const code = "the configuration is code, which doctor does not run; its own globs are not shown";
  return [
    { ...ignored, means: `${ignored.means}; ${code}` },
    { what: "private files", state: "ok", found: "not known", means: code },
  ];
}

async function ignoredFiles(root: string, outer: OuterRules): Promise<DoctorFinding> {
  const { rules, files } = openIgnoring(root, outer);
  const beneath = new Beneath(root);
  try {
    let visited = 0;
    rules.ruleFor("any");
    for await (const _ of walkFiles(beneath, rules.skips)) if (++visited === MOST_VISITED) break;
    const reports = rules.reports().filter((report) => report.rules > 0 || report.problem !== undefined);
    const problems = [
      ...reports.flatMap(({ file, problem }) => (problem === undefined ? [] : [`${file}: ${problem}`])),
      ...files.problems.map(({ problem }) => problem),
    ];
    const unseen = visited === MOST_VISITED ? `; doctor looked at the first ${MOST_VISITED} files only` : "";
    return {
      what: "ignored files",
      state: problems.length === 0 ? "ok" : "limited",
      found:
        reports
          .slice(0, MOST_NAMED)
          .map((report) => summary(report, outer))
          .join(", ") || "no rules",
      means:
        problems.length === 0
          ? `files that these rules leave out are no documents${unseen}`
          : `not in force: ${problems.slice(0, MOST_NAMED).join("; ")}${unseen}`,
    };
  } finally {
    beneath.close();
    files.close();
  }
}

function summary({ file, rules }: IgnoreFileReport, { config }: OuterRules): string {
  const [noun, source] = file === config ? ["glob", "the setting ignore"] : ["rule", file];
  return `${rules} ${noun}${rules === 1 ? "" : "s"} of ${source}`;
}

function privateFiles({ private: globs }: Config): DoctorFinding {
  const own = globs.filter((glob) => !PRIVATE.includes(glob));
  const usual = globs.length - own.length;
  const found = usual === 0 ? own : [`${usual} of the default globs`, ...own];
  return {
    what: "private files",
    state: "ok",
    found: found.length === 0 ? "none" : found.join(", "),
    means: "agents do not see them; people do, as far as their tokens allow",
  };
}
