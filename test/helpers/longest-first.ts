import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The test files that take longest, the longest first. */
const LONGEST = [
  "e2e/acp",
  "e2e/nats",
  "e2e/crash",
  "e2e/machines",
  "e2e/lanes",
  "web/threads",
  "web/document",
  "e2e/agent",
  "e2e/cli",
  "web/accessibility",
  "e2e/terminal-commands",
  "web/sharing",
  "web/history",
  "e2e/mcp",
  "e2e/limits",
  "e2e/everybody",
  "e2e/hook",
  "e2e/threads",
  "e2e/completion",
  "e2e/attack",
  "e2e/damage",
  "web/proposals",
  "web/change-sets",
  "web/layout",
  "e2e/config",
  "e2e/batches",
  "e2e/traces",
  "e2e/evidence",
  "e2e/cover",
  "e2e/planted",
  "e2e/lifetime",
  "e2e/hammer",
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
