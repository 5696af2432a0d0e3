import { describe, expect, test } from "vitest";
import type { Match } from "../../src/text/patch/patch.ts";
import { Text } from "../../src/text/text.ts";
import { INLINE_COST, MOST_CHANGED_PLACES, MOST_INSERTED } from "../../src/work/bounds.ts";
import { GuardedWorkspace } from "../../src/workspace/folder/guarded-workspace.ts";
import { restoreVersion } from "../../src/workspace/history/restore.ts";
import { planPatch } from "../../src/workspace/planners/patch.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planAppend, planWrite } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, Bench, BOB, refused } from "./harness.ts";

/** A folder whose edits workers plan, each when the test lets it. */
function benchOf(files: Record<string, string>) {
  const bench = new Bench(files);
  const waiting: (() => void)[] = [];
  bench.workers.wanted = () => true;
  bench.workers.gate = (task) =>
    task === "plan" ? new Promise((go) => void waiting.push(go)) : Promise.resolve();
  const planning = () => expect.poll(() => waiting.length).toBeGreaterThan(0);
  return {
    bench,
    /** Resolves once a plan waits. */
    planning,
    /** Lets the next plan go, once there is one. */
    async letGo() {
      await planning();
      waiting.shift()!();
    },
  };
}

test("[BD27] a save that a worker compares holds up no edit, and is merged with those made meanwhile", async () => {
  const bench = new Bench({ "a.md": "one\ntwo\nthree\n", "b.md": "one\n" });
  const document = await bench.document("a.md");
  const waiting: (() => void)[] = [];
  bench.workers.wanted = () => true;
  bench.workers.gate = (task) =>
    task === "diff" ? new Promise((go) => void waiting.push(go)) : Promise.resolve();
  bench.save("a.md", "ONE\ntwo\nthree\n");
  const opening = bench.document("a.md");
  await expect.poll(() => waiting.length).toBe(1);
  accepted(await bench.edit(BOB, { path: "b.md", plan: planAppend("two\n") }));
  accepted(
    document.commit(ALICE, document.draft(ALICE, [{ from: 4, to: 7, insert: "TWO" }], { origin: "agent" })),
  );
  waiting.shift()!();
  await opening;
  expect(document.text.toString()).toBe("ONE\nTWO\nthree\n");
  await expect.poll(() => bench.read("a.md")).toBe("ONE\nTWO\nthree\n");
});

describe("an edit that a worker plans", () => {
  test("[BD6] is made when the plan is there", async () => {
    const { bench, letGo } = benchOf({ "a.md": "one\ntwo\n" });
    const edit = bench.edit(ALICE, { path: "a.md", plan: planWrite("one\n2\n") });
    await letGo();
    expect(accepted(await edit)).toMatchObject({ merged: false });
    expect(bench.read("a.md")).toBe("one\n2\n");
  });

  test("[BD6] is refused by a worker as by the daemon", async () => {
    const { bench, letGo } = benchOf({ "a.md": "one\n" });
    const edit = bench.edit(ALICE, { path: "a.md", plan: planReplace("two", "2", "all") });
    await letGo();
    expect(refused(await edit)).toMatchObject({ code: "NO_MATCH", details: { alreadyApplied: false } });
  });

  test("[BD6] is no strict patch with line numbers, because its hunks are near them", () => {
    const patch = "@@ -1,2 +1,2 @@\n one\n-two\n+2\n".repeat(100);
    const text = Text.of("line\n".repeat(200_000));
    const cost = (source: string, match: Match) => planPatch(source, match).task!.cost(text);
    expect(cost(patch, "strict")).toBeLessThan(2 * patch.length);
    expect(cost(patch, "tolerant")).toBeGreaterThan(INLINE_COST);
    expect(cost(patch.replaceAll("@@ -1,2 +1,2 @@", "@@"), "strict")).toBeGreaterThan(INLINE_COST);
  });

  test("[BD16] is planned anew when others changed the text meanwhile", async () => {
    const { bench, planning, letGo } = benchOf({ "a.md": "one one\n" });
    const edit = bench.edit(ALICE, { path: "a.md", plan: planReplace("one", "1", "all") });
    await planning();
    accepted(await bench.edit(BOB, { path: "a.md", plan: planAppend("one\n") }));
    await letGo();
    await letGo();
    accepted(await edit);
    expect(bench.read("a.md")).toBe("1 1\n1\n");
  });

  test("[PV14] is planned once when it is confirmed as it was shown, and else anew", async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join("");
    const { bench, letGo } = benchOf({ "a.md": `${lines}one\n`, "b.md": `${lines}one\n` });
    const patch = "@@ -1,1 +1,1 @@\n-one\n+1\n";
    const request = (path: string, source = patch) => ({ path, plan: planPatch(source, "strict", true) });
    const shown = async (path: string) => {
      const edit = bench.edit(ALICE, request(path));
      await letGo();
      return refused(await edit).details["patchId"] as string;
    };
    const confirm = await shown("a.md");
    accepted(await bench.edit(ALICE, { ...request("a.md"), confirm }));
    expect(bench.read("a.md")).toBe(`${lines}1\n`);
    const other = await shown("b.md");
    const edit = bench.edit(ALICE, { ...request("b.md", patch.replace("+1\n", "+2\n")), confirm: other });
    await letGo();
    expect(refused(await edit).code).toBe("CONFLICT");
  });

  test("[BD17] is carried over what others do in the end, when they never pause", async () => {
    const { bench, planning, letGo } = benchOf({ "a.md": "one\n" });
    const edit = bench.edit(ALICE, { path: "a.md", plan: planReplace("one", "1", "all") });
    for (let i = 0; i < 3; i++) {
      await planning();
      accepted(await bench.edit(BOB, { path: "a.md", plan: planAppend(`${i}\n`) }));
      await letGo();
    }
    expect(accepted(await edit)).toMatchObject({ merged: true, conflicts: [] });
    expect(bench.read("a.md")).toBe("1\n0\n1\n2\n");
  });

  test("[BD6] that asks for its version to be the newest is refused when it is not", async () => {
    const { bench, planning, letGo } = benchOf({ "a.md": "one\n" });
    const { version } = await bench.document("a.md");
    const edit = bench.edit(ALICE, { path: "a.md", plan: planWrite("1\n"), version, onStale: "reject" });
    await planning();
    accepted(await bench.edit(BOB, { path: "a.md", plan: planAppend("two\n") }));
    await letGo();
    expect(refused(await edit).code).toBe("STALE_VERSION");
    expect(bench.read("a.md")).toBe("one\ntwo\n");
  });

  test("[BD6] of a document that was deleted meanwhile changes nothing", async () => {
    const { bench, planning, letGo } = benchOf({ "a.md": "one\n" });
    const edit = bench.edit(ALICE, { path: "a.md", plan: planWrite("1\n") });
    await planning();
    const document = await bench.document("a.md");
    accepted({ gone: await bench.workspace.remove(ALICE, document) });
    await letGo();
    expect(refused(await edit).code).toBe("DELETED");
  });
});

describe("an edit", () => {
  const long = "x".repeat(MOST_INSERTED + 1);
  const emptied = async () => {
    const bench = new Bench({ "a.md": long }, { maxFileBytes: 16 << 20 });
    const { version } = await bench.document("a.md");
    const { changeId } = accepted(await bench.edit(ALICE, { path: "a.md", plan: planWrite("") }));
    return { bench, version, changeId: changeId! };
  };

  test("[BD11] that inserts too much is refused", async () => {
    const { bench } = await emptied();
    const edit = await bench.edit(ALICE, { path: "a.md", plan: planAppend(long) });
    expect(refused(edit)).toMatchObject({ code: "TOO_LARGE", details: { limit: MOST_INSERTED } });
    expect(bench.read("a.md")).toBe("");
  });

  test("[BD24] that is undone inserts text of any length", async () => {
    const { bench, changeId } = await emptied();
    accepted(await bench.undo(ALICE, { changeId }));
    expect(bench.read("a.md")).toBe(long);
  });

  test("[BD24] that restores a version inserts text of any length", async () => {
    const { bench, version } = await emptied();
    const { editor } = bench;
    const workspace = new GuardedWorkspace(bench.workspace, ALICE, "write");
    accepted(await restoreVersion({ workspace, editor }, ALICE, "a.md", version, {}));
    expect(bench.read("a.md")).toBe(long);
  });

  test("[BD21] of too many places changes the nearest together", async () => {
    const bench = new Bench({ "a.md": "ab\n".repeat(MOST_CHANGED_PLACES + 10) });
    const made = accepted(await bench.edit(ALICE, { path: "a.md", plan: planReplace("a", "c", "all") }));
    expect(made.splices.length).toBeLessThanOrEqual(MOST_CHANGED_PLACES);
    expect(bench.read("a.md")).toBe("cb\n".repeat(MOST_CHANGED_PLACES + 10));
  });
});
