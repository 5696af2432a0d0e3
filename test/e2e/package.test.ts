import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { cli } from "./cli.ts";
import { makeFolder } from "./folder.ts";

const PROJECT = resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
  readonly files: readonly string[];
  readonly bin: object;
  readonly exports: object;
  readonly scripts: Readonly<Record<string, string>>;
};

test("[PK1] the package is made of the build, the documents, the rules and the settings", () => {
  const documents = ["docs/**/*.md", "docs/pictures/*.png", "docs/pictures/*.svg", "src/SPEC.md"];
  expect(manifest.files).toEqual(["dist", "!dist/.tsbuildinfo", ...documents, "daemon.config.ts"]);
});

test("[PK1] the build holds what package.json names, and programs, types and the page only", () => {
  const built = readdirSync(join(PROJECT, "dist"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(PROJECT.length + 1));
  const named = JSON.stringify([manifest.bin, manifest.exports]).match(/(?<=")(\.\/)?dist\/[^"]+/g)!;
  expect(named.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  expect(built.filter((path) => !/^dist\/(\.tsbuildinfo$|web\/|.+\.(js|d\.ts)$)/.test(path))).toEqual([]);
  expect(built.filter((path) => path.includes(".test.") || path.startsWith("dist/test/"))).toEqual([]);
});

test("[PK2] a program imports both parts by the package's name, and its command answers --help", async () => {
  const folder = makeFolder({ "package.json": '{ "type": "module" }' });
  mkdirSync(folder.at("node_modules"));
  symlinkSync(PROJECT, folder.at("node_modules/spliced"));
  const program = `import { connect, locateDaemon } from "spliced/client";
    import { defineConfig } from "spliced";
    console.log(typeof connect, typeof locateDaemon, typeof defineConfig);`;
  const args = ["--input-type=module", "--eval", program];
  const printed = execFileSync(process.execPath, args, { cwd: folder.root, encoding: "utf8" });
  expect(printed).toBe("function function function\n");
  expect(await cli(folder.root, ["--help"])).toMatchObject({ code: 0, out: expect.stringContaining("run") });
});

test("[PK6] packing builds anew, and installing packages in a clone builds nothing", () => {
  expect(manifest.scripts["prepack"]).toBe("node bin/prepare.js --fresh");
  const run = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
  expect(run.filter((name) => name in manifest.scripts)).toEqual([]);
});
