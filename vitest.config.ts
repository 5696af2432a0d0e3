import { defineConfig } from "vitest/config";

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
    // Most tests wait for daemons, files and sockets.
    maxWorkers: 2,
  },
});
