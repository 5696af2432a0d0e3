import { describe, expect, test } from "vitest";
import {
  isPatchFailure,
  type Match,
  type Patch,
  type PatchFailure,
  parsePatch,
} from "../../src/text/patch/patch.ts";

const text = (...lines: string[]) => `${lines.join("\n")}\n`;

function accepted(source: string, match?: Match): Patch {
  const patch = parsePatch(source, match);
  if (isPatchFailure(patch)) throw new Error(`${patch.reason}: ${patch.message}`);
  return patch;
}

const parsed = (...lines: string[]) => accepted(text(...lines));

function refused(...lines: string[]): PatchFailure {
  const patch = parsePatch(text(...lines));
  if (!isPatchFailure(patch)) throw new Error("the patch was accepted");
  return patch;
}

/**
 * Returns the body of the first hunk, one string per line: its sign and text, `$` where the file ends without newline.
 */
function body(patch: Patch): string[] {
  const signs = { context: " ", delete: "-", insert: "+" };
  return patch.hunks[0]!.lines.map((line) => signs[line.kind] + line.text + (line.noNewline ? "$" : ""));
}

describe("headers", () => {
  test("[PA1] a hunk has its header's numbers, a missing count is 1", () => {
    const { hunks, from, to } = parsed("--- a/x", "+++ b/x", "@@ -3 +4,2 @@ fn x", "-a", "+b", "+c");
    expect([from, to]).toEqual(["a/x", "b/x"]);
    expect(hunks[0]).toMatchObject({ oldStart: 3, oldCount: 1, newStart: 4, newCount: 2 });
    expect(hunks[0]?.header).toBe("@@ -3 +4,2 @@ fn x");
  });

  test("[PA36] file headers are optional", () => {
    const patch = parsed("@@ -1 +1 @@", "-a", "+b");
    expect([patch.from, patch.to, patch.hunks.length]).toEqual([undefined, undefined, 1]);
  });

  test("[PA1] git's headers, a time stamp, a quoted name and a mail signature are accepted", () => {
    const patch = parsed(
      ...[
        "From: someone",
        "---",
        " x | 2 +-",
        "diff --git a/x b/x",
        "index 12..34 100644",
        "old mode 100644",
      ],
      ...[
        '--- "a/\\303\\251 \\"q\\"\\tx"\t2024-01-01',
        '+++ "b/\\303\\251 \\"q\\"\\tx"\t2024-01-01',
        "@@ -1 +1 @@",
        "-a",
        "+b",
        "-- ",
        "2.39.0",
        "",
      ],
    );
    expect([patch.from, patch.to]).toEqual(['a/é "q"\tx', 'b/é "q"\tx']);
  });

  test("[PA1] the headers of the one file may be repeated", () => {
    const headers = ["--- a/x", "+++ b/x"];
    const hunk = (line: number) => [`@@ -${line} +${line} @@`, "-a", "+b"];
    expect(parsed(...headers, ...hunk(1), ...headers, ...hunk(5)).hunks).toHaveLength(2);
  });

  const malformed: [name: string, header: string][] = [
    ["with only some numbers", "@@ -3 @@"],
    ["without signs", "@@ 3,2 4,2 @@"],
    ["without blanks", "@@-1 +1@@"],
    ["of a merge", "@@@ -1 -1 +1 @@@"],
    ["without its end", "@@ -1 +1"],
    ["without the old side", "@@ +1 @@"],
    ["with a negative number", "@@ -1,-1 +1 @@"],
    ["that starts at line 0", "@@ -0,1 +1 @@"],
    ["with numbers past any file", "@@ -99999999999999999999 +1 @@"],
    ["that alone is indented", "  @@ -1 +1 @@"],
    ["that is quoted", "> @@ -1 +1 @@"],
  ];
  for (const [name, header] of malformed)
    test(`[PA2] a header ${name} is refused`, () =>
      expect(refused(header, "-a", "+b").reason).toBe("invalid_header"));

  test("[PA3] a second file is refused", () => {
    const hunk = ["@@ -1 +1 @@", "-a", "+b"];
    const first = ["--- a/x", "+++ b/x", ...hunk];
    expect(refused(...first, "--- a/y", "+++ b/y", ...hunk).reason).toBe("multiple_files");
    expect(refused(...first, "diff --git a/y b/y", "old mode 1").reason).toBe("multiple_files");
    expect(refused(...hunk, "--- a/y", "+++ b/y", ...hunk).reason).toBe("multiple_files");
    expect(refused("diff --git a/x b/x", "diff --git a/y b/y", ...hunk)).toMatchObject({ line: 2 });
    expect(refused("--- a/x", "+++ b/y", ...hunk).reason).toBe("multiple_files");
    expect(parsed("--- old.md", "+++ new.md", ...hunk).to).toBe("new.md");
  });

  test("[PA4] creating, deleting and renaming a file are refused", () => {
    const hunk = ["@@ -0,0 +1 @@", "+b"];
    expect(refused("--- /dev/null", "+++ b/x", ...hunk)).toMatchObject({ reason: "invalid_header", line: 1 });
    expect(refused("--- a/x", "+++ /dev/null", ...hunk).message).toContain("/dev/null");
    expect(refused("diff --git a/x b/y", "rename from x", "rename to y", ...hunk).reason).toBe(
      "invalid_header",
    );
  });

  test("[PA5] a patch without a hunk, or a hunk without a change, is refused", () => {
    expect(refused("").reason).toBe("empty_diff");
    expect(refused("--- a/x", "+++ b/x").reason).toBe("empty_diff");
    expect(refused("@@ -1 +1 @@", " a")).toMatchObject({ reason: "empty_hunk", hunk: 1 });
    expect(refused("@@ -0,0 +0,0 @@")).toMatchObject({ reason: "empty_hunk" });
  });

  test("[PA6] text after a hunk that is not part of a diff is refused", () => {
    expect(refused("@@ -1 +1 @@", "-a", "+b", "```")).toMatchObject({ reason: "invalid_header", line: 4 });
  });
});

describe("bodies", () => {
  test("[PA7] wrong counts are replaced by the real ones, if the patch cannot be cut off", () => {
    const long = parsed("@@ -1,1 +1,1 @@", " a", "-b", "+c", "+d", "", "");
    expect(long.hunks[0]).toMatchObject({ oldCount: 2, newCount: 3 });
    const short = parsed("@@ -1,4 +1,4 @@", " a", "-b", "+c", "@@ -9 +9 @@", "-x", "+y");
    expect(short.hunks).toMatchObject([
      { oldCount: 2, newCount: 2 },
      { oldCount: 1, newCount: 1 },
    ]);
    expect(parsed("@@ -1,1 +1,2 @@", "-a", "-b", "+c").hunks[0]).toMatchObject({ oldCount: 2, newCount: 1 });
    expect(parsed("@@ -0,0 +1,2 @@", " a", "+b").hunks[0]).toMatchObject({ oldStart: 1, oldCount: 1 });
  });

  test("[PA38] a hunk that announces old lines and has none is refused", () => {
    expect(refused("@@ -3,2 +3,3 @@", "+a", "+b", "+c", "+d")).toMatchObject({
      reason: "invalid_header",
      hunk: 1,
      line: 1,
    });
  });

  test("[PA7] with wrong counts, two header lines count as headers only above a hunk", () => {
    const sql = parsed("@@ -1,9 +1,9 @@", " a", "--- old", "+++ new", " b", "@@ -20 +20 @@", "-x", "+y");
    expect(body(sql)).toEqual([" a", "--- old", "+++ new", " b"]);
    const next = ["--- a/y", "+++ b/y", "@@ -1 +1 @@", "-x", "+y"];
    expect(refused("--- a/x", "+++ b/x", "@@ -1,9 +1,9 @@", "-a", ...next).reason).toBe("multiple_files");
    expect(parsed("--- a/y", "+++ b/y", "@@ -1,9 +1,9 @@", "-a", ...next).hunks).toHaveLength(2);
  });

  test("[PA37] a patch that ends too early is refused with its real counts", () => {
    const cut = refused("@@ -1,4 +1,4 @@", " a", "-b", "+c");
    expect(cut.reason).toBe("unexpected_eof");
    expect(cut.message).toContain("@@ -1,2 +1,2 @@");
  });

  test("[PA20] a tolerant reading accepts such a patch if it ends in context, and marks it as short", () => {
    const cut = text("@@ -1,4 +1,4 @@", "-b", "+c", " d");
    expect(accepted(cut, "tolerant").hunks[0]).toMatchObject({ oldCount: 2, short: true });
    expect(parsePatch(cut)).toMatchObject({ reason: "unexpected_eof" });
    expect(parsePatch(text("@@ -1,4 +1,4 @@", " a", "-b"), "tolerant")).toMatchObject({
      reason: "unexpected_eof",
    });
  });

  test("[PA7] the refusal quotes a line that belongs to no hunk", () => {
    const stray = refused("@@ -1,2 +1,2 @@", "-a", "forgotten blank", "+b");
    expect(stray).toMatchObject({ reason: "invalid_header", line: 3 });
    expect(stray.message).toContain("forgotten blank");
  });

  test("[PA8] bodies are read by count, so a deleted `-- x` is no header", () => {
    const patch = parsed("@@ -1,3 +1,3 @@", " a", "--- comment", "+++ more", " b");
    expect(body(patch)).toEqual([" a", "--- comment", "+++ more", " b"]);
    expect(body(parsed("@@ -1,2 +1 @@", "-@@ -1 +1 @@", "-diff --git a/x b/x", "+x"))[0]).toBe(
      "-@@ -1 +1 @@",
    );
  });

  test("[PA9] an entirely empty line is an empty context line", () => {
    expect(body(parsed("@@ -1,3 +1,3 @@", "", "-a", "+b", ""))).toEqual([" ", "-a", "+b", " "]);
  });

  test("[PA10] the mark of a missing final newline belongs to the line above it, on either side", () => {
    const mark = "\\ No newline at end of file";
    expect(body(parsed("@@ -1 +1 @@", "-a", mark, "+b", mark))).toEqual(["-a$", "+b$"]);
    expect(body(parsed("@@ -1 +1,2 @@", "+a", " b", mark))).toEqual(["+a", " b$"]);
    expect(refused("@@ -1,2 +1 @@", "-a", mark, "-b", "+c").reason).toBe("range_mismatch");
    expect(refused("@@ -1 +1 @@", mark, "-a", "+b").reason).toBe("invalid_header");
  });

  test("[PA11] a \\r that every line has is removed; one that only some lines have is text", () => {
    expect(body(parsed("@@ -1,2 +1,2 @@\r", " a\r", "-b\r", "+c\r"))).toEqual([" a", "-b", "+c"]);
    expect(body(parsed("@@ -1,2 +1,2 @@", " a\r", "-b", "+c\r"))).toEqual([" a\r", "-b", "+c\r"]);
    expect(body(parsed("@@ -1,2 +1,2 @@\r", "\r", "-b\r", "+c\r"))).toEqual([" ", "-b", "+c"]);
    expect(parsed("@@ -1 +1 @@\r", "-b\r", "+c\r").eol).toBeUndefined();
    expect(parsed("@@ -1 +1 @@", "-b\r", "+c\r").eol).toBe("\r\n");
  });

  test("[PA12] a body stays as it is, and no other character counts as a line break", () => {
    const odd = [
      "\u{1f469}\u200d\u{1f4bb}",
      "a\fb",
      "a\u0085b",
      "a\u2028b\u2029c",
      "\ufeffa",
      "a \t",
      "```js",
      "a\rb",
    ];
    for (const line of odd)
      expect(body(parsed("@@ -1 +1 @@", `-${line}`, `+${line}!`))).toEqual([`-${line}`, `+${line}!`]);
  });

  test("[PA13] hundreds of thousands of hunks are read, or refused, one after the other", () => {
    const hunks = Array.from({ length: 200_000 }, (_, i) => `@@ -${i + 1} +${i + 1} @@\n-a\n+b\n`).join("");
    expect((parsePatch(hunks) as Patch).hunks).toHaveLength(200_000);
    expect(parsePatch(`@@ -1,1000000 +1,1000000 @@\n${"+x\n".repeat(500_000)}`)).toMatchObject({
      reason: "unexpected_eof",
    });
  });
});
