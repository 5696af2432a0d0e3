import { describe, expect, test } from "vitest";
import { type Level, Rights } from "../../src/workspace/access/rights.ts";
import { Bench } from "../workspace/harness.ts";
import { greeted, Talk } from "./talk.ts";

const holder = (name: string, glob: string, level: Level) => ({
  name,
  rights: new Rights([{ glob, level, conflict: "merge" }]),
});

const codeOf = async (asking: ReturnType<Talk["ask"]>) => (await asking).error?.data.code;

async function newest(talk: Talk, path: string) {
  const { result } = await talk.ask("history.list", { path, limit: 1 });
  const { changes } = result as { changes: Record<string, unknown>[] };
  return changes[0]!;
}

describe("claims over the wire", () => {
  test("[KR1] a claim's save has the agent's name, session and certainty", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("doc.open", { path: "a.md" });
    const { result } = await talk.ask("claim.open", { agent: "codex", session: "s 1", path: "a.md" });
    talk.bench.save("a.md", "two\n");
    await talk.ask("claim.close", { claimId: result?.["claimId"] });
    await talk.ask("doc.read", { path: "a.md" });
    expect(await newest(talk, "a.md")).toMatchObject({
      author: "codex",
      agent: "owner/codex",
      session: "s 1",
      certainty: "sure",
    });
    expect(talk.told("doc.changed")).toEqual([]);
  });

  test("[KR17] the end of a claim waits, if asked, until the daemon has taken in what the tool did", async () => {
    const talk = await greeted({ "a.md": "one\n", "b.md": "two\n" });
    await talk.ask("subscribe", { pattern: "**" });
    for (const path of ["a.md", "b.md"]) await talk.ask("doc.open", { path });
    await talk.ask("claim.open", { agent: "codex" });
    talk.bench.save("a.md", "one more\n");
    talk.bench.remove("b.md");
    await talk.ask("claim.close", { agent: "codex", wait: true });
    const news = talk.sent
      .slice(0, -1)
      .map(({ method, params }) => [method, params?.["path"], params?.["author"]]);
    expect(news).toContainEqual(["doc.changed", "a.md", "codex"]);
    expect(news).toContainEqual(["doc.deleted", "b.md", "codex"]);
  });

  test("[KR4] changes of two agents' shells are found by the name of either", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("doc.open", { path: "a.md" });
    for (const agent of ["codex", "claude"]) await talk.ask("claim.open", { agent });
    talk.bench.save("a.md", "two\n");
    await talk.ask("doc.read", { path: "a.md" });
    for (const agent of ["codex", "claude", "owner/claude"]) {
      const { result } = await talk.ask("history.list", { agent });
      expect(result?.["changes"]).toMatchObject([{ author: "codex or claude", certainty: "likely" }]);
    }
  });

  test("[KR7] a claim over a connection ends with it", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("doc.open", { path: "a.md" });
    const other = await talk.again();
    await other.ask("claim.open", { agent: "codex" });
    other.session.close();
    await new Promise((resolve) => setTimeout(resolve, 150));
    talk.bench.save("a.md", "two\n");
    await talk.ask("doc.read", { path: "a.md" });
    expect(await newest(talk, "a.md")).toMatchObject({ author: "disk" });
  });

  test("[US6] everything of a session is undone by a preview, and by undo itself", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("doc.open", { path: "a.md" });
    await talk.ask("claim.open", { agent: "codex", session: "s1", path: "a.md" });
    talk.bench.save("a.md", "two\n");
    await talk.ask("doc.read", { path: "a.md" });
    const params = { agent: "codex", session: "s1" };
    const shown = (await talk.ask("preview.create", { method: "undo", params })).result!;
    expect(shown["files"]).toMatchObject([{ path: "a.md", diff: expect.stringContaining("+one") }]);
    const { patch_id, base_hash } = shown;
    expect((await talk.ask("preview.apply", { patch_id, base_hash })).result?.["files"]).toHaveLength(1);
    await expect.poll(() => talk.bench.read("a.md")).toBe("one\n");
    expect(await codeOf(talk.ask("undo", params))).toBe("NOT_FOUND");
    expect(await codeOf(talk.ask("preview.create", { method: "undo", params: {} }))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(talk.ask("undo", { agent: "codex", since: "yesterday" }))).toBe("INVALID_ARGUMENT");
  });

  test("[KR9] claim.last names the version that the agent read", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    const { result: opened } = await talk.ask("doc.open", { path: "a.md" });
    const who = { agent: "codex", session: "s1", path: "a.md" };
    expect((await talk.ask("claim.last", who)).result).toEqual({ read: null });
    await talk.ask("claim.read", { ...who, sha256: String(opened?.["sha256"]).toUpperCase() });
    await talk.ask("edit.append", { path: "a.md", text: "more\n" });
    expect((await talk.ask("claim.last", who)).result?.["read"]).toMatchObject({
      sha256: opened?.["sha256"],
      version: opened?.["version"],
      session: "s1",
    });
  });

  test("[KR11] an MCP client hears the news of the hooks of the same agent", async () => {
    const talk = new Talk(new Bench({}));
    await talk.ask("hello", { protocol: 1, agent: { name: "claude-code" } });
    talk.service.claims.news.add("owner/claude", "merged");
    expect((await talk.ask("claim.news", {})).result).toEqual({ news: ["merged"] });
    expect((await talk.ask("claim.news", {})).result).toEqual({ news: [] });
  });

  test("[KR13] a token claims for its own agents, and only what it may write", async () => {
    const owner = await greeted({ "a.md": "one\n", "docs/b.md": "two\n" });
    for (const path of ["a.md", "docs/b.md"]) await owner.ask("doc.open", { path });
    const bot = await owner.again(holder("bot", "docs/**", "write"));
    const reader = await owner.again(holder("reader", "**", "read"));
    expect(await codeOf(reader.ask("claim.open", { agent: "codex" }))).toBe("PERMISSION_DENIED");
    expect(await codeOf(reader.ask("claim.open", { agent: "x", path: "a.md" }))).toBe("PERMISSION_DENIED");
    expect(await codeOf(bot.ask("claim.open", { agent: "codex", path: "a.md" }))).toBe("NOT_FOUND");
    await bot.ask("claim.open", { agent: "owner/codex" });
    owner.bench.save("a.md", "1\n");
    owner.bench.save("docs/b.md", "2\n");
    for (const path of ["a.md", "docs/b.md"]) await owner.ask("doc.read", { path });
    expect(await newest(owner, "a.md")).toMatchObject({ agent: "disk" });
    expect(await newest(owner, "docs/b.md")).toMatchObject({ agent: "bot/owner/codex" });
  });

  test("[KR13] an agent called disk or spliced gets another name", async () => {
    const talk = await greeted({ "a.md": "one\n" });
    await talk.ask("doc.open", { path: "a.md" });
    await talk.ask("claim.open", { agent: "disk", path: "a.md" });
    talk.bench.save("a.md", "two\n");
    await talk.ask("doc.read", { path: "a.md" });
    expect(await newest(talk, "a.md")).toMatchObject({ author: "disk (agent)" });
  });

  for (const promptsInHistory of [true, false])
    test(`[KR14] a prompt is a message if the setting allows it: ${promptsInHistory}`, async () => {
      const talk = new Talk(new Bench({ "a.md": "one\n" }), undefined, { promptsInHistory });
      await talk.hello();
      await talk.ask("doc.open", { path: "a.md" });
      const who = { agent: "codex", session: "s1" };
      await talk.ask("claim.turn", { ...who, prompt: `fix\n the ${"x".repeat(100)}` });
      await talk.ask("claim.open", { ...who, path: "a.md" });
      talk.bench.save("a.md", "two\n");
      await talk.ask("doc.read", { path: "a.md" });
      const message = promptsInHistory ? `fix the ${"x".repeat(72)}` : undefined;
      expect((await newest(talk, "a.md"))["message"]).toBe(message);
    });
});
