import { describe, expect, test } from "vitest";
import { encodeFrame } from "../../src/protocol/frames/frame.ts";
import {
  FEW_VALUES,
  INLINE_FRAME_BYTES,
  INLINE_PLAIN_BYTES,
  READER_FRAME_BYTES,
} from "../../src/work/bounds.ts";
import { Rights } from "../../src/workspace/access/rights.ts";
import { greeted, Talk } from "./talk.ts";

const append = (id: number, size: number) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "edit.append",
    params: { path: "a.md", text: "x".repeat(size) },
  });

describe("a long frame", () => {
  test("[BD2] is parsed by a worker; later frames wait for it, other connections do not", async () => {
    const talk = await greeted({ "a.md": "", "b.md": "" });
    const other = await talk.again();
    let go = () => {};
    talk.bench.workers.gate = () =>
      new Promise((opened) => {
        go = opened;
      });
    talk.session.receive(append(77, INLINE_PLAIN_BYTES));
    const behind = talk.ask("doc.read", { path: "a.md" });
    expect((await other.ask("doc.read", { path: "a.md" })).result?.["text"]).toBe("");
    expect(talk.held).toBe(true);
    expect(talk.sent.some(({ id }) => id === 77)).toBe(false);
    go();
    expect(String((await behind).result?.["text"])).toHaveLength(INLINE_PLAIN_BYTES);
    expect(talk.held).toBe(false);
  });

  test.each([
    ["one long string", append(77, INLINE_FRAME_BYTES), false],
    ["many values", `[${"1,".repeat(FEW_VALUES)}"${"x".repeat(INLINE_FRAME_BYTES)}"]`, true],
  ])("[BD2] of %s is held for a worker only if it has many values", async (_, frame, isHeld) => {
    const talk = await greeted({ "a.md": "" });
    talk.bench.workers.gate = () => new Promise(() => undefined);
    talk.session.receive(frame);
    expect(talk.held).toBe(isHeld);
  });

  test.each([
    ["deep", `[${"[".repeat(200)}${"]".repeat(200)}]`],
    ["of many values", `[${"1,".repeat(200_000)}1]`],
  ])("[BD15] that is %s is refused under its id, with the limit", async (_, params) => {
    const talk = await greeted({ "a.md": "x" });
    talk.session.receive(`{"jsonrpc":"2.0","id":77,"method":"doc.list","params":${params}}`);
    await expect
      .poll(() => talk.sent.find(({ id }) => id === 77)?.error?.data)
      .toMatchObject({ code: "TOO_LARGE", details: { limit: expect.any(Number) } });
  });

  test("[BD3] is shorter for a token that may append nowhere; hello returns the limit", async () => {
    const talk = await greeted({});
    const limitOf = async (level: "propose" | "append") => {
      const rights = new Rights([{ glob: "**", level, conflict: "merge" }]);
      const other = new Talk(talk.bench, { name: level, rights });
      Object.assign(other.service, { maxMessageBytes: 48 << 20 });
      const { limits } = (await other.hello()).result as { limits: { maxMessageBytes: number } };
      return limits.maxMessageBytes;
    };
    expect([await limitOf("propose"), await limitOf("append")]).toEqual([READER_FRAME_BYTES, 48 << 20]);
  });
});

test("[BD14] thousands of requests at once delay no other token, and are answered in their order", async () => {
  const talk = await greeted({ "a.md": "x" });
  const other = await talk.again({
    name: "other",
    rights: new Rights([{ glob: "**", level: "read", conflict: "merge" }]),
  });
  const count = 5_000;
  const ids = Array.from({ length: count }, (_, i) => 1_000 + i);
  for (const id of ids)
    talk.session.receive(JSON.stringify({ jsonrpc: "2.0", id, method: "doc.open", params: { path: 7 } }));
  await other.ask("presence.list", { path: "a.md" });
  const answered = () => talk.sent.filter(({ id }) => id !== undefined && id !== null && id >= 1_000);
  expect(answered().length).toBeLessThan(count);
  expect(talk.held).toBe(true);
  await expect.poll(() => answered().length, { timeout: 30_000 }).toBe(count);
  expect(answered().map(({ id }) => id)).toEqual(ids);
});

test("[BD12] a long list is encoded as by JSON.stringify, while others get their turns", async () => {
  const item = (i: number) => ({ path: `${i}.md`, note: i % 3 === 0 ? undefined : null });
  const result = { docs: Array.from({ length: 5_000 }, (_, i) => item(i)), more: undefined, in: { a: [1] } };
  const message = { jsonrpc: "2.0", id: 1, result };
  let turns = 0;
  const turn = () => {
    turns++;
    setImmediate(turn).unref();
  };
  turn();
  expect(await encodeFrame(message)).toBe(JSON.stringify(message));
  expect(turns).toBeGreaterThan(2);
  expect(encodeFrame({ id: 2, result: { docs: [] } })).toBe('{"id":2,"result":{"docs":[]}}');
});
