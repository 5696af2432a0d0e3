import { defineConfig } from "vitest/config";

/** On CI what fails once is tried once more, and shown as such ("retry x1"): its machine may stand still for seconds. */
const RETRY = process.env["CI"] === undefined ? 0 : 1;
/** `npm run test:long` sets it: what takes hours is left out otherwise. */
const LONG = process.env["LONG"] === "1";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: LONG ? [] : ["test/long/**"],
    globalSetup: ["test/web/unpack.ts"],
    setupFiles: ["test/helpers/seeds.ts"],
    testTimeout: LONG ? 12 * 60 * 60_000 : 60_000,
    hookTimeout: 60_000,
    retry: RETRY,
    // Most tests wait for daemons, files and sockets.
    maxWorkers: 2,
  },
});
