import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FolderError } from "../../src/mirror/files.ts";
import type { Result } from "../../src/protocol/schemas/schemas.ts";
import { Rights } from "../../src/workspace/access/rights.ts";
import { Bench } from "../workspace/harness.ts";
import { greeted, Talk } from "./talk.ts";

type Page = Result<"search">;

async function search(talk: Talk, query: string, options: object = {}): Promise<Page> {
  return (await talk.ask("search", { query, ...options })).result as unknown as Page;
}

/** Returns the matches of all answers, each as `path:line`. */
async function searchAll(talk: Talk, query: string, options: object = {}): Promise<string[]> {
  const found: string[] = [];
  for (let after: Page["next"] | undefined; after !== null; ) {
    const page: Page = await search(talk, query, { ...options, ...(after && { after }) });
    found.push(...page.matches.map(({ path, line }) => `${path}:${line}`));
    expect(page.more).toBe(page.next !== null);
    after = page.next;
  }
  return found;
}

/** Has each job of a search take so many milliseconds; returns a function that tells how many passed. */
function eachTakes(talk: Awaited<ReturnType<typeof greeted>>, ms: number): () => number {
  const { clock, surveyor } = talk.bench.workspace.ports;
  let passed = 0;
  const { search: searched } = surveyor;
  const spies = [
    vi.spyOn(clock, "elapsed").mockImplementation(() => passed),
    vi.spyOn(surveyor, "search").mockImplementation((owner, job) => {
      passed += ms;
      return searched(owner, job);
    }),
  ];
  onTestFinished(() => spies.forEach((spy) => void spy.mockRestore()));
  return () => passed;
}

describe("search", () => {
  test("[SR1] answers with lines, their numbers and their surroundings", async () => {
    const talk = await greeted({ "a.md": "one\ntwo\nthree\n", "sub/b.md": "two two\n" });
    expect((await search(talk, "two", { context: 1 })).matches).toEqual([
      { path: "a.md", line: 2, text: "two", before: ["one"], after: ["three"] },
      { path: "sub/b.md", line: 1, text: "two two", before: [], after: [] },
    ]);
  });

  test("[SR3, SR8] finds what agents see, and loads nothing", async () => {
    const talk = await greeted({ "a.md": "old\n", "b.md": "old\n" });
    await talk.ask("edit.replace", {
      path: "a.md",
      version: "latest",
      old: "old",
      new: "new",
      ack: "durable",
    });
    expect(await searchAll(talk, "new")).toEqual(["a.md:1"]);
    expect(await searchAll(talk, "old")).toEqual(["b.md:1"]);
    const { docs } = (await talk.ask("doc.list", { loaded: true })).result as { docs: { path: string }[] };
    expect(docs.map(({ path }) => path)).toEqual(["a.md"]);
    expect((await talk.ask("edit.write", { path: "b.md", text: "x" })).error?.data.code).toBe(
      "VERSION_REQUIRED",
    );
  });

  test("[SR4] leaves out ignored and binary files, other paths, and what the token may not read", async () => {
    const bench = new Bench({
      "a.md": "x\n",
      "a.txt": "x\n",
      ignored: "x\n",
      "b.bin": "x\0",
      "my/a.md": "x\n",
    });
    const talk = new Talk(bench);
    await talk.hello();
    expect(await searchAll(talk, "x")).toEqual(["a.md:1", "a.txt:1", "my/a.md:1"]);
    expect(await searchAll(talk, "x", { pattern: "**/*.md" })).toEqual(["a.md:1", "my/a.md:1"]);
    const rights = new Rights([
      { glob: "my/**", level: "none" },
      { glob: "**", level: "read" },
    ]);
    expect(await searchAll(await talk.again({ name: "guest", rights }), "x")).toEqual(["a.md:1", "a.txt:1"]);
  });

  test("[SR5] its answers have each match once, whatever the limit", async () => {
    const files: Record<string, string> = {};
    for (const path of ["a", "a.md", "a/b", "a/b.md", "b", "c/d/e", "c/d.md"].map((path) => `${path}.txt`))
      files[path] = "x\ny\nx\nx\n";
    const talk = await greeted(files);
    const all = await searchAll(talk, "x", { limit: 1000 });
    expect(all).toHaveLength(21);
    for (const limit of [1, 2, 4]) expect(await searchAll(talk, "x", { limit })).toEqual(all);
  });

  test("[SR10] answers soon after the first match, and then searches longer for each answer", async () => {
    const files = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`${10 + i}.md`, "x\n"]));
    const talk = await greeted(files);
    const passed = eachTakes(talk, 200);
    const first = await search(talk, "x");
    expect([first.matches.length, passed()]).toEqual([10, 200]);
    const second = await search(talk, "x", { after: first.next! });
    expect([second.matches.length, second.more]).toEqual([80, false]);
    expect(passed()).toBeGreaterThan(600);
  });

  test("[SR5] says that nothing is left when the time is over with the last document", async () => {
    const talk = await greeted({ "a.md": "x\n", "b.md": "x\n" });
    eachTakes(talk, 5_000);
    expect(await search(talk, "x")).toMatchObject({ matches: [{}, {}], more: false, next: null });
  });

  test("[SR5] continues after a document that is gone by then", async () => {
    const talk = await greeted({ "a.md": "x\n", "b.md": "x\n", "c.md": "x\n" });
    expect((await search(talk, "x", { after: { path: "b.md" } })).matches).toMatchObject([{ path: "c.md" }]);
    talk.bench.remove("b.md");
    expect((await search(talk, "x", { after: { path: "b.md", line: 1 } })).matches).toMatchObject([
      { path: "c.md" },
    ]);
  });

  test.each([["search", { query: "x" }] as const, ["doc.list", {}] as const])(
    "[FA12] %s is refused with the reason where the system fails to read a folder",
    async (method, params) => {
      const talk = await greeted({ "a.md": "x\n" });
      const problem = { kind: "io", message: "sub: too many open files (EMFILE)" } as const;
      const walk = vi.spyOn(talk.bench.workspace.ports.files, "walk");
      walk.mockImplementation(() => {
        throw new FolderError(problem);
      });
      const { error } = await talk.ask(method, params);
      expect(error).toMatchObject({ message: problem.message, data: { code: "MIRROR_BLOCKED" } });
      expect(error?.data["suggestion"]).toContain("descriptors");
    },
  );

  test("[SR7] refuses an invalid regex, and names documents in which one takes too long", async () => {
    const files = { "a.md": "abc".repeat(1_000_000), "b.md": `${"a".repeat(100)}d\n` };
    const talk = new Talk(new Bench(files, { maxFileBytes: 4 << 20 }));
    await talk.hello();
    expect((await talk.ask("search", { query: "(", regex: true })).error?.data).toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    expect(await search(talk, "(a|b|c){100}d", { regex: true })).toMatchObject({
      matches: [{ path: "b.md" }],
      tooLong: ["a.md"],
    });
  });
});
