import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { traceSources } from "../src/stack-traces.ts";

test("[PK26] a trace whose source map cannot be read is there all the same", () => {
  const folder = mkdtempSync(join(tmpdir(), "spliced-trace-"));
  const before = Error.prepareStackTrace;
  onTestFinished(() => {
    Error.prepareStackTrace = before;
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, "built.js");
  mkdirSync(`${file}.map`); // reading a folder fails, as reading a file does without a free descriptor
  const failed = runInThisContext('(() => new Error("the real reason"))', { filename: file }) as () => Error;
  traceSources();
  expect(failed().stack).toContain("the real reason");
});
