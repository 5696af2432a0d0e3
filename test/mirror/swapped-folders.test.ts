import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { openSandbox } from "../../src/mirror/disk/sandbox.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { IgnoreRules } from "../../src/paths/ignore-rules.ts";
import { NO_RULES } from "../../src/paths/outer-rules.ts";
import { list } from "../../src/workspace/folder/documents.ts";
import type { Workspace } from "../../src/workspace/folder/workspace.ts";
import { times } from "../e2e/long.ts";
import { MemoryStore } from "../helpers/memory-store.ts";

const LISTINGS = times(50, 50_000);
const INSIDE = "in";
const OUTSIDE = "from outside";

/** Swaps each folder in turn for a link to one outside and back, with a rest after every 50 times, until it is ended. */
const SWAPPER = `
  const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
  process.stdin.on("close", () => process.exit()).resume();
  const turn = () => {
    for (let i = 0; i < 50; i++)
      for (const [folder, outside] of JSON.parse(process.argv[1])) {
        renameSync(folder, folder + ".away");
        symlinkSync(outside, folder);
        for (const at = performance.now(); performance.now() - at < 0.05; );
        unlinkSync(folder);
        renameSync(folder + ".away", folder);
      }
    process.stdout.write(".");
    setTimeout(turn, 5);
  };
  turn();
`;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A workspace and a tree beside it with the same folders, other sizes, and names of its own. */
function trees() {
  const base = mkdtempSync(join(tmpdir(), "spliced-swapped-"));
  ends.push(() => rmSync(base, { recursive: true, force: true }));
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  for (const [at, text, name] of [
    [root, INSIDE, "inside"],
    [outside, OUTSIDE, "outside"],
  ] as const)
    for (const folder of ["", "a", "a/deep", "b"]) {
      mkdirSync(join(at, folder), { recursive: true });
      for (const file of ["both.md", `${name}.md`]) writeFileSync(join(at, folder, file), text);
    }
  return { root, outside };
}

async function swapping(swaps: readonly (readonly [folder: string, outside: string])[]) {
  const child = spawn(process.execPath, ["-e", SWAPPER, JSON.stringify(swaps)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  ends.push(() => {
    child.stdin.end();
    return ended;
  });
  await once(child.stdout, "data");
  child.stdout.resume();
}

describe.skipIf(process.platform !== "linux")("folders that are swapped for links again and again", () => {
  test.each([
    [
      "a folder and one in it",
      (root: string, outside: string) => [
        [join(root, "a/deep"), join(outside, "a/deep")],
        [join(root, "a"), join(outside, "a")],
      ],
    ],
    ["the root", (root: string, outside: string) => [[root, outside]]],
  ] as const)("[WK1] with %s swapped, no listing tells of anything outside", async (_, swaps) => {
    const { root, outside } = trees();
    const files = openSandbox(root, () => {});
    ends.push(() => files.close());
    const ignored = new IgnoreRules({ ...NO_RULES, globs: ["**/*.away*"] }, () => undefined);
    await swapping(swaps(root, outside) as [string, string][]);
    const store = new MemoryStore();
    const workspace = {
      ports: { files, ignored, store },
      loadedAt: () => undefined,
      limits: { maxFileBytes: 100 },
    };
    let whole = 0;
    // A listing that is empty throughout would show nothing: the loop goes on until one was whole.
    for (let i = 0; i < LISTINGS || whole === 0; i++) {
      if (i % 100 === 0) await setTimeout();
      const listed = await list(workspace as unknown as Workspace);
      const strange = listed.filter(({ path, size }) => path.includes("outside") || size !== INSIDE.length);
      expect(strange).toEqual([]);
      if (listed.length === 8) whole++;
      expect(await files.names("a")).not.toContain("outside.md");
      expect(files.resolve("a/outside.md" as DocPath)).toMatchObject({ kind: expect.any(String) });
    }
  });
});
