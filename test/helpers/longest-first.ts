import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The test files that take longest, the longest first. */
const LONGEST = [
  "e2e/crash",
  "e2e/cli",
  "web/document",
  "e2e/mcp",
  "e2e/attack",
  "web/history",
  "e2e/traces",
  "e2e/tokens",
  "e2e/limits",
  "e2e/proposals",
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
