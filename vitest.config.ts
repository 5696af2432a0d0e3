import { defineConfig } from "vitest/config";

/** On CI a test of daemons and browsers that fails is tried once more, and shown so ("retry x1"); its machine may stand still. */
const RETRY = process.env["CI"] === undefined ? 0 : 1;
/** `npm run test:long` sets it: what takes hours is left out otherwise. */
const LONG = process.env["LONG"] === "1";

/** Tests of daemons, files and browsers, each file with a world of its own; the others share what they import. */
const WHOLE = ["client", "e2e", "web", ...(LONG ? ["long"] : [])].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    globalSetup: ["test/web/unpack.ts", "test/helpers/state-home.ts"],
    setupFiles: ["test/helpers/seeds.ts"],
    testTimeout: LONG ? 12 * 60 * 60_000 : 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    // Whoever waits for a condition waits as long as a busy machine may need.
    expect: { poll: { timeout: 10_000 } },
    // Most tests wait for daemons, files and sockets.
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: "whole", include: WHOLE, retry: RETRY } },
      {
        extends: true,
        test: {
          name: "parts",
          include: ["test/**/*.test.ts"],
          exclude: [...WHOLE, "test/long/**"],
          isolate: false,
        },
      },
    ],
  },
});
