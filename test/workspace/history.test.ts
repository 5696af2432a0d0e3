import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { Text } from "../../src/text/text.ts";
import type { Actor } from "../../src/workspace/access/actor.ts";
import type { EditResult } from "../../src/workspace/edits/request.ts";
import { GuardedWorkspace } from "../../src/workspace/folder/guarded-workspace.ts";
import { prune } from "../../src/workspace/folder/prune.ts";
import { Checkpoints } from "../../src/workspace/history/checkpoints.ts";
import { isRefusal, type Outcome } from "../../src/workspace/outcome/refusal.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planSplice } from "../../src/workspace/planners/splice.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, Bench, BOB, refused } from "./harness.ts";

const replace = (old: string, updated: string, path = "a.md") => ({
  path,
  plan: planReplace(old, updated, "unique"),
});
const append = (text: string, path = "a.md") => ({ path, plan: planAppend(text) });
const asAlice = (bench: Bench) => new GuardedWorkspace(bench.workspace, ALICE, "read");
const listed = async (
  bench: Bench,
  query: { path?: string; agent?: string; before?: string; limit?: number } = {},
) => accepted(await bench.history.list(asAlice(bench), { limit: 50, ...query }));

describe("undo", () => {
  test("[UN1] takes back that change and keeps all that came after, also after a restart", async () => {
    const bench = new Bench({ "a.md": "one\ntwo\nthree\n" });
    const { changeId } = accepted(await bench.edit(ALICE, replace("one", "first and foremost")));
    accepted(await bench.edit(BOB, replace("three", "third")));
    await bench.restart();
    accepted(await bench.undo(BOB, { changeId: changeId! }));
    expect(bench.read("a.md")).toBe("one\ntwo\nthird\n");
  });

  test("[UN1] of an undo does the change again", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { changeId } = accepted(await bench.edit(ALICE, replace("one", "two")));
    const undone = accepted(await bench.undo(ALICE, { changeId: changeId! }));
    accepted(await bench.undo(ALICE, { changeId: undone.changeId! }));
    expect(bench.read("a.md")).toBe("two\n");
  });

  test("[UN2] is refused where later edits changed the same text, naming what to restore", async () => {
    const bench = new Bench({ "a.md": "one two three\n" });
    const { version } = await bench.document("a.md");
    const { changeId } = accepted(await bench.edit(ALICE, replace("two", "twenty and two")));
    accepted(await bench.edit(BOB, replace("ty and two three", "ty-two four")));
    expect(await bench.undo(ALICE, { changeId: changeId! })).toMatchObject({
      code: "CONFLICT",
      details: { lines: [1], restore: { path: "a.md", version } },
    });
    expect(await bench.undo(ALICE, { changeId: "chg_nothing" })).toMatchObject({ code: "NOT_FOUND" });
    expect(bench.read("a.md")).toBe("one twenty-two four\n");
  });

  test("[UN3] without a change takes back one's own newest, then the one before, across documents", async () => {
    const bench = new Bench({ "a.md": "a\n", "b.md": "b\n" });
    accepted(await bench.edit(ALICE, append("alice 1\n")));
    accepted(await bench.edit(ALICE, append("alice 2\n", "b.md")));
    accepted(await bench.edit(BOB, append("bob\n")));
    accepted(await bench.undo(ALICE));
    expect([bench.read("a.md"), bench.read("b.md")]).toEqual(["a\nalice 1\nbob\n", "b\n"]);
    await bench.restart();
    accepted(await bench.undo(ALICE));
    expect([bench.read("a.md"), bench.read("b.md")]).toEqual(["a\nbob\n", "b\n"]);
    expect(refused(await bench.undo(ALICE))).toMatchObject({
      code: "NOT_FOUND",
      message: "you have nothing to undo",
    });
  });

  test("[UN3] takes back the newest of another agent, or of the disk, in one document", async () => {
    const bench = new Bench({ "a.md": "a\n", "b.md": "b\n" });
    await bench.document("a.md");
    bench.save("a.md", "a\nby hand\n");
    await bench.document("a.md");
    accepted(await bench.edit(BOB, append("bob\n", "b.md")));
    accepted(await bench.undo(ALICE, { agent: "disk", path: "a.md" }));
    accepted(await bench.undo(ALICE, { agent: "bob" }));
    expect([bench.read("a.md"), bench.read("b.md")]).toEqual(["a\n", "b\n"]);
    expect(refused(await bench.undo(ALICE, { agent: "bob", path: "a.md" }))).toMatchObject({
      code: "NOT_FOUND",
      message: 'there is nothing to undo of "bob" in a.md',
    });
  });

  test("[UN5] edits of the same words, whoever made them, are undone one after the other", async () => {
    const bench = new Bench({ "a.md": "Meeting on Monday\n" });
    const say = async (actor: Actor, old: string, text: string) =>
      accepted(await bench.edit(actor, { path: "a.md", plan: planReplace(old, text, "unique") }));
    await say(ALICE, "Monday", "Tuesday");
    await say(BOB, "Tuesday", "Friday");
    await say(ALICE, "Meeting on Friday", "Party on Sunday");
    accepted(await bench.undo(ALICE));
    expect(bench.read("a.md")).toBe("Meeting on Friday\n");
    expect(refused(await bench.undo(ALICE)).code).toBe("CONFLICT"); // Bob's edit prevents it
    accepted(await bench.undo(BOB));
    accepted(await bench.undo(ALICE));
    expect(bench.read("a.md")).toBe("Meeting on Monday\n");
  });

  test("[UN4] undo, undo, redo, redo, undo: back and forth, each time what is meant", async () => {
    const bench = new Bench({ "a.md": "" });
    for (const line of ["1\n", "2\n", "3\n"]) accepted(await bench.edit(ALICE, append(line)));
    const seen: string[] = [];
    for (const step of ["undo", "undo", "redo", "undo", "redo", "redo", "undo"] as const) {
      accepted(await bench[step](ALICE));
      seen.push(bench.read("a.md").replaceAll("\n", ""));
    }
    expect(seen).toEqual(["12", "1", "12", "1", "12", "123", "12"]);
  });

  test("[UN13] two undos, or two redos, of one change at once make it once", async () => {
    const bench = new Bench({ "a.md": "one\ntwo\nthree\n" });
    const made = accepted(await bench.edit(ALICE, replace("two\n", "")));
    const twice = async (kind: "undo" | "redo") => {
      const request = { changeId: made.changeId! };
      const outcomes = await Promise.all([ALICE, BOB].map((actor) => bench.undoing[kind](actor, request)));
      expect(outcomes.map((outcome) => isRefusal(outcome) && outcome.code).sort()).toEqual([
        "CONFLICT",
        false,
      ]);
      return bench.read("a.md");
    };
    expect(await twice("undo")).toBe("one\ntwo\nthree\n");
    expect(await twice("redo")).toBe("one\nthree\n");
    expect(await twice("undo")).toBe("one\ntwo\nthree\n");
  });

  test("[UN4] a redo names the change or its undo; without anything undone there is nothing to redo", async () => {
    const bench = new Bench({ "a.md": "" });
    expect(refused(await bench.redo(ALICE)).code).toBe("NOT_FOUND");
    const { changeId } = accepted(await bench.edit(ALICE, append("1\n")));
    expect(refused(await bench.redo(ALICE, { changeId: changeId! })).code).toBe("NOT_FOUND");
    const undone = accepted(await bench.undo(BOB, { changeId: changeId! }));
    expect(refused(await bench.undo(BOB, { changeId: changeId! })).code).toBe("CONFLICT");
    accepted(await bench.redo(ALICE, { changeId: undone.changeId! }));
    accepted(await bench.undo(ALICE, { changeId: changeId! }));
    accepted(await bench.redo(ALICE, { changeId: changeId! }));
    expect(bench.read("a.md")).toBe("1\n");
  });

  test("[UN6] a batch is taken back and made again as one, also when it is only somebody's newest", async () => {
    const bench = new Bench({ "a.md": "a\n", "b.md": "b\n" });
    const requests = ["a.md", "b.md"].map((path) => ({ ...append("both\n", path), kind: "test" }));
    await bench.editor.apply(ALICE, requests, { batch: { id: "bat_1" } });
    const texts = () => [bench.read("a.md"), bench.read("b.md")];
    accepted(await bench.undo(BOB, { batchId: "bat_1" }));
    expect(texts()).toEqual(["a\n", "b\n"]);
    await bench.restart();
    accepted(await bench.redo(BOB, { batchId: "bat_1" }));
    expect(texts()).toEqual(["a\nboth\n", "b\nboth\n"]);
    accepted(await bench.undo(BOB));
    accepted(await bench.redo(BOB));
    accepted(await bench.edit(BOB, replace("both", "moth", "b.md")));
    expect(refused(await bench.undo(ALICE, { batchId: "bat_1" }))).toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("b.md: "),
    });
    expect(texts()).toEqual(["a\nboth\n", "b\nmoth\n"]);
    expect(refused(await bench.undo(ALICE, { batchId: "bat_no" })).code).toBe("NOT_FOUND");
  });

  test("[UN6] a batch is taken back whole though the clock was a year ahead then", async () => {
    const bench = new Bench({ "a.md": "a\n", "b.md": "b\n" });
    const requests = ["a.md", "b.md"].map((path) => ({ ...append("both\n", path), kind: "test" }));
    const ahead = Date.now() + 365 * 24 * 60 * 60 * 1000;
    const clock = vi.spyOn(Date, "now").mockReturnValue(ahead);
    await bench.editor.apply(ALICE, requests, { batch: { id: "bat_1" } });
    clock.mockRestore();
    accepted(await bench.edit(BOB, append("later\n", "b.md")));
    accepted(await bench.undo(BOB, { batchId: "bat_1" }));
    expect([bench.read("a.md"), bench.read("b.md")]).toEqual(["a\n", "b\nlater\n"]);
  });

  test("[UN7] sent again with the same opId is not done twice, and gets the first answer", async () => {
    const bench = new Bench({ "a.md": "a\n", "b.md": "b\n" });
    accepted(await bench.edit(ALICE, append("1\n")));
    const requests = ["a.md", "b.md"].map((path) => ({ ...append("both\n", path), kind: "test" }));
    await bench.editor.apply(ALICE, requests, { batch: { id: "bat_1" } });
    const first = accepted(await bench.undo(ALICE, { opId: "op-1" }));
    await bench.restart();
    expect(accepted(await bench.undo(ALICE, { opId: "op-1" })).changeId).toBe(first.changeId);
    expect([bench.read("a.md"), bench.read("b.md")]).toEqual(["a\n1\n", "b\n"]);
    const second = accepted(await bench.undo(ALICE, { opId: "op-2" }));
    expect(accepted(await bench.undo(ALICE, { opId: "op-2" })).changeId).toBe(second.changeId);
    expect(bench.read("a.md")).toBe("a\n");
    const named = { changeId: second.changeId!, opId: "op-3" };
    const third = accepted(await bench.redo(ALICE, named));
    expect(accepted(await bench.redo(ALICE, named)).changeId).toBe(third.changeId);
    const back = { changeId: third.changeId!, opId: "op-4" };
    const fourth = accepted(await bench.undo(ALICE, back));
    expect(accepted(await bench.undo(ALICE, back)).changeId).toBe(fourth.changeId);
    expect(bench.read("a.md")).toBe("a\n");
  });

  test("[UN7] sent again, of a deletion, a renaming or a creation, it undoes nothing more", async () => {
    const bench = new Bench({ "a.md": "a\n", "gone.md": "gone\n", "old.md": "old\n" });
    const made = { bom: false, text: Text.of("made\n") };
    const twice = async (undo: (request: object) => Promise<Outcome<EditResult>>, opId: string) => {
      const first = accepted(await undo({ opId }));
      await bench.restart();
      const { before: _before, base: _base, ...again } = accepted(await undo({ opId }));
      expect(first).toMatchObject(again);
      return first;
    };
    const undo = (request: object) => bench.undo(ALICE, request);
    const redo = (request: object) => bench.redo(ALICE, request);
    accepted(await bench.edit(ALICE, append("1\n")));
    accepted(await bench.workspace.create(ALICE, "made.md", made));
    accepted(await bench.workspace.rename(ALICE, await bench.document("old.md"), "new.md"));
    accepted(await bench.workspace.remove(ALICE, await bench.document("gone.md")));
    await twice(undo, "op-1");
    expect([bench.read("gone.md"), bench.read("new.md")]).toEqual(["gone\n", "old\n"]);
    expect((await twice(undo, "op-2")).path).toBe("old.md");
    expect([bench.read("old.md"), bench.read("made.md")]).toEqual(["old\n", "made\n"]);
    await twice(undo, "op-3");
    expect(() => bench.read("made.md")).toThrow();
    await twice(redo, "op-4");
    expect([bench.read("made.md"), bench.read("a.md")]).toEqual(["made\n", "a\n1\n"]);
  });

  test("[UN7] sent again, of a batch of files alone, too", async () => {
    const bench = new Bench({ "a.md": "a\n", "b.md": "b\n", "c.md": "c\n" });
    accepted(await bench.edit(ALICE, append("1\n", "c.md")));
    const cause = { batch: { id: "bat_1", size: 2 } };
    for (const path of ["a.md", "b.md"])
      accepted(await bench.workspace.remove(ALICE, await bench.document(path), cause));
    const first = accepted(await bench.undoing.undo(ALICE, { opId: "op-1" }));
    const again = accepted(await bench.undo(ALICE, { opId: "op-1" }));
    expect(again.changeId).toBe(first[0]!.changeId);
    expect(["a.md", "b.md", "c.md"].map((path) => bench.read(path))).toEqual(["a\n", "b\n", "c\n1\n"]);
  });

  test("[UN7] sent again while the first is still on its way, it gets that one's answer, and undoes nothing more", async () => {
    const bench = new Bench({ "a.md": "a\n", "b.md": "b\n" });
    const requests = ["a.md", "b.md"].map((path) => ({ ...append("both\n", path), kind: "test" }));
    await bench.editor.apply(ALICE, requests, { batch: { id: "bat_1" } });
    const { changeId } = accepted(await bench.edit(ALICE, append("1\n")));
    const document = await bench.document("a.md");
    const twice = async (request: object) => {
      const { seq } = document.head;
      const first = bench.undo(ALICE, request);
      while (document.head.seq === seq) await setImmediate(); // applied, and not on the disk yet
      return Promise.all([first, bench.undo(ALICE, request)]);
    };
    const [first, again] = (await twice({ opId: "op-1" })).map(accepted);
    expect(again!.changeId).toBe(first!.changeId);
    expect([bench.read("a.md"), bench.read("b.md")]).toEqual(["a\nboth\n", "b\nboth\n"]);
    accepted(await bench.redo(ALICE));
    const [named, same] = (await twice({ changeId: changeId!, opId: "op-2" })).map(accepted);
    expect(same!.changeId).toBe(named!.changeId);
  });

  test("[UN12] of a deleted document's change is not about the document that has its path now", async () => {
    const bench = new Bench({ "a.md": "gone\n", "b.md": "b\n" });
    const gone = await bench.document("a.md");
    accepted(await bench.workspace.remove(ALICE, gone));
    const changeId = gone.head.id;
    accepted(await bench.workspace.rename(BOB, await bench.document("b.md"), "a.md"));
    const { path } = accepted(await bench.undo(ALICE, { changeId }));
    expect((await bench.document(path)).id).toBe(gone.id);
    expect([bench.read("a.md"), bench.read(path)]).toEqual(["b\n", "gone\n"]);
  });

  test("[UN12] without a change, too", async () => {
    const bench = new Bench({ "a.md": "gone\n", "b.md": "b\n" });
    const gone = await bench.document("a.md");
    accepted(await bench.workspace.remove(ALICE, gone));
    accepted(await bench.workspace.rename(BOB, await bench.document("b.md"), "a.md"));
    const { path } = accepted(await bench.undo(ALICE));
    expect([bench.read("a.md"), bench.read(path)]).toEqual(["b\n", "gone\n"]);
  });

  test("[UN5] after any later edits that do not touch it removes exactly that change", async () => {
    const word = fc.constantFrom("α", "bb", "😀", "d\n", "");
    const later = fc.array(fc.tuple(fc.boolean(), fc.nat(30), word), { maxLength: 6 });
    const bench = new Bench({});
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(word, later, async (inserted, edits) => {
        const path = `${cases++}.md`;
        bench.write(path, "0123456789".repeat(3));
        const splice = (from: number, to: number, insert: string) => ({
          path,
          plan: planSplice([{ from, to, insert }], "utf-32"),
        });
        const marked = `<${inserted}>`;
        const { changeId } = accepted(await bench.edit(ALICE, splice(15, 15, marked)));
        for (const [before, at, insert] of edits) {
          const text = (await bench.document(path)).text;
          const [start] = text.matches(marked);
          const end = start! + Array.from(marked).length;
          const from = before ? at % start! : Math.min(text.chars, end + 1 + (at % 10));
          accepted(
            await bench.edit(
              BOB,
              splice(from, Math.min(from + (at % 2), before ? start! : text.chars), insert),
            ),
          );
        }
        const wanted = (await bench.text(path)).replace(marked, "");
        accepted(await bench.undo(ALICE, { changeId: changeId! }));
        expect(await bench.text(path)).toBe(wanted);
      }),
      { numRuns: 40 },
    );
  });
});

test("[HI39] a checkpoint restores a deleted document beside the one that has its path now", async () => {
  const bench = new Bench({ "a.md": "gone\n", "b.md": "b\n" });
  const gone = await bench.document("a.md");
  await bench.document("b.md");
  const checkpoints = new Checkpoints(bench.workspace, bench.editor);
  accepted(await checkpoints.create(ALICE, "early"));
  accepted(await bench.workspace.remove(BOB, gone));
  accepted(await bench.edit(BOB, append("more\n", "b.md")));
  accepted(await bench.workspace.rename(BOB, await bench.document("b.md"), "a.md"));
  const { restored, failed } = accepted(await checkpoints.restore(ALICE, "early"));
  expect(failed).toEqual([]);
  expect(bench.read("a.md")).toBe("b\n");
  const [other] = restored.filter((path) => path !== "a.md");
  expect([bench.read(other!), (await bench.document(other!)).id]).toEqual(["gone\n", gone.id]);
});

describe("the history", () => {
  test("[HI1] tells changes newest first, of all documents or one, of everybody or one agent", async () => {
    const bench = new Bench({ "a.md": "a\n", "b.md": "b\n" });
    accepted(await bench.edit(ALICE, { ...append("1\n"), message: "the first" }));
    accepted(await bench.edit(BOB, append("2\n", "b.md")));
    bench.save("a.md", "a\n1\nby hand\n");
    await bench.document("a.md");
    const { changes } = await listed(bench);
    expect(changes.map(({ path, author }) => [path, author])).toEqual([
      ["a.md", "disk"],
      ["b.md", "bob"],
      ["a.md", "alice"],
    ]);
    expect(changes[2]).toMatchObject({ message: "the first", added: 2, removed: 0, undone: false });
    expect((await listed(bench, { path: "a.md" })).changes.map(({ author }) => author)).toEqual([
      "disk",
      "alice",
      "disk",
    ]);
    expect((await listed(bench, { agent: "bob" })).changes).toHaveLength(1);
    expect(await bench.history.list(asAlice(bench), { path: "none.md", limit: 1 })).toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test("[HI1] goes on from a change, and says when there is more", async () => {
    const bench = new Bench({ "a.md": "", "b.md": "" });
    for (let i = 0; i < 70; i++) accepted(await bench.edit(ALICE, append(`${i}\n`, i % 2 ? "a.md" : "b.md")));
    const first = await listed(bench, { limit: 40 });
    const rest = await listed(bench, { limit: 40, before: first.changes.at(-1)!.changeId });
    expect([first.more, rest.more, rest.changes.length]).toEqual([true, false, 30]);
    expect(new Set([...first.changes, ...rest.changes].map(({ changeId }) => changeId)).size).toBe(70);
  });

  test("[HI1] marks what is undone, and keeps what a deleted document was", async () => {
    const bench = new Bench({ "a.md": "" });
    const { changeId } = accepted(await bench.edit(ALICE, append("1\n")));
    accepted(await bench.undo(BOB, { changeId: changeId! }));
    accepted(await bench.workspace.remove(ALICE, await bench.document("a.md")));
    const { changes } = await listed(bench, { path: "a.md" });
    expect(changes.map(({ undone, undoes }) => [undone, undoes])).toEqual([
      [false, undefined],
      [false, changeId],
      [true, undefined],
      [false, undefined],
    ]);
  });

  test("[HI2] tells what came since a version, change by change and as one edit", async () => {
    const bench = new Bench({ "a.md": "one\ntwo\n" });
    const { version } = accepted(await bench.edit(ALICE, append("three\n")));
    accepted(await bench.edit(BOB, replace("one", "1")));
    bench.save("a.md", "1\ntwo\nthree\nfour\n");
    const document = await bench.document("a.md");
    const since = accepted(await bench.history.since(document, version));
    expect(since.changes.map(({ author }) => author)).toEqual(["bob", "disk"]);
    expect(since.base.splice(since.splices).toString()).toBe("1\ntwo\nthree\nfour\n");
    expect(await bench.history.since(document, "9-nothing")).toMatchObject({ code: "NOT_FOUND" });
  });

  test("[HI3] blames each character on the change that put it there, over restarts", async () => {
    const bench = new Bench({ "a.md": "base\n" });
    accepted(await bench.edit(ALICE, append("alice\n")));
    accepted(await bench.edit(BOB, replace("lic", "😀")));
    const blamed = async () => {
      const document = await bench.document("a.md");
      let at = 0;
      return bench.history.blame(document).map(({ size, change }) => {
        at += size;
        return [document.text.slice(at - size, at), change?.author];
      });
    };
    const expected = [
      ["base\n", "disk"],
      ["a", "alice"],
      ["😀", "bob"],
      ["e\n", "alice"],
    ];
    expect(await blamed()).toEqual(expected);
    await bench.restart();
    expect(await blamed()).toEqual(expected);
    accepted(await bench.edit(BOB, replace("base", "b")));
    expect(await blamed()).toEqual([["b", "disk"], ["\n", "disk"], ...expected.slice(1)]);
  });

  test("[HI35] blames text that an undo brought back on the undo, which names the change that it undid", async () => {
    const bench = new Bench({ "a.md": "base\n" });
    accepted(await bench.edit(ALICE, append("alice\n")));
    const gone = accepted(await bench.edit(BOB, replace("alice\n", "")));
    accepted(await bench.undo(BOB, { changeId: gone.changeId! }));
    const document = await bench.document("a.md");
    const runs = bench.history
      .blame(document)
      .map(({ size, change }) => [size, change?.author, change?.undoes]);
    expect(runs).toEqual([
      [5, "disk", undefined],
      [6, "bob", gone.changeId],
    ]);
  });
});

describe("a history that is kept for a while", () => {
  /** Folds the document's journal as when it leaves memory, and loads it again. */
  async function rested(bench: Bench) {
    const document = await bench.document("a.md");
    await expect.poll(() => document.mirror.sweep() ?? document.restful, { timeout: 5000 }).toBe(true);
    await document.compact({ leaving: true });
    await bench.workspace.drop(document);
    return bench.document("a.md");
  }
  const edited = async (bench: Bench) => {
    for (const line of ["1\n", "2\n", "3\n"]) accepted(await bench.edit(ALICE, append(line)));
    // The time of the newest change has passed.
    await expect.poll(async () => Date.now() - (await bench.document("a.md")).head.time).toBeGreaterThan(1);
  };

  test("[HI6] is dropped when its document rests, from the store and from Loro's bytes, and the text stays", async () => {
    const bench = new Bench({ "a.md": "secret\n" }, { keepHistoryMs: 1 });
    accepted(await bench.edit(ALICE, replace("secret", "gone")));
    await edited(bench);
    const document = await rested(bench);
    expect(document.text.toString()).toBe("gone\n1\n2\n3\n");
    expect((await listed(bench, { path: "a.md" })).changes).toHaveLength(1);
    expect(bench.history.blame(document)).toEqual([{ size: 11, change: undefined }]);
    const { bytes } = bench.workspace.ports.store.snapshot(document.id)!;
    expect(Buffer.from(bytes).includes("secret")).toBe(false);
    accepted(await bench.edit(BOB, append("4\n")));
    await bench.restart();
    accepted(await bench.undo(BOB));
    expect(bench.read("a.md")).toBe("gone\n1\n2\n3\n");
  });

  test("[HI11] is dropped by prune, which counts first, and not in a document that somebody follows", async () => {
    const bench = new Bench({ "a.md": "", "b.md": "" });
    accepted(await bench.edit(ALICE, append("0\n", "b.md")));
    await edited(bench);
    await rested(bench);
    const count = async (path: string) => (await listed(bench, { path })).changes.length;
    const before = [await count("a.md"), await count("b.md")];
    expect(await prune(bench.workspace, 1, true)).toMatchObject({ documents: 2, kept: 0 });
    expect([await count("a.md"), await count("b.md")]).toEqual(before);
    const leave = bench.workspace.updates.follow((await bench.document("b.md")).id, () => {});
    expect(await prune(bench.workspace, 1, false)).toMatchObject({ documents: 1, kept: 1 });
    expect([await count("a.md"), await count("b.md")]).toEqual([1, before[1]]);
    leave();
    await bench.restart();
    expect(await bench.text("a.md")).toBe("1\n2\n3\n");
    accepted(await bench.edit(BOB, append("4\n")));
    accepted(await bench.undo(BOB));
    expect(bench.read("a.md")).toBe("1\n2\n3\n");
    expect(await prune(bench.workspace, 3_600_000, true)).toMatchObject({
      documents: 0,
      changes: 0,
      bytes: 0,
    });
  });

  test("[HI10] stays as far back as a checkpoint needs it, and all of it while it is young", async () => {
    const bench = new Bench({ "a.md": "" }, { keepHistoryMs: 1 });
    accepted(await bench.edit(ALICE, append("0\n")));
    const checkpoints = new Checkpoints(bench.workspace, bench.editor);
    accepted(await checkpoints.create(ALICE, "early"));
    await edited(bench);
    await rested(bench);
    accepted(await checkpoints.restore(BOB, "early"));
    expect(bench.read("a.md")).toBe("0\n");
    const used = new Bench({ "a.md": "" });
    await edited(used);
    const document = await used.document("a.md");
    await expect.poll(() => document.mirror.sweep() ?? document.restful, { timeout: 5000 }).toBe(true);
    const dropped = document.compact({ leaving: true, keepMs: 1 });
    used.workspace.pins.add(() => 1); // as a proposal that is made while the file is flushed
    await dropped;
    expect(document.versions.oldest.seq).toBe(1);
    const young = new Bench({ "a.md": "" }, { keepHistoryMs: 60_000 });
    await edited(young);
    await rested(young);
    for (let i = 0; i < 3; i++) accepted(await young.undo(ALICE));
    expect(young.read("a.md")).toBe("");
  });
});
