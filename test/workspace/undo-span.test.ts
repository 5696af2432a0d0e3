import { setImmediate } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, Bench, BOB, refused } from "./harness.ts";

const signal = new AbortController().signal;
const CODEX = { name: "codex", agent: "owner/codex", rights: FULL_RIGHTS, session: "s1" };
const LINES = "one\ntwo\nthree\nfour\nfive\n";

async function covered(files: Record<string, string>): Promise<Bench> {
  const bench = new Bench(files);
  await bench.workspace.cover.pass(signal);
  return bench;
}

async function look(bench: Bench, ...paths: string[]): Promise<void> {
  for (const path of paths) bench.workspace.cover.look(path as DocPath);
  await bench.workspace.cover.settled();
}

const replace = (
  bench: Bench,
  actor: typeof CODEX | typeof ALICE,
  path: string,
  old: string,
  updated: string,
) => bench.edit(actor, { path, plan: planReplace(old, updated, "unique") }).then(accepted);

const all = (bench: Bench, extra: object = { since: 0 }) =>
  bench.undoing.undo(ALICE, { agent: "codex", ...extra });

describe("undoing everything of an agent", () => {
  test("[US1] takes back all of its changes in all documents, and no others", async () => {
    const bench = new Bench({ "a.md": LINES, "b.md": LINES });
    await replace(bench, CODEX, "a.md", "one", "ONE");
    await replace(bench, BOB, "a.md", "three", "THREE");
    await replace(bench, CODEX, "a.md", "five", "FIVE");
    await replace(bench, CODEX, "b.md", "two", "TWO");
    expect(
      accepted(await all(bench))
        .map(({ path }) => path)
        .sort(),
    ).toEqual(["a.md", "b.md"]);
    expect([bench.read("a.md"), bench.read("b.md")]).toEqual([LINES.replace("three", "THREE"), LINES]);
  });

  test("[US1] takes back changes that build on one another", async () => {
    const bench = new Bench({ "a.md": LINES });
    await replace(bench, CODEX, "a.md", "two", "two and more");
    await replace(bench, CODEX, "a.md", "and more", "and much more");
    await replace(bench, CODEX, "a.md", "two and much more\n", "");
    await replace(bench, BOB, "a.md", "five", "FIVE");
    accepted(await all(bench));
    expect(bench.read("a.md")).toBe(LINES.replace("five", "FIVE"));
  });

  test("[US9] leaves a document alone that has the path of a deleted one", async () => {
    const bench = new Bench({ "a.md": LINES, "b.md": LINES });
    await replace(bench, CODEX, "a.md", "one", "ONE");
    accepted(await bench.workspace.remove(BOB, await bench.document("a.md")));
    await replace(bench, BOB, "b.md", "two", "TWO");
    await replace(bench, CODEX, "b.md", "five", "FIVE");
    accepted(await bench.workspace.rename(BOB, await bench.document("b.md"), "a.md"));
    accepted(await all(bench));
    expect(bench.read("a.md")).toBe(LINES.replace("two", "TWO"));
  });

  test("[US9] restores a file that it deleted beside another document's at its path", async () => {
    const bench = new Bench({ "a.md": "gone\n", "b.md": LINES });
    const gone = await bench.document("a.md");
    accepted(await bench.workspace.remove(CODEX, gone));
    accepted(await bench.workspace.rename(BOB, await bench.document("b.md"), "a.md"));
    const [restored] = accepted(await all(bench));
    expect(restored!.path).not.toBe("a.md");
    expect([bench.read("a.md"), bench.read(restored!.path)]).toEqual([LINES, "gone\n"]);
  });

  test("[US11] follows edits that others make while it is planned", async () => {
    for (let turns = 0; turns < 8; turns++) {
      const bench = new Bench({ "a.md": LINES, "b.md": LINES });
      await replace(bench, CODEX, "b.md", "two", "TWO");
      // The plan of a document with many changes pauses for others.
      for (let i = 0; i < 210; i++)
        await bench.edit(BOB, { path: "b.md", plan: planAppend(`${i}\n`), ack: "durable" });
      await replace(bench, CODEX, "a.md", "two", "TWO");
      const undone = all(bench);
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      await bench.edit(BOB, {
        path: "a.md",
        plan: planReplace("one", "zero\none", "unique"),
        ack: "durable",
      });
      accepted(await undone);
      expect([turns, await bench.text("a.md")]).toEqual([turns, `zero\n${LINES}`]);
    }
  });

  test("[US2] selects by time and by session", async () => {
    const bench = new Bench({ "a.md": LINES });
    await replace(bench, CODEX, "a.md", "one", "ONE");
    await replace(bench, { ...CODEX, session: "s2" }, "a.md", "three", "THREE");
    const since = (await bench.document("a.md")).head.time + 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    await replace(bench, CODEX, "a.md", "five", "FIVE");
    accepted(await all(bench, { since }));
    expect(bench.read("a.md")).toBe(LINES.replace("one", "ONE").replace("three", "THREE"));
    accepted(await all(bench, { session: "s2" }));
    expect(bench.read("a.md")).toBe(LINES.replace("one", "ONE"));
  });

  test("[US10] of the id of a connection is refused with what a session is", async () => {
    const bench = new Bench({ "a.md": LINES });
    await replace(bench, CODEX, "a.md", "one", "ONE");
    const { message, suggestion } = refused(await all(bench, { session: "ses_1" }));
    expect(message).toBe('there is nothing to undo of "codex" of session "ses_1"');
    expect(suggestion).toContain("agent.session");
  });

  test("[US3] is refused as a whole where others changed the same text, and names each document", async () => {
    const bench = new Bench({ "a.md": LINES, "b.md": LINES, "c.md": LINES });
    for (const path of ["a.md", "b.md", "c.md"]) await replace(bench, CODEX, path, "two", "TWO");
    await replace(bench, BOB, "b.md", "TWO", "too");
    await replace(bench, BOB, "c.md", "TWO", "too");
    const { code, message } = refused(await all(bench));
    expect(code).toBe("CONFLICT");
    expect(message).toMatch(/nothing was undone.*b\.md: bob changed.*c\.md: bob changed/);
    expect(bench.read("a.md")).toBe(LINES.replace("two", "TWO"));
  });

  test("[US4] removes files that it created, restores and renames those that it deleted and renamed", async () => {
    const bench = await covered({ "a.md": LINES, "gone.md": "gone\n", "old.md": "old\n" });
    accepted(bench.workspace.claims.open(CODEX, {}));
    bench.write("new.md", "new\n");
    bench.save("a.md", LINES.replace("one", "ONE"));
    bench.remove("gone.md");
    bench.rename("old.md", "moved.md");
    await look(bench, "new.md", "a.md", "gone.md", "moved.md", "old.md");
    accepted(await all(bench));
    expect([bench.read("a.md"), bench.read("gone.md"), bench.read("old.md")]).toEqual([
      LINES,
      "gone\n",
      "old\n",
    ]);
    expect(() => bench.read("new.md")).toThrow();
    expect(() => bench.read("moved.md")).toThrow();
  });

  test("[US4] one refusal leaves all files where they are", async () => {
    const bench = await covered({ "a.md": LINES, "gone.md": "gone\n" });
    accepted(bench.workspace.claims.open(CODEX, {}));
    bench.write("new.md", "new\n");
    bench.remove("gone.md");
    await look(bench, "new.md", "gone.md");
    await replace(bench, BOB, "new.md", "new", "bob's");
    expect(refused(await all(bench)).message).toMatch(/new\.md was changed by bob/);
    expect(bench.read("new.md")).toBe("bob's\n");
    expect(() => bench.read("gone.md")).toThrow();
  });

  test("[US5] is one batch, which redo makes again and undo takes back", async () => {
    const bench = new Bench({ "a.md": LINES, "b.md": LINES });
    await replace(bench, CODEX, "a.md", "one", "ONE");
    await replace(bench, CODEX, "a.md", "five", "FIVE");
    await replace(bench, CODEX, "b.md", "two", "TWO");
    accepted(await all(bench));
    expect(refused(await all(bench)).code).toBe("NOT_FOUND");
    const batchId = (await bench.document("a.md")).head.batch!.id;
    accepted(await bench.redo(ALICE, { batchId }));
    expect(bench.read("a.md")).toBe(LINES.replace("one", "ONE").replace("five", "FIVE"));
    expect(bench.read("b.md")).toBe(LINES.replace("two", "TWO"));
    accepted(await all(bench));
    expect(bench.read("a.md")).toBe(LINES);
  });

  test("[US5] a batch with files is made again with them", async () => {
    const bench = await covered({ "a.md": LINES });
    accepted(bench.workspace.claims.open(CODEX, {}));
    bench.write("new.md", "new\n");
    bench.save("a.md", LINES.replace("one", "ONE"));
    await look(bench, "new.md", "a.md");
    accepted(await all(bench));
    const batchId = (await bench.document("a.md")).head.batch!.id;
    accepted(await bench.redo(ALICE, { batchId }));
    expect([bench.read("new.md"), bench.read("a.md")]).toEqual(["new\n", LINES.replace("one", "ONE")]);
  });

  test("[US6] a preview shows it and changes nothing; applied, it does exactly that, once", async () => {
    const bench = new Bench({ "a.md": LINES });
    await replace(bench, CODEX, "a.md", "one", "ONE");
    const request = { agent: "codex", since: 0 };
    const shown = accepted(await bench.undoing.previewSpan(ALICE, request));
    expect(shown.files.map(({ path, after }) => [path, after.toString()])).toEqual([["a.md", LINES]]);
    expect(bench.read("a.md")).toBe(LINES.replace("one", "ONE"));
    const apply = () => bench.undoing.span.applyPreview(ALICE, shown.patchId, shown.baseHash);
    await replace(bench, CODEX, "a.md", "five", "FIVE");
    expect(refused(await apply()).code).toBe("CONFLICT");
    const again = accepted(await bench.undoing.previewSpan(ALICE, request));
    accepted(await bench.undoing.span.applyPreview(ALICE, again.patchId, again.baseHash));
    expect(bench.read("a.md")).toBe(LINES);
    expect(refused(await bench.undoing.span.applyPreview(ALICE, again.patchId, again.baseHash)).code).toBe(
      "CONFLICT",
    );
  });

  test("[US7] a save that may be another agent's stays", async () => {
    const bench = await covered({ "a.md": LINES });
    for (const name of ["codex", "claude"])
      accepted(bench.workspace.claims.open({ ...CODEX, name, agent: `owner/${name}` }, {}));
    bench.save("a.md", LINES.replace("one", "ONE"));
    await look(bench, "a.md");
    expect(refused(await all(bench)).code).toBe("NOT_FOUND");
  });
});

describe("undoing several named changes", () => {
  test("[UN9] takes all of them back or none, and redoes them together", async () => {
    const bench = new Bench({ "a.md": LINES, "b.md": LINES });
    const one = await replace(bench, ALICE, "a.md", "one", "ONE");
    const two = await replace(bench, ALICE, "a.md", "two", "TWO");
    const three = await replace(bench, ALICE, "b.md", "three", "THREE");
    const changeIds = [one, two, three].map(({ changeId }) => changeId!);
    const texts = () => [bench.read("a.md"), bench.read("b.md")];
    const before = texts();
    const { changeId } = await replace(bench, CODEX, "b.md", "THREE", "drei");
    expect(refused(await bench.undoing.undo(ALICE, { changeIds })).code).toBe("CONFLICT");
    expect(texts()[0]).toBe(before[0]);
    accepted(await bench.undoing.undo(BOB, { changeId: changeId! }));
    accepted(await bench.undoing.undo(ALICE, { changeIds }));
    expect(texts()).toEqual([LINES, LINES]);
    expect(refused(await bench.undoing.undo(ALICE, { changeIds })).code).toBe("CONFLICT");
    accepted(await bench.undoing.redo(ALICE, { changeIds }));
    expect(texts()).toEqual(before);
    expect(refused(await bench.undoing.redo(ALICE, { changeIds })).code).toBe("NOT_FOUND");
  });

  test("[UN9] renames among them lead back to the first name, though the clock was ahead then", async () => {
    const bench = new Bench({ "a.md": LINES });
    const document = await bench.document("a.md");
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3_600_000);
    accepted(await bench.workspace.rename(ALICE, document, "b.md"));
    clock.mockRestore();
    const first = document.head.id;
    accepted(await bench.workspace.rename(ALICE, document, "c.md"));
    accepted(await bench.undoing.undo(ALICE, { changeIds: [first, document.head.id] }));
    expect(bench.read("a.md")).toBe(LINES);
  });
});
