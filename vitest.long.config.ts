import { defineConfig } from "vitest/config";

/** What takes minutes or hours: `npm run test:long`, its size by environment variables that the tests name. */
export default defineConfig({
  test: {
    include: ["test/long/**/*.test.ts"],
    setupFiles: ["test/helpers/seeds.ts"],
    testTimeout: 12 * 60 * 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
