import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/helpers/longest-first.ts";
import { LostWorkers } from "./test/helpers/lost-workers.ts";

/** True for `npm run test:long`, which adds the tests that take hours. */
const LONG = process.env["LONG"] === "1";

/** Tests of real daemons, editors and browsers. */
const WHOLE = ["e2e", "web", ...(LONG ? ["long"] : [])].map((folder) => `test/${folder}/**/*.test.ts`);
/**
 * Only on CI and only in e2e and web, vitest tries a failed test a second time. The machine of CI may stall for longer
 * than a test waits. `.ci/run` names each such test.
 */
const RETRY = process.env["CI"] === undefined || LONG ? 0 : 1;

export default defineConfig({
  test: {
    globalSetup: ["test/web/unpack.ts", "test/helpers/state-home.ts", "test/helpers/left-out.ts"],
    setupFiles: ["test/helpers/seeds.ts", "test/helpers/clean-up.ts"],
    testTimeout: LONG ? 12 * 60 * 60_000 : 180_000,
    hookTimeout: 180_000,
    // A run reuses the transformed modules of earlier runs, by their content.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    reporters: ["default", new LostWorkers()],
    // Most tests of daemons wait for them, for files and for sockets, so that two processors serve five at once.
    maxWorkers: 5,
    restoreMocks: true,
    // A test waits for a condition for as long as a busy machine may need.
    expect: { poll: { timeout: 30_000 } },
    // Test files of one process share the modules that they import: importing them anew costs more than most tests.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["test/**/*.test.ts"],
          exclude: [...WHOLE, "test/long/**"],
        },
      },
      {
        extends: true,
        test: {
          name: "whole",
          include: WHOLE,
          retry: RETRY,
        },
      },
    ],
  },
});
