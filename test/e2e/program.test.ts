import { execFile } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { PROJECT } from "./build.ts";
import { BIN, startDaemon } from "./daemon.ts";
import { makeFolder } from "./folder.ts";

/** Returns arguments with which Node runs a module before the program. */
function preloading(code: string): string[] {
  return ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
}

describe.concurrent("the built program", () => {
  test("[PK26] a stack trace names files and lines of the sources", async () => {
    const planted = `
      import fs from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      const { existsSync } = fs;
      fs.existsSync = (path) => {
        if (path.endsWith("planted")) throw new TypeError("planted");
        return existsSync(path);
      };
      syncBuiltinESMExports();`;
    const { root } = makeFolder();
    const ran = promisify(execFile)(process.execPath, [...preloading(planted), BIN, "run", "planted"], {
      cwd: root,
    });
    const { stderr } = await ran.then(
      () => expect.unreachable(),
      (error: { stderr: string }) => error,
    );
    expect(stderr).toContain("TypeError: planted\n");
    const frames = [...stderr.matchAll(/^ +at (?:async )?(\S+) \((src\/cli\/\S+?):(\d+):\d+\)$/gm)];
    const shown = frames.map(([, name, file, line]) => {
      const source = readFileSync(join(PROJECT, file!), "utf8").split("\n")[Number(line) - 1];
      return `${name}: ${source?.trim()}`;
    });
    expect(shown.slice(0, 2)).toEqual([
      expect.stringMatching(/^\S*workspaceFolder: .*existsSync\(root\)/),
      expect.stringMatching(/^run\S*: .*workspaceFolder\(folder\)/),
    ]);
  });

  test("[PK27] Node 22.1 and newer store what they compile of the program beside it", async () => {
    const copy = makeFolder();
    cpSync(join(PROJECT, "dist/bin"), copy.at("dist/bin"), {
      recursive: true,
      filter: (path) => !path.endsWith("compiled"),
    });
    cpSync(join(PROJECT, "package.json"), copy.at("package.json"));
    symlinkSync(join(PROJECT, "node_modules"), copy.at("node_modules"));
    await promisify(execFile)(process.execPath, [copy.at("dist/bin/spliced.js"), "--version"]);
    const compiled = copy.at("dist/bin/compiled");
    const files = existsSync(compiled) ? readdirSync(compiled, { recursive: true }).length : 0;
    expect(files > 1).toBe("enableCompileCache" in module);
  });

  test("[PK28] a daemon that is stopped ends although a timer would keep its process", async () => {
    const { root } = makeFolder();
    const script = [
      ...preloading("setInterval(() => {}, 2 ** 30)"),
      BIN,
      "run",
      root,
      "--json",
      "--port",
      "0",
    ];
    expect(await (await startDaemon(root, { script })).stop()).toBe(0);
  });
});
