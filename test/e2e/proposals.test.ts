import { renameSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cli } from "./cli.ts";
import { makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";

describe("proposals on the command line", () => {
  test("[PO13] survive an editor's save and a restart, and apply in the right place", async () => {
    const folder = makeFolder({ "card.toml": 'name = "Alice"\nage = 25', "notes.md": "one\n" });
    const run = (...args: string[]) => cli(folder.root, args);
    const first = await serveFolder(folder.root);
    const proposed = await run("propose", "card.toml", 'name = "Alice"', 'name = "Bob"', "-r", "as asked");
    expect(proposed).toMatchObject({ code: 0 });
    expect(proposed.out).toMatch(
      /^prop_\w+ card\.toml {2}\S+ {2}pending\n {2}as asked \(confidence: medium\)\n/,
    );
    expect(proposed.out).toContain('\n-name = "Alice"\n+name = "Bob"\n');
    const { id: unwanted } = JSON.parse((await run("--json", "propose", "notes.md", "--append", "two")).out);
    await cli(folder.root, ["propose", "notes.md", "--write", "-"], { input: "one\nthree\n" });

    folder.write("aside", 'title = "card"\nname = "Alice"\nage = 26');
    renameSync(folder.at("aside"), folder.at("card.toml"));
    await first.stop();
    const second = await serveFolder(folder.root);

    expect(await run("reject", unwanted, "not needed")).toMatchObject({ code: 0 });
    const listed = JSON.parse((await run("proposals", "card.toml", "--json")).out);
    expect(listed).toMatchObject([{ status: "pending", stale: true, conflicts: [] }]);
    expect((await run("proposals")).out).toContain("hunk 1\n@@ -1,3 +1,3 @@\n title = ");
    const approved = await run("approve", listed[0].id, "--hunks", "1");
    expect(approved).toMatchObject({ code: 0, out: expect.stringMatching(/^✓ card\.toml: applied: /) });
    expect(folder.read("card.toml")).toBe('title = "card"\nname = "Bob"\nage = 26');
    expect(folder.read("notes.md")).toBe("one\n");

    expect(await run("approve", listed[0].id)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/CONFLICT: prop_\w+ was approved by \S+ at /),
    });
    expect(await run("propose", "notes.md", "one")).toMatchObject({ code: 2 });
    await second.stop();
  });

  test("[TM35] whose hunks have new numbers are approved by the numbers that the terminal showed last", async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`);
    const folder = makeFolder({ "long.md": lines.join("") });
    const run = (...args: string[]) => cli(folder.root, args);
    const daemon = await serveFolder(folder.root);
    const text = lines.with(1, "LINE 2\n").with(14, "LINE 15\n").with(28, "LINE 29\n").join("");
    folder.write("new", text);
    const { id } = JSON.parse((await run("--json", "propose", "long.md", "--write", "new")).out);
    const between = ["replace", "long.md", lines.slice(3, 13).join(""), "between\n"];
    expect(await run(...between)).toMatchObject({ code: 0 });

    expect(await run("approve", id, "--hunks", "4")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/CONFLICT: long.md is at .*\nLook at it again with `spliced proposals`, /),
    });
    expect((await run("proposals")).out).toContain("hunk 4\n");
    expect(await run("approve", id, "--hunks", "4")).toMatchObject({ code: 0 });
    expect(folder.read("long.md")).toContain("LINE 2\nline 3\nbetween\nline 14\nLINE 15\n");

    rmSync(folder.at(".spliced/shown-proposals.json"));
    expect(await run("approve", id, "--file", "long.md:5")).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /STALE_VERSION: .*\nLook at it with `spliced proposals`, and approve its hunks; or/,
      ),
    });
    await daemon.stop();
  });
});
