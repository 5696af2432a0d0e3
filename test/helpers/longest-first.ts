import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The test files that take longest, the longest first. */
const LONGEST = [
  "web/accessibility",
  "e2e/acp",
  "e2e/agent",
  "web/document",
  "web/history",
  "e2e/crash",
  "web/proposals",
  "e2e/cli",
  "web/threads",
  "e2e/attack",
  "e2e/limits",
  "e2e/hook",
  "e2e/mcp",
].map((name) => `/test/${name}.test.ts`);

/**
 * Starts the longest test files first, so that none is left to run alone at the end. Vitest itself knows their times
 * only from an earlier run, and a fresh clone has none.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? LONGEST.length : at;
    };
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    return (await super.sort(files)).sort((a, b) => groupOf(a) - groupOf(b) || rank(a) - rank(b));
  }
}
