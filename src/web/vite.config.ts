import { defineConfig } from "vite";

/** Everything that the page needs goes into the package: it loads nothing from elsewhere. */
export default defineConfig({
  logLevel: "warn",
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    target: "es2022",
    license: { fileName: "LICENSES.md" },
    modulePreload: { polyfill: false },
    // The languages that documents are shown in load one by one; the largest is well under this (kB).
    chunkSizeWarningLimit: 1000,
  },
});
