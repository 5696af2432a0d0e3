import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Change } from "../../src/client/changes.ts";
import { DisconnectedError, RefusedError, unauthenticated } from "../../src/client/errors.ts";
import { REPEATS } from "../../src/client/repeats.ts";
import { methods } from "../../src/protocol/schemas/schemas.ts";
import { times } from "../e2e/long.ts";
import { until } from "../e2e/until.ts";
import { Seeded } from "../helpers/seeded.ts";
import { accepted, BOB } from "../workspace/harness.ts";
import { ClientBench } from "./client-bench.ts";

/** Appends text to a document as another author, without a wire. */
async function append(bed: ClientBench, path: string, text: string): Promise<void> {
  const plan = ({ text: now }: { text: { chars: number } }) => ({
    splices: [{ from: now.chars, to: now.chars, insert: text }],
  });
  accepted(await bed.bench.edit(BOB, { path, plan, ack: "durable" }));
}

describe("a client", () => {
  test("[CN1] has the protocol's methods, nested by the dots in their names", async () => {
    const daemon = await new ClientBench({ "a.md": "one\n" }).client();
    expect((await daemon.doc.read({ path: "a.md" })).text).toBe("one\n");
    await daemon.edit.append({ path: "a.md", text: "two\n" });
    expect((await daemon.history.list()).changes[0]?.author).toBe("tester");
    expect((await daemon.undo()).path).toBe("a.md");
    expect((await daemon.blame({ path: "a.md" })).path).toBe("a.md");
    await expect(daemon.doc.read({ path: "b.md" })).rejects.toThrow(RefusedError);
  });

  test("[CN1] knows every method, and whether it may send it again", () => {
    expect(Object.keys(REPEATS).sort()).toEqual(
      Object.keys(methods)
        .filter((name) => name !== "hello")
        .sort(),
    );
    const writing = Object.entries(REPEATS).filter(([, repeat]) => repeat === "again");
    const levels = writing.map(([name]) => [name, methods[name as keyof typeof methods].level] as const);
    expect(levels.filter(([, level]) => level !== "none" && level !== "read")).toEqual([
      ["preview.create", "propose"], // changes nothing
      ["lane.list", "admin"], // changes nothing
    ]);
  });

  test("[CN2] connects again when its connection ends, with pauses that grow up to five seconds", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    const client = await bed.client();
    const states: string[] = [];
    client.on("state", (state) => states.push(state));
    const session = client.hello.session;
    bed.unreachable = true;
    bed.hangUp();
    await until("it has tried often", () => bed.pauses.length > 9);
    bed.unreachable = false;
    await client.ready();
    expect(client.hello.session).not.toBe(session);
    expect(states).toEqual(["reconnecting", "connected"]);
    expect(bed.pauses.slice(0, 3)).toEqual([37.5, 75, 150]);
    expect(bed.pauses[9]).toBe(3750);
  });

  test("[CN15] reports the failure of its first connection at once", async () => {
    const bed = new ClientBench({});
    bed.unreachable = true;
    await expect(bed.client()).rejects.toThrow("no daemon answers");
    expect(bed.pauses).toEqual([]);
  });

  test("[CN16] treats a short connection as a failed attempt, so the pauses grow", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    bed.connectedMs = 100;
    const client = await bed.client();
    for (const ends of [1, 2, 3]) {
      bed.hangUp();
      await until("it is back", () => client.state === "connected" && bed.pauses.length === ends);
    }
    expect(bed.pauses).toEqual([37.5, 75, 150]);
    bed.connectedMs = 60_000;
    bed.hangUp();
    await until("it is back at once", () => client.state === "connected");
    expect(bed.pauses).toHaveLength(3);
  });

  test("[CN17] on demand connects with the next request, and reports why it cannot", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    const client = bed.unconnected({ reconnect: "on demand" });
    await client.doc.open({ path: "a.md" });
    bed.unreachable = true;
    bed.hangUp();
    await expect(client.doc.open({ path: "a.md" })).rejects.toThrow("no daemon answers");
    expect(client.state).toBe("reconnecting");
    bed.unreachable = false;
    await client.doc.open({ path: "a.md" });
    bed.dialError = new Error("the token is none");
    bed.hangUp(1008, "the token was revoked");
    await expect(client.doc.open({ path: "a.md" })).rejects.toThrow("the token is none");
    expect(bed.pauses).toEqual([]);
  });

  test("[CN3] an invalid token closes it, and it has the reason", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    const [revoked, renewed] = [await bed.client(), await bed.client()];
    bed.dialError = unauthenticated("the token does not count", "");
    bed.hangUp(1008, "the token was revoked");
    expect(revoked.state).toBe("closed");
    expect((revoked.reason as RefusedError).code).toBe("UNAUTHENTICATED");
    await expect(revoked.doc.list()).rejects.toThrow("the token was revoked");
    await renewed.closed;
    await expect(bed.client()).rejects.toThrow(RefusedError);
  });

  test("[CN18] when closed, also by a signal, rejects the requests under way", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    const abort = new AbortController();
    for (const [client, close] of [
      [await bed.client({ signal: abort.signal }), () => abort.abort()],
      [await bed.client({ reconnect: false }), () => bed.hangUp()],
    ] as const) {
      const read = client.doc.read({ path: "a.md" });
      close();
      await expect(read).rejects.toThrow(DisconnectedError);
      await client.closed;
      expect(client.state).toBe("closed");
    }
  });

  test("[CN4] a request with an opId is applied once, wherever its wire is cut and whenever the daemon restarts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const random = new Seeded(seed);
        const bed = new ClientBench({ "a.md": "" });
        const client = await bed.client();
        bed.cut = () => (random.chance(0.2) ? random.pick(["before", "after"]) : undefined);
        const lines = Array.from({ length: 12 }, (_, i) => `${i}\n`);
        const asked = lines.map((text) => client.edit.append({ path: "a.md", text }));
        await asked[random.int(lines.length)];
        await bed.restart();
        await Promise.all(asked);
        const text = await bed.bench.text("a.md");
        expect(text.match(/.*\n/g)?.sort()).toEqual([...lines].sort());
      }),
      { numRuns: times(5, 100) },
    );
  }, 60_000);

  test("[CN19] a request that must not be repeated rejects, because the daemon may have applied it", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    const client = await bed.client();
    bed.cut = (way, frame) => (way === "request" && frame.includes("doc.rename") ? "after" : undefined);
    await expect(client.doc.rename({ path: "a.md", to: "b.md" })).rejects.toThrow(
      "doc.rename may or may not have been applied",
    );
    // A request that was not sent is not lost.
    bed.cut = () => undefined;
    bed.unreachable = true;
    bed.hangUp();
    const renamed = client.doc.create({ path: "c.md", text: "" });
    bed.unreachable = false;
    expect((await renamed).path).toBe("c.md");
  });

  test("[CN4] does not send a message again that is too large for the daemon", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    const client = await bed.client();
    const asked = client.doc.read({ path: "a.md" });
    bed.hangUp(1009, "too big");
    await expect(asked).rejects.toThrow(DisconnectedError);
    await client.doc.list();
  });

  test("[CN5] subscribes again, under the document's present path, and reports missed changes", async () => {
    const bed = new ClientBench({ "a.md": "a\n", "b.md": "b\n" });
    const client = await bed.client();
    await client.subscribe({ path: "a.md" });
    await client.subscribe({ path: "b.md" });
    await client.unsubscribe({ path: "b.md" });
    await client.doc.rename({ path: "a.md", to: "c.md" });
    const resync = new Promise((resolve) => client.on("resync", resolve));
    bed.hangUp();
    expect(await resync).toEqual({ paths: ["c.md"] });
    const told = new Promise((resolve) => client.on("doc.changed", ({ path }) => resolve(path)));
    await append(bed, "c.md", "more\n");
    expect(await told).toBe("c.md");
  });

  test("[TH32] follows its threads again, and reports that it may have missed some of them", async () => {
    const bed = new ClientBench({ "a.md": "a\n" });
    const client = await bed.client();
    const { thread } = await client.thread.append({ path: "a.md", role: "user", text: "hello" });
    await client.subscribe({ thread });
    const resync = new Promise((resolve) => client.on("resync", resolve));
    bed.hangUp();
    expect(await resync).toEqual({ paths: [], threads: [thread] });
    const told = new Promise((resolve) =>
      client.on("thread.message", ({ message }) => resolve(message.text)),
    );
    await (await bed.client()).thread.append({ thread, role: "user", text: "more" });
    expect(await told).toBe("more");
  });

  test("[CN20] a holder that unsubscribes leaves the subscriptions of others", async () => {
    const bed = new ClientBench({ "a.md": "a\n" });
    const client = await bed.client();
    const live = await client.openDocument("a.md");
    await client.subscribe({ path: "a.md" });
    await client.unsubscribe({ path: "a.md" });
    await append(bed, "a.md", "more\n");
    await until("it is told of still", () => live.text === "a\nmore\n");
  });

  test("[CN20] a holder that unsubscribes from a glob leaves it to the others", async () => {
    const bed = new ClientBench({ "a.md": "" });
    const client = await bed.client();
    const told: string[] = [];
    void (async () => {
      for await (const { version } of client.changes({ pattern: "**" })) told.push(version);
    })();
    await until("it is subscribed", async () => {
      await append(bed, "a.md", "1\n");
      return told.length > 0;
    });
    await client.subscribe({ pattern: "**" });
    expect(await client.unsubscribe({ pattern: "**" })).toEqual({});
    await append(bed, "a.md", "2\n");
    const { version } = await client.doc.open({ path: "a.md" });
    await until("it is told of still", () => told.at(-1) === version);
  });

  test("[CN6] yields each change once and in order, also missed ones", async () => {
    for (const target of [{ path: "a.md" }, { pattern: "*.md" }]) {
      const bed = new ClientBench({ "a.md": "", "b.txt": "" });
      const client = await bed.client();
      const taken: Change[] = [];
      const taking = (async () => {
        for await (const change of client.changes(target)) taken.push(change);
      })();
      await until("it is subscribed", async () => {
        await append(bed, "a.md", "1\n");
        return taken.length > 0;
      });
      bed.unreachable = true;
      bed.hangUp();
      for (let i = 0; i < 3; i++) await append(bed, "a.md", "2\n");
      await append(bed, "b.txt", "not asked for\n");
      bed.unreachable = false;
      await client.ready();
      await append(bed, "a.md", "3\n");
      const { version } = await client.doc.open({ path: "a.md" });
      await until("the newest is told", () => taken.at(-1)?.version === version);
      const places = taken.map(({ version }) => Number.parseInt(version, 10));
      expect(places).toEqual(places.map((_, i) => places[0]! + i));
      expect(taken.filter(({ missed }) => missed).length).toBeGreaterThanOrEqual(3);
      expect(taken.every(({ path }) => path === "a.md")).toBe(true);
      await client.close();
      await taking;
    }
  });

  test("[CN6] yields the change of the caller's next request", async () => {
    const client = await new ClientBench({ "a.md": "" }).client();
    const changes = client.changes({ path: "a.md" });
    const { changeId } = await client.edit.append({ path: "a.md", text: "one" });
    expect((await changes.next()).value?.changeId).toBe(changeId);
  });

  test("[CN21] the end of the iteration ends the subscription, and a closed client ends the iteration", async () => {
    const bed = new ClientBench({ "a.md": "" });
    const client = await bed.client();
    const asked: string[] = [];
    bed.cut = (way, frame) => void (way === "request" && asked.push(JSON.parse(frame).method));
    const left = client.changes({ pattern: "**" });
    await left.return!();
    await until("it is told", () => asked.includes("unsubscribe"));
    const ended = client.changes({ path: "a.md" }).next();
    await client.close();
    expect(await ended).toEqual({ done: true, value: undefined });
    const refused = (await bed.client()).changes({ path: "none.md" });
    await expect(refused.next()).rejects.toThrow(RefusedError);
  });
});
