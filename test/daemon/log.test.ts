import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { openLog } from "../../src/daemon/log/log.ts";

test("[PK9] the log on a terminal makes control characters visible in every detail", async () => {
  const folder = mkdtempSync(join(tmpdir(), "spliced-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let written = "";
  const terminal = new Writable({
    write(chunk, _encoding, done) {
      written += chunk;
      done();
    },
  }) as unknown as NodeJS.WriteStream;
  const settings = { level: "info", maxFileBytes: 10_000, files: 2 } as const;
  const { log, close } = await openLog(folder, settings, terminal);
  const hostile = "a\x1b[2J\x9b1A\u202e\nb";
  const names = ["path", "name", "caller", "stack", "reason", "msg", "hostname"];
  log.info({ event: "told", type: "Error", ...Object.fromEntries(names.map((name) => [name, hostile])) });
  await close();
  expect(written).toContain("path=");
  expect(written.match(/\n/g)).toHaveLength(1);
  expect(written.trimEnd()).not.toMatch(/[\p{Cc}\u202e]/u);
});
