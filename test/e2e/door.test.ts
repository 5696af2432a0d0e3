import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { residentBytes, type ServedFolder, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until, within } from "./until.ts";
import { closed, greetedWire, openWire, rawTcp, upgradeStatus } from "./wire.ts";

const SETTINGS = "export default { limits: { maxMessageBytes: 2_000_000 } };\n";
const HELLO = { protocol: 1, agent: { name: "wire" } };

let folder: Folder;
let daemon: ServedFolder;
/** Another client, which must not notice any of this. */
let bystander: Client;

/**
 * Connections that never send hello: the close code and the time of each. The file opens them first and checks them
 * last.
 */
let unfriendly: Promise<readonly { code: number; afterMs: number }[]>;

beginShared(async () => {
  folder = makeFolder({ "daemon.config.ts": SETTINGS, "notes.md": "hello\n" });
  daemon = await serveFolder(folder.root);
  bystander = await daemon.connect({ name: "bystander" });
  const opened = performance.now();
  const heads = ["", "GET / HTTP/1.1\r\nhost: x\r\n"];
  headless = Promise.all(
    heads.map(async (head) => {
      const answer = await closed(daemon.located, head);
      return { answer, afterMs: performance.now() - opened };
    }),
  );
  const wires = [await openWire(daemon.located), await openWire(daemon.located)];
  await wires[1]!.ask("doc.read", { path: "notes.md" });
  const ends = wires.map(async ({ closed }) => ({ code: await closed, afterMs: performance.now() - opened }));
  unfriendly = Promise.all(ends);
});

/** Sockets that send no request head, or half of one: what each received until it was closed, and the time of that. */
let headless: Promise<readonly { answer: string; afterMs: number }[]>;

/** Checks that the bystander still gets answers, and that no request changed the document. */
async function bystanderGoesOn(): Promise<void> {
  const { text } = await bystander.request("doc.read", { path: "notes.md" });
  expect(text).toBe("hello\n");
}

describe("who may talk", () => {
  const status = (path: string, headers: Record<string, string>) =>
    upgradeStatus(`${daemon.located.url.replace("http:", "ws:")}${path}`, headers);
  const bearer = () => ({ authorization: `Bearer ${daemon.located.token}` });

  test("[EE11] without the token, or with another, the upgrade is answered 401", async () => {
    expect(await status("/rpc", {})).toBe(401);
    expect(await status("/rpc", { authorization: "Bearer wrong" })).toBe(401);
    expect(await status("/rpc", { authorization: `Basic ${daemon.located.token}` })).toBe(401);
    expect(await status("/rpc", { authorization: "Bearer " })).toBe(401);
    expect(await status("/rpc", bearer())).toBe(101);
  });

  test("[AC10] a refused upgrade asks for a token as a refused request does", async () => {
    const upgrade = "Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket";
    expect(await rawTcp(daemon.located, `GET /rpc HTTP/1.1\r\n${upgrade}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 401 .*\r\nwww-authenticate: Bearer realm="spliced"\r\n/s,
    );
  });

  test("[EE44] a token in the query counts for nothing", async () => {
    for (const key of ["token", "access_token", "authorization"])
      expect(await status(`/rpc?${key}=${daemon.located.token}`, {})).toBe(401);
  });

  test("[EE12] a page of another origin is answered 403, token or not", async () => {
    const own = daemon.located.url;
    for (const origin of [
      "https://evil.example",
      "null",
      "file://",
      `${own}.evil.example`,
      "http://localhost:1",
    ]) {
      expect(await status("/rpc", { ...bearer(), origin }), origin).toBe(403);
      expect(await status("/rpc", { origin }), origin).toBe(403);
    }
    expect(await status("/rpc", { ...bearer(), origin: own })).toBe(101);
  });

  test("[EE45] a Host that is not this machine, as after a rebound name, is answered 403", async () => {
    for (const host of [
      "evil.example",
      "evil.example:7754",
      "127.0.0.1.evil.example",
      "localhost@evil.example",
      "[::2]",
    ])
      expect(await status("/rpc", { ...bearer(), host }), host).toBe(403);
    for (const host of ["localhost", "127.0.0.1:7754", "[::1]", "LOCALHOST"])
      expect(await status("/rpc", { ...bearer(), host }), host).toBe(101);
  });

  test("[EE45] no Host at all is turned away", async () => {
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13";
    const headers = `Authorization: Bearer ${daemon.located.token}\r\n${upgrade}\r\nSec-WebSocket-Key: ${"A".repeat(22)}==`;
    expect(await rawTcp(daemon.located, `GET /rpc HTTP/1.1\r\n${headers}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 40[03] /,
    );
    const own = `Host: localhost\r\n${headers}`;
    expect(await rawTcp(daemon.located, `GET /rpc HTTP/1.1\r\n${own}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 101 /);
  });

  test("[EE13] only /rpc is upgraded, anything else is 404; only /health is open to all", async () => {
    expect(await status("/", bearer())).toBe(404);
    expect(await status("/rpc/x", bearer())).toBe(404);
    const health = await fetch(`${daemon.located.url}/health`);
    expect(await health.json()).toMatchObject({ status: "ok" });
    for (const path of ["/nowhere", "/rpc", "/loro"]) {
      expect((await fetch(`${daemon.located.url}${path}`)).status, path).toBe(401);
      const headers = { authorization: `Bearer ${daemon.located.token}` };
      expect((await fetch(`${daemon.located.url}${path}`, { headers })).status, path).toBe(404);
    }
  });

  test("[EE46] what is not HTTP is cut off, and others go on", async () => {
    expect(await rawTcp(daemon.located, "\u0016\u0003\u0001 not a request\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    await bystanderGoesOn();
  });
});

describe("hello", () => {
  test("[EE14] before it every request is UNAUTHENTICATED; after it they are served", async () => {
    const wire = await openWire(daemon.located);
    for (const method of ["doc.list", "doc.read", "edit.append", "subscribe"])
      expect((await wire.ask(method, { path: "notes.md", text: "x" })).error?.data.code).toMatch(
        /UNAUTHENTICATED|INVALID_ARGUMENT/,
      );
    expect((await wire.ask("doc.read", { path: "notes.md" })).error?.data.code).toBe("UNAUTHENTICATED");
    expect((await wire.ask("hello", HELLO)).result).toMatchObject({
      protocol: 1,
      positionEncoding: "utf-32",
    });
    expect((await wire.ask("doc.read", { path: "notes.md" })).result).toMatchObject({ text: "hello\n" });
  });

  test("[EE14] another protocol version, no name, a second hello: refused", async () => {
    const wire = await openWire(daemon.located);
    for (const params of [{ protocol: 2, agent: { name: "x" } }, { protocol: 1 }, { protocol: 1, agent: {} }])
      expect((await wire.ask("hello", params)).error?.data.code).toBe("INVALID_ARGUMENT");
    await wire.ask("hello", HELLO);
    expect((await wire.ask("hello", HELLO)).error?.data.code).toBe("INVALID_ARGUMENT");
  });
});

describe("frames", () => {
  test("[EE15] one that is too large closes its connection with 1009, and no other", async () => {
    const wire = await greetedWire(daemon.located);
    expect(bystander.hello.limits.maxMessageBytes).toBe(2_000_000);
    wire.send("x".repeat(2_000_001));
    expect(await wire.closed).toBe(1009);
    await bystanderGoesOn();
  });

  test("[EE48] a binary one closes with 1003, one that is not UTF-8 with 1007", async () => {
    const [binary, broken] = [await greetedWire(daemon.located), await greetedWire(daemon.located)];
    binary.send(Uint8Array.of(1, 2, 3));
    broken.ws.send(Uint8Array.of(0x7b, 0xff, 0xfe), { binary: false });
    expect(await Promise.all([binary.closed, broken.closed])).toEqual([1003, 1007]);
    await bystanderGoesOn();
  });

  const JUNK: [what: string, frame: string, code: number][] = [
    ["no JSON", "not json", -32700],
    ["an empty frame", "", -32700],
    ["half an object", '{"jsonrpc":"2.0","id":1,', -32700],
    ["NaN", '{"jsonrpc":"2.0","id":1,"method":"doc.read","params":{"path":NaN}}', -32700],
    ["nesting 100,000 deep", "[".repeat(100_000), -32600],
    ["null", "null", -32600],
    ["a number", "42", -32600],
    ["a string", '"hello"', -32600],
    ["an empty object", "{}", -32600],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"doc.list"}]', -32600],
    ["an empty batch", "[]", -32600],
    ["no version", '{"id":1,"method":"doc.list"}', -32600],
    ["version 1.0", '{"jsonrpc":"1.0","id":1,"method":"doc.list"}', -32600],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"doc.list"}', -32600],
    ["a method that is a number", '{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ["params by position", '{"jsonrpc":"2.0","id":1,"method":"doc.read","params":["notes.md"]}', -32602],
    ["a method that is none", '{"jsonrpc":"2.0","id":1,"method":"doc.nothing"}', -32601],
    ["a method of Object", '{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
    ["__proto__ as a method", '{"jsonrpc":"2.0","id":1,"method":"__proto__"}', -32601],
  ];

  for (const [what, frame, code] of JUNK)
    test(`[EE16] ${what} is answered with ${code}, and the connection goes on`, async () => {
      const wire = await greetedWire(daemon.located);
      wire.send(frame);
      expect((await wire.answer()).error?.code).toBe(code);
      expect((await wire.ask("doc.read", { path: "notes.md" })).result).toMatchObject({ text: "hello\n" });
    });

  test("[EE49] __proto__ and constructor keys poison nothing", async () => {
    const wire = await greetedWire(daemon.located);
    const poison = '"__proto__":{"text":"evil","admin":true},"constructor":{"prototype":{"path":"evil"}}';
    for (const method of ["doc.read", "edit.append", "subscribe"])
      expect((await wire.ask(method, `{"path":"notes.md",${poison}}`)).error?.data.code).toBe(
        "INVALID_ARGUMENT",
      );
    wire.send(`{"jsonrpc":"2.0","id":5,"method":"doc.read","params":{"path":"notes.md"},${poison}}`);
    expect((await wire.answer()).result).toMatchObject({ text: "hello\n" });
    await bystanderGoesOn();
  });

  test("[EE50] a notification is done without an answer, even when it is refused", async () => {
    const wire = await greetedWire(daemon.located);
    wire.send('{"jsonrpc":"2.0","method":"doc.read","params":{"path":"nowhere.md"}}');
    wire.send('{"jsonrpc":"2.0","method":"doc.create","params":{"path":"quiet.md","text":"q\\n"}}');
    await until("the file is made", () => folder.read("quiet.md") === "q\n");
    expect((await wire.ask("doc.read", { path: "quiet.md" })).result).toMatchObject({ text: "q\n" });
    expect(wire.heard).toEqual([]);
  });

  test("[EE17] two clients that count their requests alike never get each other's answers", async () => {
    const names = Array.from({ length: 40 }, (_, i) => `same-${i}.md`);
    for (const name of names) folder.write(name, `text of ${name}`);
    const clients = [await daemon.connect({ name: "a" }), await daemon.connect({ name: "b" })];
    const orders = [names, names.toReversed()];
    const read = clients.map((client, i) =>
      Promise.all(orders[i]!.map(async (path) => (await client.request("doc.read", { path })).text)),
    );
    expect(await Promise.all(read)).toEqual(orders.map((order) => order.map((path) => `text of ${path}`)));
  });

  test("[EE17] the same id used twice at once gets two answers", async () => {
    const wire = await greetedWire(daemon.located);
    for (const path of ["notes.md", "nowhere.md"])
      wire.send(JSON.stringify({ jsonrpc: "2.0", id: "same", method: "doc.read", params: { path } }));
    const both = [await wire.answer(), await wire.answer()];
    expect(both.map(({ id }) => id)).toEqual(["same", "same"]);
    expect(both.map(({ result, error }) => (result ? "read" : error?.data.code)).toSorted()).toEqual([
      "NOT_FOUND",
      "read",
    ]);
  });
});

describe("a client that never reads", () => {
  const MB = 1 << 20;

  further(
    "[EE18] notifications stop piling up, others go on, and it is told to resync when it reads again",
    async () => {
      const own = makeFolder({ "busy.md": "start\n" });
      const daemon = await startDaemon(own.root);
      const writer = await daemon.connect();
      const wires = await Promise.all(Array.from({ length: 40 }, () => greetedWire(daemon.located)));
      for (const wire of wires) await wire.ask("subscribe", { path: "busy.md" });
      for (const wire of wires) wire.ws.pause();
      const before = residentBytes(daemon.pid);
      // 40 × 10 MB, if the daemon stored it all.
      for (let i = 0; i < 40; i++)
        await writer.request("edit.write", {
          path: "busy.md",
          version: "latest",
          text: `${i % 10}`.repeat(MB / 4),
          ack: "durable",
        });
      expect(residentBytes(daemon.pid) - before).toBeLessThan(250 * MB);
      const [wire] = wires;
      wire!.ws.resume();
      const resync = await until(
        "resync is told",
        () => wire!.heard.find(({ method }) => method === "resync"),
        Boolean,
        150_000,
      );
      expect(resync?.params).toEqual({ paths: ["busy.md"] });
      expect((await wire!.ask("doc.read", { path: "busy.md" })).result?.["text"]).toBe("9".repeat(MB / 4));
    },
    400_000,
  );

  test("[EE18] neither do answers: its requests wait on the wire", async () => {
    const own = makeFolder({ "large.md": "x".repeat(MB), "notes.md": "hello\n" });
    const daemon = await startDaemon(own.root);
    const other = await daemon.connect();
    await other.request("doc.read", { path: "notes.md" }); // the first document loads Loro
    const wire = await greetedWire(daemon.located);
    await other.request("doc.read", { path: "large.md" }); // the first document loads parts of the program
    wire.ws.pause();
    const before = residentBytes(daemon.pid);
    // 800 MB, if the daemon answered it all.
    for (let i = 0; i < 800; i++)
      wire.send(`{"jsonrpc":"2.0","id":${i},"method":"doc.read","params":{"path":"large.md"}}`);
    let most = 0;
    for (let i = 0; i < 200; i++) {
      await within("the other is served", other.request("doc.read", { path: "notes.md" }));
      most = Math.max(most, residentBytes(daemon.pid) - before);
    }
    expect(most).toBeLessThan(250 * MB);
  });
});

describe("after all that", () => {
  test("[EE47] who did not say hello within 5 s was closed with 1008, whatever else it said", async () => {
    const ends = await within("both are closed", unfriendly);
    expect(ends.map(({ code }) => code)).toEqual([1008, 1008]);
    for (const { afterMs } of ends) expect(afterMs).toBeGreaterThan(4_500);
    await bystanderGoesOn();
  });

  test("[BD9] a socket without a whole request head is closed after 5 s, and others go on", async () => {
    for (const { answer, afterMs } of await within("both are closed", headless)) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n.*connection: close\r\n/s);
      expect(afterMs).toBeGreaterThan(4_500);
      expect(afterMs).toBeLessThan(20_000);
    }
    await bystanderGoesOn();
  });
});
