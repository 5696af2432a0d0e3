import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import defaults from "../../daemon.config.ts";
import { IMPORTABLE, loadConfig } from "../../src/daemon/config/config.ts";
import { configSchema } from "../../src/daemon/config/define-config.ts";
import * as exported from "../../src/index.ts";

function workspace(config?: string): string {
  const root = mkdtempSync(join(tmpdir(), "spliced-config-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  if (config !== undefined) writeFileSync(join(root, "daemon.config.ts"), config);
  return root;
}

const load = async (config?: string) => (await loadConfig(workspace(config))).config;
const problem = (config: string) =>
  load(config).then(
    () => "accepted",
    (error: Error) => error.message,
  );

describe("configuration", () => {
  test("[CF1] the defaults name every setting, and apply without a file", async () => {
    expect(configSchema.parse(defaults)).toEqual(defaults);
    expect(await load()).toEqual(defaults);
  });

  test("[CF2] a file changes the settings that it names, typed by defineConfig", async () => {
    const config = await load(
      'import { defineConfig } from "spliced";\nexport default defineConfig({ port: 8000, limits: { maxFileBytes: 7000 } });\n',
    );
    expect(config).toMatchObject({
      port: 8000,
      host: "127.0.0.1",
      limits: { maxFileBytes: 7000, maxMessageBytes: 50_331_648 },
    });
  });

  test("[CF2] a file that is code imports all that the package exports", () => {
    expect(IMPORTABLE).toEqual({ ...exported });
  });

  test("[CF2, PF2] a file can add to the default list of protected files; an invalid glob is refused", async () => {
    const given = (protect: string) =>
      `import { defineConfig, PROTECTED } from "spliced";\nexport default defineConfig({ protect: ${protect} });\n`;
    expect((await load(given('[...PROTECTED, "infra/**"]'))).protect).toEqual([
      ...defaults.protect,
      "infra/**",
    ]);
    expect(await problem(given('["+(a)"]'))).toContain("protect.0: expected a list of globs");
  });

  test("[CF3] an error about a wrong key lists the valid keys", async () => {
    expect(await problem("export default { limits: { maxFileByte: 1 } };")).toMatch(
      /limits\.maxFileByte: there is no setting "maxFileByte" \(did you mean "maxFileBytes"\?\); the settings are maxFileBytes, /,
    );
    expect(await problem("export default { prot: 1 };")).toMatch(
      /prot: there is no setting "prot" .*; the settings are host, port, /,
    );
  });

  test("[CF3] an error about a wrong value says what is expected", async () => {
    expect(await problem('export default { port: "x" };')).toMatch(/port: expected a port from 1 to 65535/);
    expect(await problem("export default { limits: 3 };")).toMatch(/limits: /);
    expect(await problem("export default 3;")).toMatch(/export default defineConfig/);
    expect(await problem("export default {{;")).toMatch(/daemon\.config\.ts/);
  });

  test("[CF4] a file named on the command line must be there", async () => {
    await expect(loadConfig(workspace(), "/nonexistent/daemon.config.ts")).rejects.toThrow(
      "no such configuration file",
    );
  });
});
