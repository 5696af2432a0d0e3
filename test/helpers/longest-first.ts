import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The test files that take longest, the longest first. */
const LONGEST = [
  "e2e/machines",
  "e2e/agent",
  "web/document",
  "e2e/terminal-commands",
  "web/accessibility",
  "e2e/cli",
  "e2e/crash",
  "e2e/lanes",
  "e2e/hook",
  "web/history",
  "e2e/threads",
  "e2e/acp",
  "e2e/mcp",
  "web/threads",
  "e2e/door",
  "e2e/abuse",
  "e2e/nats",
  "e2e/damage",
  "web/proposals",
  "e2e/attack",
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
