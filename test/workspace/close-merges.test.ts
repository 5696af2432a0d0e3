import { describe, expect, test } from "vitest";
import type { Actor } from "../../src/workspace/access/actor.ts";
import { type ConflictPolicy, Rights } from "../../src/workspace/access/rights.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planSplice } from "../../src/workspace/planners/splice.ts";
import { ALICE, accepted, Bench, BOB, refused, tellingReads } from "./harness.ts";

const PACKAGE = '{\n  "name": "x",\n  "lib": "^7.1.0",\n  "other": "1.0.0"\n}\n';
const WORDS = "the quick brown fox\n";

const version = (to: string) => PACKAGE.replace("^7.1.0", to);
const conflicts = (bench: Bench) => bench.events.filter(({ type }) => type === "conflict");

function replace(old: string, updated: string, base?: string) {
  return { path: "a.md", plan: planReplace(old, updated, "unique"), ...(base && { version: base }) };
}

function under(conflict: ConflictPolicy): Actor {
  return { ...ALICE, rights: new Rights([{ glob: "**", level: "write", conflict }]) };
}

/** An agent reads, somebody saves, and the agent edits what it read, under a policy. */
async function editAfterSave(
  text: string,
  saved: string,
  old: string,
  updated: string,
  policy: ConflictPolicy,
) {
  const bench = new Bench({ "a.md": text });
  const base = (await bench.document("a.md")).version;
  bench.save("a.md", saved);
  const edit = { kind: "test", ...replace(old, updated, base) };
  return { bench, outcome: await bench.policyEditor.edit(under(policy), edit) };
}

describe("two edits of one version", () => {
  test("[ED14, ED15] of one number keep both numbers, and everybody is told", async () => {
    const bench = new Bench({ "a.md": PACKAGE });
    const { version: base } = await bench.document("a.md");
    accepted(await bench.edit(BOB, replace("^7.1.0", "^7.1.20", base)));
    const { conflicts: told } = accepted(await bench.edit(ALICE, replace("^7.1.0", "^7.1.12", base)));
    expect(bench.read("a.md")).toBe(version("^7.1.20 ^7.1.12"));
    expect(told).toMatchObject([{ ours: { insert: "^7.1.12" }, theirs: { insert: "^7.1.20" } }]);
    expect(conflicts(bench)).toMatchObject([{ path: "a.md", author: "alice", conflicts: told }]);
  });

  test("[ED14, ED15] of words beside each other make both changes, and everybody is told", async () => {
    const bench = new Bench({ "a.md": WORDS });
    const { version: base } = await bench.document("a.md");
    accepted(await bench.edit(BOB, replace("quick", "slow", base)));
    expect(accepted(await bench.edit(ALICE, replace("brown", "red", base))).conflicts).toHaveLength(1);
    expect(bench.read("a.md")).toBe("the slow red fox\n");
    expect(conflicts(bench)).toHaveLength(1);
  });

  test("[ED14] of words apart are merged without a word", async () => {
    const bench = new Bench({ "a.md": WORDS });
    const { version: base } = await bench.document("a.md");
    accepted(await bench.edit(BOB, replace("quick", "slow", base)));
    expect(accepted(await bench.edit(ALICE, replace("fox", "cat", base))).conflicts).toEqual([]);
    expect(conflicts(bench)).toEqual([]);
  });
});

describe("a save", () => {
  test("[ED16, ED11] beside a pending edit of the same number keeps both numbers, also where Loro mixes them", async () => {
    for (const [edited, saved] of [
      ["^7.1.20", "^7.1.12"],
      ["~7.1.0", "^7.2.0"],
      ["^8.1.0", "^7.1.5"],
    ] as const) {
      const bench = new Bench({ "a.md": PACKAGE });
      await bench.document("a.md");
      const at = PACKAGE.indexOf("^7.1.0");
      const splices = [...edited].flatMap((c, i) =>
        c === "^7.1.0"[i] ? [] : [{ from: at + i, to: Math.min(at + i + 1, at + 6), insert: c }],
      );
      const editing = bench.edit(ALICE, { path: "a.md", plan: planSplice(splices, "utf-32") });
      await Promise.resolve();
      bench.save("a.md", version(saved));
      accepted(await editing);
      await (await bench.document("a.md")).mirror.reached(99);
      expect(bench.read("a.md")).toBe(version(`${edited} ${saved}`));
      expect(conflicts(bench)).toHaveLength(1);
    }
  });

  test("[ED16] of an older copy keeps both numbers", async () => {
    const text = "it listens on 1080 today\nand waits\nuntil noon\n";
    const bench = new Bench({ "a.md": text }, {}, tellingReads());
    await bench.document("a.md");
    accepted(await bench.edit(BOB, replace("and waits\n", "and waits\nand answers everybody\n")));
    accepted(await bench.edit(BOB, replace("1080", "1090")));
    bench.save("a.md", text.replace("1080", "8080"));
    await bench.document("a.md");
    expect((await bench.text("a.md")).split("\n")[0]).toBe("it listens on 1090 8080 today");
    expect(bench.events.filter(({ type }) => type === "rescued")).toMatchObject([
      { conflicts: [{ ours: { insert: "1090" }, theirs: { insert: "8080" } }] },
    ]);
  });
});

describe("a close merge under a policy", () => {
  for (const policy of ["merge", "disk", "agent"] as const)
    test(`[CP6, CP1] with \`${policy}\` is made and told, and neither side loses`, async () => {
      const { bench, outcome } = await editAfterSave(WORDS, "the slow brown fox\n", "brown", "red", policy);
      expect(accepted(outcome)).toMatchObject({ conflicts: [{ ours: { insert: "red" } }] });
      expect(accepted(outcome).proposal).toBeUndefined();
      expect(bench.read("a.md")).toBe("the slow red fox\n");
      expect(conflicts(bench)).toHaveLength(1);
    });

  test("[CP7] with `ask` is refused with both texts", async () => {
    const { bench, outcome } = await editAfterSave(WORDS, "the slow brown fox\n", "brown", "red", "ask");
    expect(refused(outcome)).toMatchObject({
      code: "CONFLICT",
      details: { conflicts: [{ line: 1, saved: "slow brown", yours: "quick red" }] },
    });
    expect(bench.read("a.md")).toBe("the slow brown fox\n");
  });

  test("[CP2] with `disk` and `agent` one whole number stands", async () => {
    for (const [policy, stands] of [
      ["disk", "^7.1.20"],
      ["agent", "^7.1.12"],
    ] as const) {
      const { bench, outcome } = await editAfterSave(
        PACKAGE,
        version("^7.1.20"),
        "^7.1.0",
        "^7.1.12",
        policy,
      );
      expect(bench.read("a.md")).toBe(version(stands));
      expect(accepted(outcome).proposal).toBeDefined();
      expect(conflicts(bench)).toEqual([]);
    }
  });
});

describe("a close change of history or proposal", () => {
  test("[UN8] an undo that would make a number of two is refused", async () => {
    const bench = new Bench({ "a.md": "port 1080\n" });
    const { changeId } = accepted(await bench.edit(ALICE, replace("1080", "8080")));
    accepted(await bench.edit(BOB, replace("8080", "8099")));
    expect(refused(await bench.undo(ALICE, { changeId: changeId! })).code).toBe("CONFLICT");
    expect(bench.read("a.md")).toBe("port 8099\n");
  });

  test("[PO5, PO34] a proposal of the same number is refused; beside changed words it is approved and told", async () => {
    const bench = new Bench({ "a.md": "a port 1080\n" });
    const propose = async (oldContent: string, proposedValue: string) =>
      accepted(
        await bench.proposals.create(ALICE, {
          path: "a.md",
          operation: "replace",
          oldContent,
          proposedValue,
        }),
      );
    const [number, word] = [await propose("1080", "1090"), await propose("a", "the")];
    accepted(await bench.edit(BOB, replace("port 1080", "door 2080")));
    expect(refused(await bench.proposals.approve(BOB, { id: number.id })).code).toBe("CONFLICT");
    const { results } = accepted(await bench.proposals.approve(BOB, { id: word.id }));
    expect(results[0]!.conflicts).toHaveLength(1);
    expect(conflicts(bench)).toHaveLength(1);
    expect(bench.read("a.md")).toBe("the door 2080\n");
  });
});
