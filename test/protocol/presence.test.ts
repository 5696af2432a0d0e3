import { describe, expect, test } from "vitest";
import { Rights } from "../../src/workspace/access/rights.ts";
import { greeted, Talk } from "./talk.ts";

const FILES = { "a.md": "a😀b\n", "b.md": "b\n" };

/** Returns two connections that have subscribed to all readable documents. */
async function two(): Promise<{ one: Talk; other: Talk }> {
  const one = await greeted(FILES);
  const other = await one.again();
  for (const talk of [one, other]) await talk.ask("subscribe", { pattern: "**" });
  return { one, other };
}

async function present(talk: Talk, path: string): Promise<unknown> {
  return (await talk.ask("presence.list", { path })).result?.["present"];
}

const told = (talk: Talk) => talk.told("presence.changed").map(({ params }) => params);

describe("presence", () => {
  test("[PS1] is sent to the others, not to its own connection, and listed", async () => {
    const { one, other } = await two();
    await one.ask("presence.set", { path: "a.md", from: 1, to: 2 });
    const here = { session: one.session.id, agent: "owner/tester", name: "tester", from: 1, to: 2 };
    expect(told(other)).toEqual([{ path: "a.md", ...here }]);
    expect(told(one)).toEqual([]);
    expect(await present(other, "a.md")).toEqual([{ ...here, at: expect.stringMatching(/^\d{4}-.*Z$/) }]);
    expect(await present(other, "b.md")).toEqual([]);
  });

  test("[PS5] counts in each connection's own unit", async () => {
    const { one } = await two();
    const wide = await greetedIn(one, "utf-16");
    const bytes = await greetedIn(one, "utf-8");
    await wide.ask("presence.set", { path: "a.md", from: 3 });
    expect(told(one)).toMatchObject([{ from: 2, to: 2 }]);
    expect(told(bytes)).toMatchObject([{ from: 5, to: 5 }]);
    expect(await present(wide, "a.md")).toMatchObject([{ from: 3, to: 3 }]);
  });

  test("[PS1] has no position when none was sent", async () => {
    const { one, other } = await two();
    await one.ask("presence.set", { path: "a.md" });
    expect(told(other)[0]).not.toHaveProperty("from");
  });

  test("[PS6] is not sent for unreadable documents, nor without a subscription", async () => {
    const { one } = await two();
    const rights = new Rights([{ glob: "b.md", level: "read", conflict: "merge" }]);
    const guest = await one.again({ name: "guest", rights });
    const idle = await one.again();
    await guest.ask("subscribe", { pattern: "**" });
    for (const path of ["a.md", "b.md"]) await one.ask("presence.set", { path });
    expect(told(guest)).toMatchObject([{ path: "b.md" }]);
    expect(told(idle)).toEqual([]);
  });

  test.each([
    ["gone", (talk: Talk) => talk.ask("presence.set", { path: "a.md", gone: true })],
    ["doc.close", (talk: Talk) => talk.ask("doc.close", { path: "a.md" })],
    ["the connection", async (talk: Talk) => talk.session.close()],
    ["doc.delete", (talk: Talk) => talk.ask("doc.delete", { path: "a.md" })],
  ])("[PS2] ends with %s", async (_how, end) => {
    const { one, other } = await two();
    await one.ask("presence.set", { path: "a.md", from: 1 });
    await end(one);
    await expect.poll(() => told(other).at(-1)).toMatchObject({ path: "a.md", gone: true });
    expect(told(other).at(-1)).not.toHaveProperty("from");
    expect(other.service.presences.at("a.md")).toEqual([]);
  });

  test("[PS2] does not begin once the connection has ended", async () => {
    const { one, other } = await two();
    const request = { jsonrpc: "2.0", id: 99, method: "presence.set", params: { path: "b.md" } };
    one.session.receive(JSON.stringify(request));
    one.session.close();
    await other.ask("doc.open", { path: "b.md" });
    expect(await present(other, "b.md")).toEqual([]);
  });

  test("[PS7] follows its document's rename", async () => {
    const { one, other } = await two();
    await one.ask("presence.set", { path: "a.md", from: 1 });
    await other.ask("doc.rename", { path: "a.md", to: "c.md" });
    expect(await present(other, "c.md")).toMatchObject([{ session: one.session.id, from: 1 }]);
  });

  test("[PS3] a position past the end or inside a character moves back to a valid one", async () => {
    const { one } = await two();
    const wide = await greetedIn(one, "utf-16");
    await wide.ask("presence.set", { path: "a.md", from: 2, to: 99 });
    expect(told(one)).toMatchObject([{ from: 1, to: 4 }]);
    await one.ask("edit.write", { path: "a.md", text: "", version: "latest" });
    expect(await present(one, "a.md")).toMatchObject([{ from: 0, to: 0 }]);
  });

  test.each([[{ from: -1 }], [{ from: 0.5 }], [{ to: 1 }], [{ from: 2, to: 1 }], [{ from: 1, gone: true }]])(
    "[PS8] %j is refused",
    async (params) => {
      const { one, other } = await two();
      const answer = await one.ask("presence.set", { path: "a.md", ...params });
      expect(answer.error?.data.code).toBe("INVALID_ARGUMENT");
      expect(told(other)).toEqual([]);
    },
  );

  test("[PS4] a connection is in a hundred documents at most, and once in each", async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`${i}.md`, ""]));
    const talk = await greeted(many);
    for (let i = 0; i < 100; i++) await talk.ask("presence.set", { path: `${i}.md` });
    expect((await talk.ask("presence.set", { path: "100.md" })).error?.data.code).toBe("OVERLOADED");
    await talk.ask("presence.set", { path: "0.md", from: 0 });
    expect(await present(talk, "0.md")).toHaveLength(1);
    await talk.ask("presence.set", { path: "0.md", gone: true });
    expect((await talk.ask("presence.set", { path: "100.md" })).error).toBeUndefined();
  });
});

async function greetedIn({ bench }: Talk, positionEncoding: string): Promise<Talk> {
  const again = new Talk(bench);
  await again.hello({ positionEncoding });
  await again.ask("subscribe", { pattern: "**" });
  return again;
}
