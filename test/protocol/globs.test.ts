import { setImmediate } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { Automaton } from "../../src/paths/automaton.ts";
import { MOST_TOKEN_PATTERNS } from "../../src/work/bounds.ts";
import { Rights } from "../../src/workspace/access/rights.ts";
import { Bench } from "../workspace/harness.ts";
import { greeted, Talk } from "./talk.ts";

describe("a glob from a client", () => {
  test("[GL5] is not matched against paths that its token may not read", async () => {
    const rights = new Rights([
      { glob: "secret/**", level: "none", conflict: "merge" },
      { glob: "**", level: "write", conflict: "merge" },
    ]);
    const bench = new Bench({ "a.md": "a", "secret/b.md": "b" });
    const owner = new Talk(bench);
    const talk = new Talk(bench, { name: "agent", rights });
    for (const each of [owner, talk]) await each.hello();

    const seen = new Map<Automaton, string[]>();
    const matches = Automaton.prototype.matches;
    const spy = vi.spyOn(Automaton.prototype, "matches").mockImplementation(function (this: Automaton, path) {
      seen.set(this, [...(seen.get(this) ?? []), path]);
      return matches.call(this, path);
    });
    rights.levelAt("a.md", "secret/b.md");
    const rules = new Set(seen.keys());
    await talk.ask("doc.list", { pattern: "**/*.md" });
    await talk.ask("subscribe", { pattern: "*/b*" });
    await owner.ask("edit.append", { path: "secret/b.md", text: "x" });
    await owner.ask("presence.set", { path: "secret/b.md", from: 0 });
    await owner.ask("doc.create", { path: "secret/c.md", text: "x" });
    spy.mockRestore();

    const patterns = [...seen].filter(([automaton]) => !rules.has(automaton));
    expect(patterns.map(([, paths]) => new Set(paths))).toEqual([new Set(["a.md"]), new Set(["a.md"])]);
  });

  for (const method of ["doc.list", "subscribe"])
    test(`[GL4] is refused by ${method} when it uses a richer language`, async () => {
      const talk = await greeted({ ["a".repeat(42)]: "" });
      const { error } = await talk.ask(method, { pattern: "([a-z/.]+)+X" });
      expect(error?.data.code).toBe("INVALID_ARGUMENT");
      expect(error?.message).toContain("A glob is a path with *");
    });

  for (const [method, params] of [
    ["doc.list", {}],
    ["subscribe", {}],
    ["search", { query: "x" }],
  ] as const)
    test(`[GL9] is refused by ${method} when it matches no document`, async () => {
      const talk = await greeted({ "a.md": "x" });
      for (const pattern of ["[", "/a/**", "../**"]) {
        const { error } = await talk.ask(method, { ...params, pattern });
        expect(error?.data.code, pattern).toBe("INVALID_ARGUMENT");
        expect(error?.message, pattern).toContain("A glob is a path with *");
      }
    });

  test("[GL6] is one of at most a hundred on its connection", async () => {
    const talk = await greeted({});
    for (let i = 0; i < 100; i++) await talk.ask("subscribe", { pattern: `${i}/*` });
    const { error } = await talk.ask("subscribe", { pattern: "one/more" });
    expect(error?.data).toMatchObject({ code: "OVERLOADED", details: { limit: 100 } });
    expect((await talk.ask("subscribe", { pattern: "7/*" })).error).toBeUndefined();
    await talk.ask("unsubscribe", { pattern: "7/*" });
    expect((await talk.ask("subscribe", { pattern: "one/more" })).error).toBeUndefined();
  });

  test("[BD23] all connections of one token share a limit, and another token has its own", async () => {
    const talk = await greeted({});
    const { count } = MOST_TOKEN_PATTERNS;
    for (let i = 0; i < count; i++) talk.service.patterns.count("owner", `elsewhere ${i}`, 1);
    const refused = (await talk.ask("subscribe", { pattern: "*" })).error;
    expect(refused?.data).toMatchObject({ code: "OVERLOADED", details: { limits: MOST_TOKEN_PATTERNS } });
    const rights = new Rights([{ glob: "**", level: "read", conflict: "merge" }]);
    const reader = await talk.again({ name: "reader", rights });
    expect((await reader.ask("subscribe", { pattern: "*" })).error).toBeUndefined();
    talk.service.patterns.release("elsewhere 0");
    expect((await talk.ask("subscribe", { pattern: "*" })).error).toBeUndefined();
    talk.session.close();
    expect(talk.service.patterns.used("owner").count).toBe(count - 1);
  });

  test("[GL8] costs an edit nothing that it does not match, and neither does a subscription to another document", async () => {
    const costs: number[] = [];
    for (const count of [5, 1_000]) {
      const talk = await greeted({ "a.md": "a", "b.md": "b" });
      const noise = { notify: vi.fn(), notifyOfPresence: vi.fn() };
      const { subscribers } = talk.service;
      const agents = ["own", "other"].map(
        () => new Rights([{ glob: "**", level: "read", conflict: "merge" }]),
      );
      for (let i = 0; i < count; i++) {
        const subscriber = { ...noise };
        subscribers.addPath(`own/${i}.md`, subscriber);
        for (const pattern of [`own${i}/**`, `docs/{a,b}/*${i}.md`, `**/x${i}.md`])
          subscribers.addPattern(pattern, agents[i % 2]!, subscriber);
      }
      await talk.ask("subscribe", { path: "a.md" });
      const edit = () => talk.ask("edit.append", { path: "a.md", text: "x" });
      await edit();
      const spies = [
        vi.spyOn(Automaton.prototype, "matches"),
        vi.spyOn(Rights.prototype, "allows"),
        vi.spyOn(talk.bench.workspace, "isIgnored"),
      ];
      await edit();
      costs.push(spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0));
      for (const spy of spies) spy.mockRestore();
      expect(noise.notify).not.toHaveBeenCalled();
      expect(talk.sent.filter(({ method }) => method === "doc.changed")).toHaveLength(2);
    }
    expect(costs[1]).toBe(costs[0]);
  });

  test("[GL8] of a connection that ended is forgotten, also one that was asked for meanwhile", async () => {
    const talk = await greeted({ "a.md": "a" });
    const { subscribers } = talk.service;
    const [added, deleted] = [vi.spyOn(subscribers, "addPath"), vi.spyOn(subscribers, "deletePath")];
    await talk.ask("subscribe", { path: "a.md" });
    await talk.ask("subscribe", { pattern: "**" });
    expect(added).toHaveBeenCalledTimes(1);
    talk.session.receive(
      JSON.stringify({ jsonrpc: "2.0", id: 99, method: "subscribe", params: { path: "a.md" } }),
    );
    talk.session.close();
    expect(deleted.mock.calls.map(([path]) => path)).toEqual(["a.md"]);
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    expect(added).toHaveBeenCalledTimes(1);
  });
});
