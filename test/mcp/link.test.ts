import { describe, expect, test } from "vitest";
import { DisconnectedError, RefusedError } from "../../src/client/calls.ts";
import type { Client } from "../../src/client/client.ts";
import { Link } from "../../src/mcp/link.ts";

/** A connection whose end and answers the test has in hand. */
class Wire {
  readonly asked: string[] = [];
  readonly heard = new Map<string, (params: never) => void>();
  readonly closed: Promise<void>;
  end!: () => void;
  answer: () => Promise<object> = async () => ({});

  constructor() {
    this.closed = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  request(method: string, params: { path?: string }): Promise<object> {
    this.asked.push(`${method} ${params.path}`);
    return this.answer();
  }

  on(kind: string, listener: (params: never) => void): () => void {
    this.heard.set(kind, listener);
    return () => {};
  }

  async close(): Promise<void> {
    this.end();
  }
}

function linked(...wires: Wire[]): { link: Link; connections: () => number } {
  let next = 0;
  const link = new Link(async () => {
    const wire = wires[next++];
    if (wire === undefined) throw new Error("no daemon starts");
    return wire as unknown as Client;
  });
  return { link, connections: () => next };
}

const lost = async () => {
  throw new DisconnectedError("gone");
};
const opId = "op-1";

describe("the link to the daemon", () => {
  test("[MC13] connects when it is needed, once, and anew when the connection has ended", async () => {
    const [a, b] = [new Wire(), new Wire()];
    const { link, connections } = linked(a, b);
    await Promise.all([link.request("doc.list", {}), link.request("doc.list", {})]);
    expect([a.asked.length, connections()]).toEqual([2, 1]);
    a.end();
    await a.closed;
    await link.request("doc.open", { path: "a.md" });
    expect(b.asked).toEqual(["doc.open a.md"]);
  });

  test("[MC13] repeats what was under way where that cannot be done twice, and nothing else", async () => {
    for (const [method, params, repeated] of [
      ["doc.read", { path: "a.md" }, true],
      ["edit.append", { path: "a.md", text: "x", opId }, true],
      ["edit.append", { path: "a.md", text: "x" }, false],
      ["doc.create", { path: "a.md", text: "x" }, false],
    ] as const) {
      const [a, b] = [new Wire(), new Wire()];
      a.answer = lost; // its end is told of later
      const { link } = linked(a, b);
      const answer = link.request(method as "edit.append", params as never);
      if (repeated) await answer;
      else await expect(answer, method).rejects.toThrow(DisconnectedError);
      expect(b.asked.length, method).toBe(repeated ? 1 : 0);
    }
  });

  test("[MC13] a refusal is an answer and not repeated", async () => {
    const wire = new Wire();
    wire.answer = async () => {
      throw new RefusedError({ code: -32003, message: "no", data: { code: "NOT_FOUND", details: {} } });
    };
    const { link } = linked(wire);
    await expect(link.request("doc.open", { path: "a.md" })).rejects.toThrow(RefusedError);
    expect(wire.asked).toHaveLength(1);
  });

  test("[MC13] subscribes again, under the name that a document has by now, and tells what may have been missed", async () => {
    const [a, b] = [new Wire(), new Wire()];
    const { link } = linked(a, b);
    const missed: string[][] = [];
    link.on("resync", ({ paths }) => missed.push([...paths]));
    await link.request("subscribe", { path: "a.md" });
    await link.request("subscribe", { path: "b.md" });
    await link.request("unsubscribe", { path: "b.md" });
    a.heard.get("doc.renamed")!({ path: "a.md", to: "c.md" } as never);
    a.end();
    await a.closed;
    await link.request("doc.list", {});
    expect(b.asked).toEqual(["subscribe c.md", "doc.list undefined"]);
    expect(missed).toEqual([["c.md"]]);
  });

  test("[MC13] says why it cannot connect, and tries again with the next request", async () => {
    const { link, connections } = linked();
    await expect(link.request("doc.list", {})).rejects.toThrow("no daemon starts");
    await expect(link.request("doc.list", {})).rejects.toThrow("no daemon starts");
    expect(connections()).toBe(2);
  });
});
