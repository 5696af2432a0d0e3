import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { locateDaemon } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { cli } from "./cli.ts";
import { startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";

/** Returns a workspace with this `daemon.config.ts`. */
function configured(settings: string, files: Record<string, string> = {}): Folder {
  const source = `import { defineConfig } from "spliced";\n\nexport default defineConfig(${settings});\n`;
  return makeFolder({ "daemon.config.ts": source, ...files });
}

describe.concurrent("a workspace's daemon.config.ts", () => {
  test("[EE9, SF21] is applied in TypeScript once it is approved, wherever the workspace is", async () => {
    const size = "2048 as number";
    const { root } = configured(`{ limits: { maxFileBytes: ${size} }, ignore: ["**/skip"] }`, {
      "large.md": "x".repeat(2049),
      "skip/a.md": "a\n",
      "small.md": "s\n",
    });
    const refused = await cli(root, ["run", "--port", "0"]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("spliced trust") });
    expect(await cli(root, ["trust"])).toMatchObject({ code: 0, out: expect.stringContaining("approved") });
    const client = await (await serveFolder(root)).connect();
    expect(client.hello.limits.maxFileBytes).toBe(2048);
    const { docs } = await client.request("doc.list", { pattern: "**/*.md" });
    expect(docs.map(({ path, kind }) => [path, kind])).toEqual([
      ["large.md", "too_large"],
      ["small.md", "text"],
    ]);
  });

  test("[EE52] leaves other settings at their defaults", async () => {
    const { root } = configured("{ limits: { maxMessageBytes: 70_000 } }");
    const { hello } = await (await serveFolder(root)).connect();
    expect(hello.limits).toMatchObject({ maxMessageBytes: 70_000, maxFileBytes: 16_777_216 });
  });

  test("[EE53] --config replaces it", async () => {
    const folder = configured("{ limits: { maxFileBytes: 2048 } }");
    folder.write("other.config.ts", "export default { limits: { maxFileBytes: 4096 } };\n");
    const daemon = await startDaemon(folder.root, { args: ["--config", folder.at("other.config.ts")] });
    expect((await daemon.connect()).hello.limits.maxFileBytes).toBe(4096);
  });
});

describe.concurrent("a configuration that cannot be used", () => {
  const refusedBy = async (settings: string) => {
    const { root, at } = configured(settings);
    const ran = await cli(root, ["run", "--port", "0"]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toContain(at("daemon.config.ts"));
    expect(ran.err).not.toMatch(/\n\s+at .*:\d+:\d+/);
    expect(existsSync(at(".spliced/daemon.lock"))).toBe(false);
    return ran.err;
  };

  further(
    "[EE10] an unknown key is named with the valid keys, exit code 1, and no daemon starts",
    async () => {
      const message = await refusedBy("{ prot: 8000, limits: { maxFile: 1 } }");
      expect(message).toMatch(/prot: there is no setting "prot" .*; the settings are host, port/);
      expect(message).toMatch(
        /limits\.maxFile: there is no setting "maxFile" .*; the settings are maxFileBytes/,
      );
    },
  );

  further("[EE10] a wrong value is named with what is expected", async () => {
    const message = await refusedBy('{ port: "8000", timing: { idleMs: 0 }, ignore: ["a", 1], log: 5 }');
    expect(message).toMatch(/ port: expected a port from 1 to 65535/);
    expect(message).toMatch(/ timing\.idleMs: expected milliseconds, from 1/);
    expect(message).toMatch(/ ignore(\.1)?: expected a list of globs/);
    expect(message).toMatch(/ log: expected .+/);
  });

  const FAULTS: [what: string, settings: string, message: RegExp][] = [
    ["no object", "null", /export default defineConfig/],
    ["code that nobody approved", "{ port: nowhere }", /does not run .*code.*spliced trust/s],
    ["broken syntax", "{ port: ", /daemon\.config\.ts/],
  ];

  for (const [what, settings, message] of FAULTS)
    test(`[EE10] ${what} is reported, exit code 1, and no daemon starts`, async () => {
      expect(await refusedBy(settings)).toMatch(message);
    });

  further("[EE10] a fault of approved code is reported, exit code 1, nothing started", async () => {
    const { root, at } = configured("{ port: nowhere }");
    expect(await cli(root, ["trust"])).toMatchObject({ code: 0 });
    const ran = await cli(root, ["run", "--port", "0"]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("nowhere is not defined") });
    expect(existsSync(at(".spliced/daemon.lock"))).toBe(false);
  });

  further("[EE10] start in the background reports the same, and ends", async () => {
    const { root } = configured("{ prot: 8000 }");
    const ran = await cli(root, ["start"]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('prot: there is no setting "prot"') });
    expect(locateDaemon(root)).toBeUndefined();
  });

  further("[EE10] --config with a missing file is reported", async () => {
    const { root } = makeFolder();
    const ran = await cli(root, ["run", "--config", "nowhere.ts"]);
    expect(ran).toMatchObject({
      code: 1,
      err: expect.stringMatching(/nowhere\.ts: no such configuration file/),
    });
  });
});

test("[PK10] a daemon that cannot write daemon.json ends, and says why", async () => {
  const folder = makeFolder({ ".spliced/daemon.json/in-the-way": "" });
  const ran = await cli(folder.root, ["run", "--port", "0"]);
  expect(ran.code).toBe(1);
  expect(ran.err).toContain(folder.at(".spliced/daemon.json"));
  expect(existsSync(folder.at(".spliced/daemon.lock"))).toBe(false);
});
