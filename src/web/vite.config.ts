import { brotliCompressSync, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** Bytes below which compression gains nothing. */
const LEAST_BYTES = 1_000;

/** Stores each file of the page in compressed forms, too, so that the daemon need not compress. */
const compressed: Plugin = {
  name: "compressed",
  enforce: "post",
  generateBundle: {
    // After the plugins that still change the files.
    order: "post",
    handler(_options, bundle) {
      for (const [name, file] of Object.entries(bundle)) {
        const body = Buffer.from(file.type === "chunk" ? file.code : file.source);
        if (body.length < LEAST_BYTES || !/\.(?:js|css|html|svg)$/.test(name)) continue;
        this.emitFile({ type: "asset", fileName: `${name}.br`, source: brotliCompressSync(body) });
        this.emitFile({ type: "asset", fileName: `${name}.gz`, source: gzipSync(body, { level: 9 }) });
      }
    },
  },
};

/** Everything that the page needs goes into the package: it loads nothing from elsewhere. */
export default defineConfig({
  logLevel: "warn",
  plugins: [compressed],
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    target: "es2022",
    license: { fileName: "LICENSES.md" },
    modulePreload: { polyfill: false },
    // Compression takes most of the time, and whoever starts a clone need not read that.
    rolldownOptions: { checks: { bundlerTimings: false } },
    // The languages that documents are shown in load one by one; the largest is well under this (kB).
    chunkSizeWarningLimit: 1000,
  },
});
