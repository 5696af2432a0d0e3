import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pageFiles } from "../../src/daemon/parts/page-files.ts";

function builtPage(): string {
  const folder = mkdtempSync(join(tmpdir(), "spliced-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "assets"));
  for (const name of ["index.html", "assets/a.js", "assets/b.js", "notes.txt"])
    writeFileSync(join(folder, name), name);
  return folder;
}

test("[AC6] files that were removed meanwhile, or have an unknown type, are not found", () => {
  const folder = builtPage();
  const page = pageFiles(folder);
  expect(page("/")).toMatchObject({ type: "text/html; charset=utf-8", immutable: false });
  expect(page("/assets/a.js")?.immutable).toBe(true);
  rmSync(join(folder, "assets"), { recursive: true });
  expect(page("/assets/a.js")?.body.toString()).toBe("assets/a.js");
  expect(page("/assets/b.js")).toBeUndefined();
  expect(page("/notes.txt")).toBeUndefined();
  expect(page("/../index.html")).toBeUndefined();
});

test("[AC7, AC8] a file has a tag of its content, and the forms that the build compressed", () => {
  const folder = builtPage();
  writeFileSync(join(folder, "assets/a.js.br"), "brotli");
  const page = pageFiles(folder);
  const [a, b] = ["a", "b"].map((name) => page(`/assets/${name}.js`)!);
  expect(a!.encoded).toEqual({ br: Buffer.from("brotli") });
  expect(b!.encoded).toEqual({});
  expect(a!.tag).not.toBe(b!.tag);
  expect(page("/assets/a.js.br")).toBeUndefined();
});

test("[AC6] a page that was never built has no files", () => {
  expect(pageFiles(join(builtPage(), "none"))("/")).toBeUndefined();
});
