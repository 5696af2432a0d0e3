import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { Connections } from "../../src/transport/connections.ts";
import { MOST_CONNECTIONS, STRANGERS_SHARE, TOKEN_SHARE, TOKENS_SHARE } from "../../src/work/bounds.ts";
import { type Level, Rights } from "../../src/workspace/access/rights.ts";
import { openMcp } from "../mcp/mcp-endpoint.ts";

function holderOf(name: string, level: Level) {
  return { name, rights: new Rights([{ glob: "**", level, conflict: "merge" }]) };
}

/** Takes places until one is refused; returns the connections and the refusal. */
function fill(connections: Connections, holder: ReturnType<typeof holderOf>) {
  const taken: EventEmitter[] = [];
  for (;;) {
    const connection = new EventEmitter();
    const refused = connections.take(holder, connection);
    if (refused !== undefined) return { taken, refused };
    taken.push(connection);
  }
}

describe("the places of connections", () => {
  test("[BD19] are limited for a token, and become free when a connection closes", () => {
    const connections = new Connections({ most: 100 });
    const reader = holderOf("reader", "read");
    const { taken, refused } = fill(connections, reader);
    expect(taken).toHaveLength(100 * TOKEN_SHARE);
    expect(refused).toMatchObject({ status: 429, message: expect.stringContaining("reader has 25") });
    taken[0]!.emit("close");
    expect(connections.take(reader, new EventEmitter())).toBeUndefined();
  });

  test.each(["/rpc", "/mcp"])("[BD19] are taken by requests to %s that do not end, too", async (path) => {
    const reader = holderOf("reader", "read");
    const { url } = await openMcp({}, new Map([["secret", reader]]));
    const { hostname, port } = new URL(url);
    const head = `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer secret\r\nContent-Length: 9\r\n\r\n`;
    const answers: string[] = [];
    while (answers.length === 0) {
      const socket = connect(Number(port), hostname, () => socket.write(head));
      socket.once("data", (answer) => answers.push(String(answer)));
      onTestFinished(() => void socket.destroy());
      await once(socket, "ready");
    }
    expect(answers[0]).toContain("429");
  });

  test("[BD20] are limited for all tokens together, and never for the owner", () => {
    const connections = new Connections({ most: 100 });
    let all = 0;
    for (const name of ["a", "b", "c", "d"]) all += fill(connections, holderOf(name, "write")).taken.length;
    expect(all).toBe(100 * TOKENS_SHARE);
    const owner = holderOf("owner", "admin");
    for (let i = 0; i < 100; i++) expect(connections.take(owner, new EventEmitter())).toBeUndefined();
  });

  test("[BD8] are fewer than the files that the process may open", () => {
    const http = createServer();
    new Connections().watch(http);
    expect(http.maxConnections).toBeGreaterThan(0);
    expect(http.maxConnections).toBeLessThanOrEqual(MOST_CONNECTIONS);
  });

  test("[BD22] sockets without a token give way to newer ones once places are scarce, and the others stay", async () => {
    const http = createServer((_request, response) => response.end());
    const connections = new Connections({ most: 16 });
    connections.watch(http);
    http.on("request", ({ url, socket }) => url === "/known" && connections.admitted(socket));
    await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
    const { port } = http.address() as { port: number };
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      http.close();
    });
    const open = async (path?: string) => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined); // the server closed it, which the test checks
      sockets.push(socket);
      await new Promise((connected) => socket.once("connect", connected));
      if (path === undefined) return socket;
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      await new Promise((answered) => socket.once("data", answered));
      return socket;
    };
    const known = await open("/known");
    const first = [await open(), await open("/health")];
    for (let i = 0; i < 16 * STRANGERS_SHARE - 3; i++) await open();
    expect(sockets.some(({ closed }) => closed)).toBe(false);
    for (const socket of first) {
      socket.resume();
      await open();
      await expect.poll(() => socket.closed).toBe(true);
    }
    expect([known.closed, sockets.at(-1)!.closed]).toEqual([false, false]);
  });
});
