import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The test files that take longest, the longest first. */
const LONGEST = [
  "e2e/nats",
  "e2e/acp",
  "e2e/lanes",
  "web/threads",
  "web/document",
  "e2e/machines",
  "e2e/crash",
  "e2e/agent",
  "e2e/mcp",
  "web/history",
  "e2e/cli",
  "web/proposals",
  "e2e/damage",
  "web/accessibility",
  "e2e/attack",
  "e2e/limits",
  "web/sharing",
  "e2e/everybody",
  "e2e/traces",
  "e2e/terminal-commands",
  "e2e/batches",
  "web/change-sets",
  "e2e/change-sets",
  "e2e/threads",
  "e2e/planted",
  "web/layout",
  "e2e/lifetime",
  "e2e/recipes",
  "e2e/root",
  "e2e/door",
  "e2e/torn",
  "e2e/power",
  "e2e/cover",
  "e2e/hook",
  "e2e/evidence",
  "e2e/start",
  "web/markdown",
  "web/sign-in",
  "e2e/hammer",
  "e2e/watched",
  "e2e/abuse",
  "e2e/seen",
  "web/shell",
  "e2e/sign-in",
  "e2e/loro",
  "e2e/editors",
  "sim/machines",
  "structured/slice",
  "protocol/rights",
  "lanes/lane",
  "workspace/evidence",
  "workspace/missing-files",
  "workspace/resting",
  "contract/store",
  "contract/files",
  "text/close-merges",
  "text/diff",
  "text/merge",
  "mirror/walk",
  "structured/set-field",
  "workspace/change-sets-crash",
  "sim/sim",
  "mcp/tools",
  "workspace/history",
  "workspace/workers",
].map((name) => `/test/${name}.test.ts`);

/**
 * Starts the longest test files first, so that none is left to run alone at the end, and those of parts last: they only
 * compute, and fill the time in which the last daemons are waited for. Vitest itself knows the times only from an
 * earlier run, and a fresh clone has none.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? LONGEST.length : at;
    };
    const groupOf = ({ project }: TestSpecification) => (project.name === "parts" ? 1 : 0);
    return (await super.sort(files)).sort((a, b) => groupOf(a) - groupOf(b) || rank(a) - rank(b));
  }
}
