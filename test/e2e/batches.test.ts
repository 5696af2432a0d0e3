import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Client, DisconnectedError } from "../../src/client/index.ts";
import type { Params } from "../../src/protocol/schemas/schemas.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { cli } from "./cli.ts";
import { logOf, type ServedFolder, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { chosenSeed, seeded } from "./seed.ts";
import { serveFolder } from "./served.ts";
import { until, within } from "./until.ts";

const sha = (text: string) => createHash("sha256").update(text).digest("hex");
const PATHS = ["a.md", "b.md", "sub/c.md"];

describe("a crash at any step of a batch", () => {
  /** Returns a batch that adds a mark to each file. */
  const marking = (mark: string): Params<"batch.apply"> => ({
    opId: mark,
    onStale: "merge",
    files: PATHS.map((docPath) => ({
      docPath,
      originalSha256: sha("end\n"),
      changes: [{ operation: "insert", afterLine: 0, newLines: [mark] }],
    })),
  });

  /** Sends one batch after another. Returns the completed batches and the interrupted one. */
  async function sendUntilItDies(client: Client, from: number): Promise<string[]> {
    for (let i = from; ; i++)
      try {
        expect(await client.request("batch.apply", marking(`<${i}>`))).toMatchObject({ successful: true });
      } catch (error) {
        if (!(error instanceof DisconnectedError)) throw error;
        return Array.from({ length: i - from + 1 }, (_, n) => `<${from + n}>`);
      }
  }

  further(
    "[BA1] leaves all of it or none of it in the files, and every answered batch is there",
    async () => {
      const folder = makeFolder(Object.fromEntries(PATHS.map((path) => [path, "end\n"])));
      const random = seeded(chosenSeed(7));
      const marksIn = (path: string) => (folder.read(path).match(/<\d+>/g) ?? []).toSorted();
      let sent: string[] = [];
      for (const step of ["applied", "journaled", "flushed", "swapped", "landed"]) {
        const script = [
          join(import.meta.dirname, "dying-daemon.js"),
          folder.root,
          step,
          `${1 + random.below(9)}`,
        ];
        const daemon = await startDaemon(folder.root, { script });
        const client = await daemon.connect();
        const what = `${step}, seed ${random.seed}`;
        const [cut, ...answered] = sent.toReversed();
        const same = () => new Set(PATHS.map((path) => marksIn(path).join())).size === 1;
        await until(`every file holds the same (${what})`, same);
        expect(marksIn(PATHS[0]!), what).toEqual(expect.arrayContaining(answered));
        if (cut !== undefined) await client.request("batch.apply", marking(cut));
        // An answer that is repeated does not wait for the files.
        const whole = () => PATHS.every((path) => marksIn(path).join() === sent.toSorted().join());
        await until(`every file holds every batch once (${what})`, whole);
        daemon.signal("SIGUSR2");
        sent = [...sent, ...(await sendUntilItDies(client, sent.length))];
        await within(`it dies (${what})`, daemon.ended);
      }
    },
    60_000,
  );
});

describe("commands", () => {
  let folder: Folder;
  let daemon: ServedFolder;
  const run = (args: string[], input?: object) =>
    cli(folder.at("sub"), args, input === undefined ? {} : { input: JSON.stringify(input) });

  beginShared(async () => {
    folder = makeFolder({ "a.md": "one\n", "b.md": "two\n", "sub/c.md": "" });
    daemon = await serveFolder(folder.root);
  });

  test("[BA10] batch changes several files from a file or standard input, or says why it cannot", async () => {
    const file = (docPath: string, base: string, text: string) => ({
      docPath,
      originalSha256: sha(base),
      text,
    });
    folder.write(
      "sub/request.json",
      JSON.stringify({ files: [file("a.md", "one\n", "1\n"), file("sub/c.md", "", "c\n")] }),
    );
    const made = await run(["batch", "request.json"]);
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out).toContain("✓ a.md\n--- a/a.md\n+++ b/a.md\n@@ -1,1 +1,1 @@\n-one\n+1\n✓ sub/c.md\n");
    expect(made.out).toMatch(/\nbatch batch_\w+\n$/);
    expect(folder.read("a.md") + folder.read("sub/c.md")).toBe("1\nc\n");
    const stale = { files: [file("b.md", "two\n", "2\n"), file("a.md", "one\n", "x\n")] };
    const refused = await run(["batch"], stale);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/^error: nothing was changed\nSTALE_VERSION: a\.md: /);
    expect(JSON.parse((await run(["--json", "batch"], stale)).out)).toMatchObject({ successful: false });
    expect(folder.read("b.md")).toBe("two\n");
    expect(await cli(folder.root, ["batch"], { input: "{" })).toMatchObject({ code: 2 });
  });

  test("[TM36] a batch whose patch fits only in part lists the places to check", async () => {
    folder.write("p.py", "def f():\n\treturn 1\n");
    const patch = "@@ -1,2 +1,2 @@\n def  f():\n-    return 1\n+    return 2\n";
    const ask = (match: string) => run(["batch"], { files: [{ docPath: "p.py", patch, match }] });
    expect((await ask("strict")).err).toContain("\nPATCH_REJECTED (context_mismatch): p.py: Hunk 1 ");
    const edits = ["p.py", "a.md"].map((path) => ({ path, operation: "edit", patch, version: "latest" }));
    expect((await run(["propose", "--files", "-"], edits)).err).toMatch(
      /^error: PATCH_REJECTED \(context_mismatch\): p\.py: Hunk 1 .*\nPATCH_REJECTED \(context_mismatch\): a\.md: Hunk 1 .*\nRead/,
    );
    expect((await ask("tolerant")).err).toMatch(
      /\nhunk 1, at line 1, fits only if .*:\n +1 {2}def f\(\):\n +2 {2}\treturn 1\n.*--apply patch_\w+ --confirm\n$/,
    );
  });

  test("[PV7, TM10] preview prints a diff, and --apply applies it unless the file has changed", async () => {
    const params = { path: "b.md", old: "two", new: "2" };
    const shown = await run(["preview", "edit.replace"], params);
    expect(shown).toMatchObject({ code: 0, err: "" });
    const [, patchId] = /-two\n\+2\napply it with: spliced preview --apply (\S+)\n$/.exec(shown.out)!;
    expect(folder.read("b.md")).toBe("two\n");
    expect((await run(["preview", "--apply", patchId!.slice(0, 12)])).out).toMatch(/^✓ b\.md: applied/);
    expect(folder.read("b.md")).toBe("2\n");
    await until("the log reports it", () =>
      logOf(folder.root).includes(`"preview.applied","patch_id":"${patchId}"`),
    );
    const other = JSON.parse(
      (await run(["--json", "preview", "edit.append"], { path: "b.md", text: "3\n" })).out,
    );
    folder.write("b.md", "saved\n");
    const late = await run(["preview", "--apply", other.patch_id, other.base_hash]);
    expect(late).toMatchObject({ code: 1, err: expect.stringContaining("CONFLICT: b.md changed") });
    expect(await run(["preview", "--apply", "patch_u"])).toMatchObject({ code: 2 });
    await daemon.stop();
  });
});
