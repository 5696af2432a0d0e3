import { beforeAll, beforeEach } from "vitest";

/**
 * Begins what the tests of a file or block share, and begins it anew for the second try of a test: that may not meet
 * what the first one left behind.
 */
export function beginShared(begin: () => Promise<void>): void {
  beforeAll(begin);
  beforeEach(async ({ task }) => {
    if ((task.result?.retryCount ?? 0) > 0) await begin();
  });
}
