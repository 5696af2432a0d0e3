import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rebase } from "../../src/text/delta.ts";
import { normalize, type Splice } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";
import type { Actor } from "../../src/workspace/access/actor.ts";
import { type ConflictPolicy, Rights } from "../../src/workspace/access/rights.ts";
import { clashesOf, settledFor } from "../../src/workspace/conflicts/clash.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planSplice } from "../../src/workspace/planners/splice.ts";
import { times } from "../e2e/long.ts";
import { ALICE, accepted, Bench, BOB, refused } from "./harness.ts";

const BASE = "one two three\nfour\n";
const SAVED = "one 2 three\nfour\n";

function under(conflict: ConflictPolicy): Actor {
  return { ...ALICE, rights: new Rights([{ glob: "**", level: "write", conflict }]) };
}

/** An agent reads, somebody saves, and the agent rewrites the same word and adds a line. */
async function clash(policy: ConflictPolicy) {
  const bench = new Bench({ "a.md": BASE });
  const { version } = await bench.document("a.md");
  bench.save("a.md", SAVED);
  const splices = [
    { from: 4, to: 7, insert: "zwei" },
    { from: 19, to: 19, insert: "five\n" },
  ];
  const request = { kind: "test", path: "a.md", version, plan: planSplice(splices, "utf-32") };
  return { bench, outcome: await bench.policyEditor.edit(under(policy), request) };
}

const approve = async (bench: Bench, id: string | undefined) =>
  accepted(await bench.proposals.approve(BOB, { id: id! }));

describe("an edit of what somebody saved since its base", () => {
  test("[CP1] with `merge` both texts stay, and the result names them", async () => {
    const { bench, outcome } = await clash("merge");
    expect(accepted(outcome).conflicts).toHaveLength(1);
    expect(bench.read("a.md")).toBe("one 2 zwei three\nfour\nfive\n");
  });

  test("[CP2] with `disk` the save stands, and the edit of that place waits as a proposal", async () => {
    const { bench, outcome } = await clash("disk");
    const { proposal, summary, conflicts } = accepted(outcome);
    expect(bench.read("a.md")).toBe("one 2 three\nfour\nfive\n");
    expect([conflicts.length, summary]).toEqual([1, expect.stringContaining(proposal!)]);
    await bench.restart();
    expect(await approve(bench, proposal)).toMatchObject({
      proposal: { author: "alice", status: "approved" },
    });
    expect(bench.read("a.md")).toBe("one zwei three\nfour\nfive\n");
  });

  test("[CP2] with `agent` the edit stands, and what was saved there waits as a proposal", async () => {
    const { bench, outcome } = await clash("agent");
    expect(bench.read("a.md")).toBe("one zwei three\nfour\nfive\n");
    const { proposal } = await approve(bench, accepted(outcome).proposal);
    expect(proposal).toMatchObject({ author: "disk", status: "approved" });
    expect(bench.read("a.md")).toBe("one 2 three\nfour\nfive\n");
  });

  test("[CP3] with `ask` it is refused with both texts, and changes nothing", async () => {
    const { bench, outcome } = await clash("ask");
    expect(refused(outcome)).toMatchObject({
      code: "CONFLICT",
      details: { conflicts: [{ line: 1, saved: "2", yours: "zwei" }] },
    });
    expect(bench.read("a.md")).toBe(SAVED);
  });

  test("[CP5] what other agents did is merged, whatever the policy", async () => {
    const bench = new Bench({ "a.md": BASE });
    const { version } = await bench.document("a.md");
    accepted(await bench.edit(BOB, { path: "a.md", plan: planReplace("two", "2", "unique") }));
    const plan = planReplace("two", "zwei", "unique");
    const outcome = await bench.policyEditor.edit(under("disk"), {
      kind: "test",
      path: "a.md",
      version,
      plan,
    });
    expect(accepted(outcome).proposal).toBeUndefined();
    expect(bench.read("a.md")).toBe("one 2 zwei three\nfour\n");
  });

  test("[CP4] the side that gave way, approved, is as if it had stood", () => {
    const splice = fc
      .tuple(fc.nat(12), fc.nat(4), fc.constantFrom("", "x", "😀y", "zz"))
      .map(([from, size, insert]): Splice => ({ from, to: Math.min(12, from + size), insert }));
    const edit = fc.array(splice, { maxLength: 3 }).map((splices) => {
      let reached = -1;
      const ascending = splices
        .sort((a, b) => a.from - b.from)
        .filter(({ from, to }) => {
          const fits = from > reached;
          if (fits) reached = to;
          return fits;
        });
      return normalize(ascending);
    });
    fc.assert(
      fc.property(edit, edit, (own, since) => {
        const base = Text.of("abcdefghijkl");
        const now = base.splice(since);
        const { overlaps } = rebase(own, since);
        const clashes = clashesOf(base, now, own, since, overlaps);
        const [disk, agent] = [
          settledFor("disk", own, since, clashes),
          settledFor("agent", own, since, clashes),
        ];
        const texts = [disk, agent].map(({ splices }) => now.splice(splices));
        expect(texts[0]!.splice(disk.losing).toString()).toBe(texts[1]!.toString());
        expect(texts[1]!.splice(agent.losing).toString()).toBe(texts[0]!.toString());
      }),
      { numRuns: times(300, 20_000) },
    );
  });
});
