import { describe, expect, test } from "vitest";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { cli } from "./cli.ts";
import type { ServedFolder } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";

describe("search", () => {
  let folder: Folder;
  let daemon: ServedFolder;
  const search = (...args: string[]) => cli(folder.root, ["search", ...args]);

  beginShared(async () => {
    folder = makeFolder({
      "a.md": "one\ntwo\nthree\nfour\nfive\nTwo\n",
      "sub/b.txt": "two\n",
      "slow.txt": "abc".repeat(2_000_000),
      ".gitignore": "out\n",
      "out/c.md": "two\n",
    });
    daemon = await serveFolder(folder.root);
  });

  further("[SR9] prints paths, line numbers and lines, relative to the current folder", async () => {
    expect(await search("two")).toEqual({ code: 0, out: "a.md:2:two\nsub/b.txt:1:two\n", err: "" });
    expect((await search("two", "**/*.md", "-i")).out).toBe("a.md:2:two\na.md:6:Two\n");
    expect((await cli(folder.at("sub"), ["search", "t[w]o", "--regex"])).out).toBe(
      "../a.md:2:two\nb.txt:1:two\n",
    );
  });

  test("[SR9] prints the lines around matches once, with -- between places", async () => {
    expect((await search("-C", "1", "o", "a.md")).out).toBe(
      "a.md:1:one\na.md:2:two\na.md-3-three\na.md:4:four\na.md-5-five\na.md:6:Two\n",
    );
    expect((await search("-C", "1", "-i", "two")).out).toBe(
      "a.md-1-one\na.md:2:two\na.md-3-three\n--\na.md-5-five\na.md:6:Two\n--\nsub/b.txt:1:two\n",
    );
  });

  test("[SR9] remarks that there is no match, or that there may be more", async () => {
    expect(await search("nowhere")).toEqual({ code: 0, out: "", err: "no document has a match\n" });
    expect(await search("-n", "1", "two")).toMatchObject({ err: expect.stringContaining("--limit 10") });
    expect(JSON.parse((await search("--json", "-n", "1", "two")).out)).toMatchObject({
      matches: [{ path: "a.md", line: 2 }],
      more: true,
    });
  });

  test("[TM87] an empty text is a usage error, and spaces are a text", async () => {
    for (const args of [[""], ["", "**/*.md"], ["--regex", ""]])
      expect(await search(...args)).toEqual({
        code: 2,
        out: "",
        err: "error: argument '<text>' is empty\ngive a text to find; the documents are listed by: spliced ls\n",
      });
    expect((await search("  ")).code).toBe(0);
    const client = await daemon.connect();
    for (const regex of [false, true])
      await expect(client.request("search", { query: "", regex })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining("query: the text is empty"),
      });
  });

  test("[SR6] the daemon answers others while a slow regex is searched for", async () => {
    const [searcher, other] = [await daemon.connect(), await daemon.connect()];
    const order: string[] = [];
    const searched = searcher
      .request("search", { query: "(a|b|c){20}d", regex: true })
      .then(() => order.push("search"));
    await other.request("doc.read", { path: "a.md" }).then(() => order.push("read"));
    await searched;
    expect(order).toEqual(["read", "search"]);
  });
});
