import { chmodSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin, type Rolldown, type UserConfig } from "vite";

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>;
};
/** The packages that are installed beside the program. It contains all others, and zod, which only its types need. */
const installed = Object.keys(dependencies).filter((name) => name !== "zod");

/** Begins the id of a module that requires another. */
const REQUIRED = "\0required:";

/**
 * Has the program require these modules, because importing them takes longer. Most packages are CommonJS, and Node
 * searches such a file for the names that it exports before it imports it. Importing all of `node:http` makes Node 22
 * and newer load their WebSocket and `fetch`.
 */
const required: Plugin = {
  name: "required",
  enforce: "pre",
  resolveId: (source, importer) => {
    if (!installed.includes(source) && source !== "node:http") return undefined;
    return importer?.startsWith(REQUIRED) ? { id: source, external: true } : REQUIRED + source;
  },
  load: (id) =>
    id.startsWith(REQUIRED) ? `module.exports = require("${id.slice(REQUIRED.length)}");` : undefined,
};

/** Makes the command executable, for the link in `node_modules/.bin`. */
const executable: Plugin = {
  name: "executable",
  writeBundle: ({ dir }) => chmodSync(`${dir}/spliced.js`, 0o755),
};

/** Tells Node that the files beside it are CommonJS. */
const commonJs: Plugin = {
  name: "common-js",
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "package.json", source: '{ "type": "commonjs" }\n' });
  },
};

/** Builds modules into a folder: what they take in of `src` and of packages is in few files, because each delays a start. */
function into(
  outDir: string,
  output: Rolldown.OutputOptions,
  input: Readonly<Record<string, string>>,
): UserConfig {
  return {
    ssr: { noExternal: true, external: installed },
    build: {
      ssr: true,
      target: "node20",
      outDir,
      emptyOutDir: true,
      copyPublicDir: false,
      minify: false,
      sourcemap: true,
      license: { fileName: "LICENSES.md" },
      rolldownOptions: {
        input,
        output: {
          ...output,
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          sourcemapExcludeSources: true,
        },
      },
    },
  };
}

/** The program is CommonJS, which Node loads in half of the time of other modules. */
const program: UserConfig = {
  plugins: [required, executable, commonJs],
  ...into(
    "dist/bin",
    { format: "cjs" },
    {
      spliced: "bin/spliced.ts",
      daemon: "src/daemon/daemon.ts",
      "check-main": "src/store/lmdb/check-main.ts",
      "examiner-main": "src/doc/examiner-main.ts",
      "surveyor-main": "src/workspace/cover/surveyor-main.ts",
      "tasks-main": "src/workspace/workers/tasks-main.ts",
    },
  ),
};

/** What other programs import from the package. */
const library: UserConfig = {
  plugins: [required],
  ...into(
    "dist/lib",
    { format: "es" },
    { index: "src/index.ts", client: "src/client/index.ts", browser: "src/client/browser.ts" },
  ),
};

export default defineConfig(({ mode }) => ({
  logLevel: "warn",
  ...(mode === "library" ? library : program),
}));
