import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { serveBrief } from "../../src/transport/brief.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { drained } from "../helpers/drained.ts";
import { Talk } from "../protocol/talk.ts";
import { Bench } from "../workspace/harness.ts";

const HELLO = { method: "hello", params: { protocol: 1, agent: { name: "hook", session: "s1" } } };
const APPEND = { method: "edit.append", params: { path: "a.md", text: "two\n" } };

async function door() {
  const talk = new Talk(new Bench({ "a.md": "one\n" }), undefined, { maxMessageBytes: 10_000 });
  const holder = { name: "owner", rights: FULL_RIGHTS };
  const server = createServer(
    (request, response) => void serveBrief(talk.service, holder, request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const post = async (body: unknown) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`http://127.0.0.1:${port}/rpc`, { method: "POST", body: text });
    return { status: response.status, body: response.status === 204 ? undefined : await response.json() };
  };
  return { talk, post };
}

test("[HK4] requests in one POST are answered in their order, and their claims stay", async () => {
  const { talk, post } = await door();
  const { status, body } = await post([
    { id: "a", ...HELLO },
    { id: "b", method: "claim.open", params: { agent: "codex", path: "a.md" } },
    { id: null, method: "edit.append", params: { path: "a.md", text: "two\n" } },
    { id: 4, method: "nothing" },
  ]);
  expect(status).toBe(200);
  expect(body).toMatchObject([
    { id: "a", result: { agent: { id: "owner/hook" } } },
    { id: "b", result: { claimId: expect.any(String) } },
    { id: null, result: { path: "a.md" } },
    { id: 4, error: { code: -32601 } },
  ]);
  const path = "a.md" as never;
  const now = { from: Date.now(), to: Date.now() };
  expect(talk.service.claims.authorOf([path], now)).toMatchObject({ name: "codex" });
});

test("[HK19] a request without an id is made, and gets no answer", async () => {
  const { post } = await door();
  const { body } = await post([
    HELLO,
    APPEND,
    { method: "nothing" },
    { id: 1, method: "doc.read", params: { path: "a.md" } },
  ]);
  expect(body).toMatchObject([{ id: 1, result: { text: "one\ntwo\n" } }]);
  expect(await post([HELLO, APPEND])).toEqual({ status: 204, body: undefined });
  expect((await post([HELLO, {}])).body).toMatchObject([{ id: null, error: { code: -32600 } }]);
});

test("[HK4] notifications are no answers", async () => {
  const { post } = await door();
  const { body } = await post([
    { id: 1, ...HELLO },
    { id: 2, method: "subscribe", params: { path: "a.md" } },
    { id: 3, method: "edit.append", params: { path: "a.md", text: '"id":0\n' } },
    { id: '"', method: "doc.read", params: { path: "a.md" } },
  ]);
  expect(body).toMatchObject([
    { id: 1 },
    { id: 2, result: { matched: 1 } },
    { id: 3, result: { path: "a.md" } },
    { id: '"', result: { text: 'one\n"id":0\n' } },
  ]);
});

test("[BD7] an answer leaves before the next request is made, so that unread ones fill no memory", async () => {
  const { talk } = await door();
  const request = Object.assign(
    Readable.from([
      Buffer.from(
        JSON.stringify([
          { id: 1, ...HELLO },
          { id: 2, ...APPEND },
        ]),
      ),
    ]),
    { socket: new PassThrough() },
  );
  const parts: string[] = [];
  let left = () => {};
  const response = {
    headersSent: false,
    writeHead() {
      this.headersSent = true;
    },
    write(part: string, taken: () => void) {
      parts.push(part);
      left = taken;
    },
    end: (part: string) => parts.push(part),
  };
  const holder = { name: "owner", rights: FULL_RIGHTS };
  const serving = serveBrief(talk.service, holder, request as never, response as never);
  while (parts.length === 0) await drained();
  for (let turn = 0; turn < 20; turn++) await drained();
  expect([parts.length, talk.bench.read("a.md")]).toEqual([1, "one\n"]);
  left();
  while (parts.length === 1) await drained();
  request.socket.destroy(); // a client that goes keeps no request
  await serving;
  expect(JSON.parse(parts.join(""))).toMatchObject([{ id: 1 }, { id: 2, result: { path: "a.md" } }]);
});

test("[HK4] requests without hello are refused", async () => {
  const { post } = await door();
  const { body } = await post([{ id: 1, method: "doc.list" }]);
  expect(body).toMatchObject([{ error: { data: { code: "UNAUTHENTICATED" } } }]);
});

for (const [name, body, status] of [
  ["no JSON", "{", 400],
  ["no list", HELLO, 400],
  ["a list of other things", [1, null], 400],
  ["too many requests", Array(17).fill(HELLO), 400],
  ["too long a body", "x".repeat(20_000), 413],
] as const)
  test(`[HK4] ${name} is refused with ${status}`, async () => {
    const { post } = await door();
    expect(await post(body)).toMatchObject({ status, body: { error: expect.any(String) } });
  });
