import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { beforeAll, describe, expect, type TestContext, test } from "vitest";
import { startDaemon } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { install, npm, pack } from "../e2e/npm.ts";

const PROJECT = resolve(import.meta.dirname, "../..");
const MANIFEST = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as Record<string, unknown>;
/** The files that the package may contain: code, its types, the page and their documentation. */
const OURS =
  /^(package\.json|README\.md|LICENSE|daemon\.config\.ts|src\/SPEC\.md|docs\/.+\.(md|svg|png)|dist\/web\/.+|dist\/(bin|lib)\/([^/]+\.(js|js\.map)|LICENSES\.md)|dist\/bin\/package\.json|dist\/src\/.+\.d\.ts)$/;

let tarball: string;
let paths: readonly string[];
/** The folder of the installed package, or the reason why it is not installed. */
let installed: Promise<Folder | string>;

beforeAll(async () => {
  // The test packs the present build, without another one.
  ({ tarball, paths } = await pack(PROJECT, makeFolder().root, ["--ignore-scripts"]));
  installed = install([tarball]);
  installed.catch(() => undefined); // the tests that need it report it
});

async function whereInstalled({ skip }: TestContext): Promise<Folder> {
  const folder = await installed;
  if (typeof folder !== "string") return folder;
  console.warn(`the package could not be installed: ${folder}`);
  return skip(folder);
}

describe("the package", () => {
  test("[PK1] holds what runs, its types and what explains it", () => {
    expect(paths.filter((path) => !OURS.test(path))).toEqual([]);
    const { bin, exports } = MANIFEST as { bin: Record<string, string>; exports: Record<string, unknown> };
    const named = JSON.stringify([bin, exports]).match(/(?<=")(\.\/)?dist\/[^"]+/g)!;
    expect(named.map(normalize).filter((path) => !paths.includes(path))).toEqual([]);
    expect(paths).toContain("LICENSE");
  });

  test("[PK1] holds every source map that its files name", () => {
    const named = paths
      .filter((path) => /\.(js|css)$/.test(path))
      .flatMap((path) => {
        const map = /\/[/*][#@] sourceMappingURL=(\S+)/.exec(readFileSync(join(PROJECT, path), "utf8"))?.[1];
        return map === undefined ? [] : [join(dirname(path), map)];
      });
    expect(named).toContain("dist/bin/daemon.js.map");
    expect(named.filter((path) => !paths.includes(path))).toEqual([]);
  });

  test("[PK1] holds what its documents link to", () => {
    const documents = paths.filter((path) => path.endsWith(".md"));
    const missing = documents.flatMap((document) =>
      [...readFileSync(join(PROJECT, document), "utf8").matchAll(/\]\((?!\w+:|#)([^)#]+)/g)]
        .map((link) => join(dirname(document), link[1]!))
        .filter((target) => !paths.includes(target))
        .map((target) => `${document} links to ${target}`),
    );
    expect(missing).toEqual([]);
  });

  test("[PK1] is faultless to publint", async () => {
    const bytes = readFileSync(tarball);
    const { messages, pkg } = await publint({
      pack: { tarball: new Uint8Array(bytes).buffer },
      strict: true,
    });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });
});

describe("installed, the package", () => {
  test("[PK2] serves a folder by its command", async (context) => {
    const at = await whereInstalled(context);
    const help = await npm(at.root, ["exec", "--offline", "--", "spliced", "--help"]);
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining("serve a folder in the foreground") });
    const settings = 'import { defineConfig } from "spliced";\nexport default defineConfig({ port: 0 });\n';
    const folder = makeFolder({ "daemon.config.ts": settings, "a.md": "one\n" });
    const script = [at.at("node_modules/.bin/spliced"), "run", folder.root, "--json"];
    const daemon = await startDaemon(folder.root, { script });
    await (await daemon.connect()).request("edit.append", { path: "a.md", text: "two\n" });
    expect(folder.read("a.md")).toBe("one\ntwo\n");
    expect(await daemon.stop()).toBe(0);
  });

  test("[TM88] names npx in the hints of a command that npx runs, and not of one that it does not", async (context) => {
    const at = await whereInstalled(context);
    const folder = at.at("empty");
    mkdirSync(folder);
    const through = await npm(folder, ["exec", "--offline", "--", "spliced", "ls"]);
    expect(through).toMatchObject({ code: 3, err: expect.stringContaining("with: npx spliced start") });
    const { status, stderr } = spawnSync(at.at("node_modules/.bin/spliced"), ["ls"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect({ status, stderr }).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("with: spliced start"),
    });
  });

  test("[PK2] is imported by programs, with its types", async (context) => {
    const at = await whereInstalled(context);
    at.write("use.ts", readFileSync(resolve(PROJECT, "fixtures/package/use.ts")));
    const compiler = join(PROJECT, "node_modules/typescript/bin/tsc");
    const settings = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"];
    const told = await run(at, compiler, ...settings, "--types", "", "use.ts");
    expect(told).toBe("");
    const printed = await run(
      at,
      "--input-type=module",
      "--eval",
      `import { connect, locateDaemon } from "spliced/client";
       import { defineConfig } from "spliced";
       console.log(typeof connect, typeof locateDaemon, typeof defineConfig);`,
    );
    expect(printed).toBe("function function function\n");
  });
});

async function run({ root }: Folder, ...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout;
  } catch (error) {
    return (error as { stdout: string }).stdout || String(error);
  }
}
