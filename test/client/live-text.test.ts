import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LostEditError } from "../../src/client/errors.ts";
import type { LiveText } from "../../src/client/live-text.ts";
import { Rights } from "../../src/workspace/access/rights.ts";
import { times } from "../e2e/long.ts";
import { until } from "../e2e/until.ts";
import { Seeded } from "../helpers/seeded.ts";
import { accepted, BOB } from "../workspace/harness.ts";
import { ClientBench } from "./client-bench.ts";

/** Returns the text of an editor that applies the changes of a live text. */
function mirrored(live: LiveText): { text: string } {
  const editor = { text: live.text };
  live.on("change", ({ splices }) => {
    for (const { from, to, insert } of splices.toReversed())
      editor.text = editor.text.slice(0, from) + insert + editor.text.slice(to);
  });
  return editor;
}

/** Inserts text into a document as another author. */
async function others(bed: ClientBench, path: string, from: number, insert: string): Promise<void> {
  const plan = () => ({ splices: [{ from, to: from, insert }] });
  accepted(await bed.bench.edit(BOB, { path, plan, ack: "durable" }));
}

describe("a live text", () => {
  test("[CN7] shows own edits at once and others' when they arrive, in string indices", async () => {
    const bed = new ClientBench({ "a.md": "one 🙂 two\n" });
    for (const positionEncoding of ["utf-32", "utf-16", "utf-8"] as const) {
      const [one, two] = [
        await bed.client({ name: "one", positionEncoding }),
        await bed.client({ name: "two" }),
      ];
      const [a, b] = [await one.openDocument("a.md"), await two.openDocument("a.md")];
      const [shownA, shownB] = [mirrored(a), mirrored(b)];
      a.edit([{ from: 7, to: 7, insert: "🙃" }]);
      b.edit([{ from: 0, to: 3, insert: "1" }]);
      expect(a.text).toBe("one 🙂 🙃two\n");
      expect(a.pending).toBe(true);
      await Promise.all([a.settled(), b.settled()]);
      await until("both have both", () => a.text === b.text && a.text === "1 🙂 🙃two\n");
      expect([shownA.text, shownB.text]).toEqual([a.text, b.text]);
      expect(a.version).toBe(b.version);
      a.edit([{ from: 0, to: a.text.length, insert: "one 🙂 two\n" }]);
      await a.settled();
      a.close();
      b.close();
    }
  });

  test("[CN7] names the author of a change", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    const live = await (await bed.client()).openDocument("a.md");
    const told: unknown[] = [];
    live.on("change", ({ local, author, origin }) => told.push({ local, author, origin }));
    await others(bed, "a.md", 0, "zero\n");
    live.edit([{ from: 0, to: 0, insert: "-1\n" }]);
    await live.settled();
    expect(told).toContainEqual({ local: false, author: "bob", origin: "agent" });
    expect(told).toContainEqual({ local: true });
    expect(told).toHaveLength(2);
  });

  test("[CN22] an edit outside the text or inside a character throws and changes nothing", async () => {
    const live = await (await new ClientBench({ "a.md": "a🙂b" }).client()).openDocument("a.md");
    for (const [from, to, insert] of [
      [5, 5, "x"],
      [2, 2, "x"],
      [0, 0, "\ud83d"],
      [3, 1, ""],
    ] as const)
      expect(() => live.edit([{ from, to, insert }]), `${from}..${to}`).toThrow(RangeError);
    expect([live.text, live.pending]).toEqual(["a🙂b", false]);
  });

  test("[CN9] reverts a refused edit, and reports it with splices that restore it", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    const reader = { name: "reader", rights: new Rights([{ glob: "**", level: "read", conflict: "merge" }]) };
    const live = await (await bed.client({}, reader)).openDocument("a.md");
    const editor = mirrored(live);
    const lost = new Promise<LostEditError>((resolve) => live.on("refused", resolve));
    live.edit([{ from: 3, to: 3, insert: "!" }]);
    expect(live.text).toBe("one!\n");
    const { cause, splices } = await lost;
    expect(cause?.code).toBe("PERMISSION_DENIED");
    expect(splices).toEqual([{ from: 3, to: 3, insert: "!" }]);
    expect([live.text, editor.text]).toEqual(["one\n", "one\n"]);
    await live.settled();
  });

  test("[CN9] reverts an edit that is too large to send, and continues", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    const live = await (await bed.client()).openDocument("a.md");
    const lost = new Promise<LostEditError>((resolve) => live.on("refused", resolve));
    live.edit([{ from: 0, to: 0, insert: "x" }]);
    bed.hangUp(1009, "too big");
    expect((await lost).message).toContain("1009 too big");
    live.edit([{ from: 3, to: 3, insert: "!" }]);
    await live.settled();
    expect(await bed.bench.text("a.md")).toBe("one!\n");
  });

  test("[CN9] reverts an edit that needs approval, and names its proposal", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    const proposer = {
      name: "proposer",
      rights: new Rights([{ glob: "**", level: "propose", conflict: "merge" }]),
    };
    const client = await bed.client({}, proposer);
    const live = await client.openDocument("a.md");
    const lost = new Promise<LostEditError>((resolve) => live.on("refused", resolve));
    live.edit([{ from: 3, to: 3, insert: "!" }]);
    const { proposal } = await lost;
    expect((await client.proposal.get({ id: proposal! })).status).toBe("pending");
    expect(live.text).toBe("one\n");
  });

  test.each(["in memory still", "at rest by then"])(
    "[CN10] a rename is followed, also one that came while there was no connection, the document %s",
    async (where) => {
      const bed = new ClientBench({ "a.md": "one\n" });
      const client = await bed.client();
      const live = await client.openDocument("a.md");
      const names: string[] = [];
      live.on("renamed", ({ to }) => names.push(to));
      await client.doc.rename({ path: "a.md", to: "b.md" });
      live.edit([{ from: 0, to: 0, insert: "zero\n" }]);
      await live.settled();
      bed.unreachable = true;
      bed.hangUp();
      const document = await bed.bench.document("b.md");
      accepted(await bed.bench.workspace.rename(BOB, document, "c.md"));
      if (where === "at rest by then") await bed.bench.workspace.drop(document);
      live.edit([{ from: 0, to: 0, insert: "-1\n" }]);
      bed.unreachable = false;
      await live.settled();
      expect(names).toEqual(["b.md", "c.md"]);
      expect(await bed.bench.text("c.md")).toBe("-1\nzero\none\n");
      await others(bed, "c.md", 0, "-2\n");
      await until("it is subscribed still", () => live.text === "-2\n-1\nzero\none\n");
    },
  );

  test("[CN10] ends when its document is deleted, and keeps its text", async () => {
    const bed = new ClientBench({ "a.md": "one\n" });
    const client = await bed.client();
    const live = await client.openDocument("a.md");
    const ended = new Promise((resolve) => live.on("end", ({ why }) => resolve(why)));
    await client.doc.delete({ path: "a.md" });
    expect(await ended).toBe("deleted");
    expect(live.text).toBe("one\n");
    expect(() => live.edit([{ from: 0, to: 0, insert: "x" }])).toThrow("the live text has ended: deleted");
  });

  test("[CN8] several live texts, other edits, cut wires and restarts lead to one text with every insert", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const random = new Seeded(seed);
        const bed = new ClientBench({ "a.md": "one 🙂 two\nthree\n" });
        const lives: LiveText[] = [];
        for (const name of ["one", "two", "three"])
          lives.push(await (await bed.client({ name })).openDocument("a.md"));
        const editors = lives.map(mirrored);
        const inserted: string[] = [];
        bed.cut = () => (random.chance(0.02) ? random.pick(["before", "after"]) : undefined);
        for (let step = 0; step < 60; step++) {
          const insert = String.fromCodePoint(0x4e00 + step); // unique, and indivisible
          const live = random.pick(lives);
          const chars = Array.from(live.text);
          const at = chars.slice(0, random.int(chars.length + 1)).join("").length;
          switch (random.int(8)) {
            case 0:
              await others(bed, "a.md", random.int(3), insert);
              inserted.push(insert);
              break;
            case 1:
              bed.hangUp();
              break;
            case 2:
              await new Promise((resolve) => setImmediate(resolve));
              break;
            default:
              live.edit([{ from: at, to: at, insert }]);
              inserted.push(insert);
          }
        }
        await bed.restart();
        bed.cut = () => undefined;
        await Promise.all(lives.map((live) => live.settled()));
        const text = await bed.bench.text("a.md");
        await until("all have it", () => lives.every((live) => live.text === text));
        expect(editors.map((editor) => editor.text)).toEqual([text, text, text]);
        for (const insert of inserted) expect(text.split(insert), insert).toHaveLength(2);
      }),
      { numRuns: times(6, 150) },
    );
  }, 60_000);
});
