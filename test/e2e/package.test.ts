import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { importsOf, PROJECT, packageOf, sourcesOf } from "./build.ts";
import { cli } from "./cli.ts";
import { makeFolder } from "./folder.ts";

const manifest = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
  readonly files: readonly string[];
  readonly bin: object;
  readonly exports: object;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
};
/** The built files of the program and its threads, and of the package's exports. */
const BUILT = ["dist/bin", "dist/lib"].flatMap((folder) =>
  readdirSync(join(PROJECT, folder))
    .filter((name) => name.endsWith(".js"))
    .map((name) => `${folder}/${name}`),
);
const read = (path: string) => readFileSync(join(PROJECT, path), "utf8");

test("[PK1] the package is made of the build, the documents, the rules and the settings", () => {
  const documents = ["docs/**/*.md", "docs/pictures/*.png", "docs/pictures/*.svg", "src/SPEC.md"];
  const built = ["dist/bin/*.{js,json,map,md}", "dist/lib/*.{js,map,md}", "dist/src/**/*.d.ts", "dist/web"];
  expect(manifest.files).toEqual([...built, ...documents, "daemon.config.ts"]);
});

test("[PK1] the build holds what package.json names, and its maps hold no sources", () => {
  const named = JSON.stringify([manifest.bin, manifest.exports]).match(/(?<=")(\.\/)?dist\/[^"]+/g)!;
  expect(named.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  const maps = BUILT.map((path) => `${path}.map`).filter((path) => existsSync(join(PROJECT, path)));
  expect(maps).toContain("dist/bin/daemon.js.map");
  expect(maps.filter((path) => read(path).includes('"sourcesContent"'))).toEqual([]);
});

describe("what the program takes in", () => {
  const takenIn = new Set(
    BUILT.flatMap((path) => sourcesOf(join(PROJECT, path)).flatMap((source) => packageOf(source) ?? [])),
  );
  /** Returns the length of each package's licence text in a list. */
  const licencesIn = (list: string) =>
    new Map(
      read(list)
        .split(/^## /m)
        .slice(1)
        .map((entry) => [/^(\S+) - /.exec(entry)![1]!, entry.slice(entry.indexOf("\n")).trim().length]),
    );

  test("[PK24] is listed with its licences", () => {
    const licences = licencesIn("dist/bin/LICENSES.md");
    expect(takenIn).toContain("ws");
    expect([...takenIn].filter((name) => (licences.get(name) ?? 0) < 300)).toEqual([]);
  });

  test("[PK24] so is what the page takes in", () => {
    const licences = licencesIn("dist/web/LICENSES.md");
    const imported = readdirSync(join(PROJECT, "src/web"), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && name !== "vite.config.ts")
      .flatMap((name) => [
        ...read(`src/web/${name}`).matchAll(/^import (?!type )[^;]*"((?:@[^/]+\/)?\w[^/"]*)/gm),
      ])
      .map(([, name]) => name!);
    expect(imported).toContain("preact");
    expect([...new Set(imported)].filter((name) => !licences.has(name))).toEqual([]);
    expect([...licences].filter(([, length]) => length < 300)).toEqual([]);
  });

  test("[PK25] is not installed beside it, and all else that it loads is", () => {
    const installed = Object.keys(manifest.dependencies);
    const code = BUILT.map(read).join("\n");
    const required = [...code.matchAll(/(?:= require|__require|lazily)\("([^".][^"]*)"\)/g)].map(
      ([, name]) => name!,
    );
    const imported = BUILT.flatMap((path) => [...importsOf(path)]).filter(
      (name) => !name.startsWith("dist/"),
    );
    const needed = new Set([...required, ...imported].filter((name) => !isBuiltin(name)));
    // The package's types name zod.
    expect([...needed, "zod"].sort()).toEqual(installed.sort());
    expect([...takenIn].filter((name) => installed.includes(name))).toEqual(["zod"]);
  });
});

test("[CN12] the built browser part of the client loads nothing of Node and no packages", () => {
  const loads = [...importsOf("dist/lib/browser.js")];
  expect(loads.length).toBeGreaterThan(0);
  expect(loads.filter((name) => !name.startsWith("dist/lib/"))).toEqual([]);
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
