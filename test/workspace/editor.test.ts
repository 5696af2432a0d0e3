import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import type { Actor } from "../../src/workspace/access/actor.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planSplice } from "../../src/workspace/planners/splice.ts";
import { planAppend, planWrite } from "../../src/workspace/planners/whole.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { ALICE, accepted, Bench, BOB, refused } from "./harness.ts";

const replace = (old: string, updated: string) => planReplace(old, updated, "unique");

describe("an edit", () => {
  test("[ED1, ED12] is in memory, durable and on disk when it is answered", async () => {
    const bench = new Bench({ "a.md": "one two three\n" });
    const result = accepted(await bench.edit(ALICE, { path: "a.md", plan: replace("two", "2") }));
    expect(bench.read("a.md")).toBe("one 2 three\n");
    expect(result).toMatchObject({ durable: true, mirrored: true, merged: false, conflicts: [] });
    expect(result.splices).toEqual([{ from: 4, to: 7, insert: "2" }]);
    expect(result.summary).toMatch(/^applied: \+1 -3 chars \(test, version=1-/);
  });

  test("[ED1] with ack durable is on disk soon after", async () => {
    const bench = new Bench({ "a.md": "x" });
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("y"), ack: "durable" }));
    const document = await bench.document("a.md");
    expect(await document.mirror.reached(document.head.seq)).toBe(true);
    expect(bench.read("a.md")).toBe("xy");
  });

  test("[ED2] against an old version is resolved there and merged over what happened since", async () => {
    const bench = new Bench({ "a.md": "alpha\nbeta\ngamma\n" });
    const { version } = await bench.document("a.md");
    accepted(await bench.edit(BOB, { path: "a.md", plan: replace("alpha", "ALPHA and more") }));
    const splice = planSplice([{ from: 11, to: 16, insert: "GAMMA" }], "utf-32");
    const result = accepted(await bench.edit(ALICE, { path: "a.md", version, plan: splice }));
    expect(result.merged).toBe(true);
    expect(bench.read("a.md")).toBe("ALPHA and more\nbeta\nGAMMA\n");
  });

  test("[ED2] against an old version finds text that is only there", async () => {
    const bench = new Bench({ "a.md": "the cat sat\n" });
    const { version } = await bench.document("a.md");
    accepted(await bench.edit(BOB, { path: "a.md", plan: replace("cat", "dog") }));
    expect(refused(await bench.edit(ALICE, { path: "a.md", plan: replace("cat sat", "cat ran") })).code).toBe(
      "NO_MATCH",
    );
    accepted(await bench.edit(ALICE, { path: "a.md", version, plan: replace("cat sat", "cat ran") }));
    expect(bench.read("a.md")).toBe("the dog ran\n");
  });

  test("[ED2] a base may be named by its sha256", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const sha256 = (await bench.document("a.md")).head.sha256!;
    accepted(await bench.edit(BOB, { path: "a.md", plan: planAppend("two\n") }));
    const result = accepted(await bench.edit(ALICE, { path: "a.md", sha256, plan: replace("one", "1") }));
    expect(result.merged).toBe(true);
    expect(bench.read("a.md")).toBe("1\ntwo\n");
  });

  test("[ED3] with onStale reject is refused once the document moved on", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { version } = await bench.document("a.md");
    accepted(await bench.edit(BOB, { path: "a.md", plan: planAppend("two\n") }));
    const request = { path: "a.md", version, onStale: "reject" as const, plan: replace("one", "1") };
    expect(refused(await bench.edit(ALICE, request)).code).toBe("STALE_VERSION");
    expect(bench.read("a.md")).toBe("one\ntwo\n");
  });

  test("[ED13] against a version that never was is refused", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    for (const version of ["7-abcdef", "nonsense", "0-zzzzzz"])
      expect(
        refused(await bench.edit(ALICE, { path: "a.md", version, plan: replace("one", "1") })).code,
      ).toBe("STALE_VERSION");
  });

  test("[ED4] made by two from one base counts once", async () => {
    const bench = new Bench({ "a.md": "say hi\n" });
    const { version } = await bench.document("a.md");
    accepted(await bench.edit(BOB, { path: "a.md", version, plan: replace("hi", "hello") }));
    const result = accepted(await bench.edit(ALICE, { path: "a.md", version, plan: replace("hi", "hello") }));
    expect(result.changeId).toBeNull();
    expect(bench.read("a.md")).toBe("say hello\n");
  });

  test("[ED14] over the same word keeps both texts and reports the overlap", async () => {
    const bench = new Bench({ "a.md": "say hi\n" });
    const { version } = await bench.document("a.md");
    accepted(await bench.edit(BOB, { path: "a.md", version, plan: replace("hi", "moin") }));
    const result = accepted(await bench.edit(ALICE, { path: "a.md", version, plan: replace("hi", "ahoy") }));
    expect(result.conflicts).toHaveLength(1);
    expect(bench.read("a.md")).toContain("moin");
    expect(bench.read("a.md")).toContain("ahoy");
  });

  test("[ED5] with the same opId gets the first answer again, also after a restart", async () => {
    const bench = new Bench({ "a.md": "" });
    const request = { path: "a.md", plan: planAppend("x"), opId: "op-1" };
    const [first, second] = await Promise.all([bench.edit(ALICE, request), bench.edit(ALICE, request)]);
    expect(accepted(second!).changeId).toBe(accepted(first!).changeId);
    await bench.restart();
    expect(accepted(await bench.edit(ALICE, request)).changeId).toBe(accepted(first!).changeId);
    accepted(await bench.edit(BOB, request));
    expect(bench.read("a.md")).toBe("xx");
  });

  test("[ED5] is answered again whole while its document is just being moved", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const request = { path: "a.md", plan: planAppend("two\n"), opId: "op-1" };
    const first = accepted(await bench.edit(ALICE, request));
    const { open } = bench.workspace;
    bench.workspace.open = async (path) => {
      bench.workspace.open = open;
      bench.rename("a.md", "b.md");
      await bench.document("b.md");
      return open.call(bench.workspace, path);
    };
    expect(accepted(await bench.edit(ALICE, request))).toEqual(first);
  });

  test("[ED5] that had nothing to change gets that answer again, and removes no edit that came since", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const request = { path: "a.md", plan: planWrite("one\n"), opId: "op-1" };
    const first = accepted(await bench.edit(ALICE, request));
    expect(first.changeId).toBeNull();
    accepted(await bench.edit(BOB, { path: "a.md", plan: planAppend("two\n") }));
    for (let i = 0; i < 2; i++) {
      const { version, changeId } = accepted(await bench.edit(ALICE, request));
      expect([version, changeId]).toEqual([first.version, null]);
      expect(bench.read("a.md")).toBe("one\ntwo\n");
      await bench.restart();
    }
  });

  test("[ED1, ED4] that somebody has just made is answered once that one is durable", async () => {
    const disk = new FakeDisk(systemClock);
    disk.save("a.md", "one\n");
    const store = new MemoryStore({ atOnce: false });
    const { workspace } = onFakes(disk, store);
    onTestFinished(async () => {
      const closing = workspace.close();
      while (!(await Promise.race([closing.then(() => true), setImmediate(false)]))) store.flush();
    });
    const editor = new Editor(workspace);
    const { version } = accepted(await workspace.open("a.md"));
    store.flush();
    const plan = replace("one", "ONE");
    const request = { kind: "test", path: "a.md", version, plan, ack: "durable" } as const;
    let answered = 0;
    const edit = (actor: Actor) =>
      editor.edit(actor, request).then((made) => {
        answered++;
        return accepted(made);
      });
    const edits = [edit(ALICE), edit(BOB)];
    for (let i = 0; i < 20; i++) await setImmediate();
    expect(answered).toBe(0);
    while (answered < 2) {
      store.flush();
      await setImmediate();
    }
    const [first, second] = await Promise.all(edits);
    expect([first!.changeId === null, second!.changeId]).toEqual([false, null]);
  });

  test("[ED6] sent one after the other without waiting are made in that order", async () => {
    const bench = new Bench({ "a.md": "" });
    const texts = Array.from({ length: 50 }, (_, i) => `${i},`);
    await Promise.all(
      texts.map((text) => bench.edit(ALICE, { path: "a.md", plan: planAppend(text), ack: "durable" })),
    );
    expect(await bench.text("a.md")).toBe(texts.join(""));
  });

  test("[ED7] that would make the document too large is refused", async () => {
    const bench = new Bench({ "a.md": "x" }, { maxFileBytes: 100 });
    expect(refused(await bench.edit(ALICE, { path: "a.md", plan: planAppend("é".repeat(50)) })).code).toBe(
      "TOO_LARGE",
    );
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("é".repeat(49)) }));
  });

  test("[ED8] of a file that is read-only on disk is refused", async () => {
    const bench = new Bench({ "a.md": "x" });
    bench.chmod("a.md", 0o444);
    expect(refused(await bench.edit(ALICE, { path: "a.md", plan: planAppend("y") })).code).toBe(
      "PERMISSION_DENIED",
    );
    expect(bench.read("a.md")).toBe("x");
  });
});

describe("an outside save", () => {
  test("[I9] is seen by the next edit before any watcher speaks", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    await bench.document("a.md");
    bench.save("a.md", "one\ntwo\n");
    accepted(await bench.edit(ALICE, { path: "a.md", plan: replace("two", "2") }));
    expect(bench.read("a.md")).toBe("one\n2\n");
  });

  test("[I1] merges with an edit that the file did not hold yet", async () => {
    const bench = new Bench({ "a.md": "first\nmiddle\nlast\n" });
    await bench.document("a.md");
    const editing = bench.edit(ALICE, { path: "a.md", plan: replace("first", "FIRST") });
    await Promise.resolve();
    bench.save("a.md", "first\nmiddle\nLAST\n");
    accepted(await editing);
    await bench.document("a.md");
    await (await bench.document("a.md")).mirror.reached(99);
    expect(bench.read("a.md")).toBe("FIRST\nmiddle\nLAST\n");
  });

  test("[ED11] that rewrote what a pending edit rewrote is told of as a conflict; both texts stay", async () => {
    const bench = new Bench({ "a.md": "first\nmiddle\nlast\n" });
    await bench.document("a.md");
    const editing = bench.edit(ALICE, { path: "a.md", plan: replace("middle", "agents wrote this") });
    await Promise.resolve();
    bench.save("a.md", "first\n12345\nlast\n");
    accepted(await editing);
    const text = (await bench.document("a.md")).text.toString();
    expect(text).toContain("agents wrote this");
    expect(text).toContain("12345");
    expect(bench.events.filter(({ type }) => type === "conflict")).toMatchObject([
      {
        path: "a.md",
        author: "disk",
        conflicts: [{ ours: { from: 6, to: 12, insert: "12345" }, theirs: { from: 6, to: 12 } }],
      },
    ]);
  });

  test("[I4] that changes nothing is no change", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { version } = await bench.document("a.md");
    bench.save("a.md", "one\n");
    expect((await bench.document("a.md")).version).toBe(version);
  });

  test("[ED9] is told to listeners with its author and splices", async () => {
    const bench = new Bench({ "a.md": "one two\n" });
    await bench.document("a.md");
    bench.save("a.md", "one 2\n");
    await bench.document("a.md");
    await bench.restart();
    expect(bench.events).toMatchObject([
      { type: "changed", author: "disk", origin: "disk", splices: [{ from: 4, to: 7, insert: "2" }] },
    ]);
  });
});

describe("a restart", () => {
  test("[I2] brings the document back with its history and versions", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { version } = await bench.document("a.md");
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("two\n") }));
    await bench.restart();
    accepted(await bench.edit(BOB, { path: "a.md", version, plan: replace("one", "1") }));
    expect(bench.read("a.md")).toBe("1\ntwo\n");
    const authors = [...bench.workspace.ports.store.changes((await bench.document("a.md")).id)].map(
      (c) => c.author,
    );
    expect(authors).toEqual(["bob", "alice", "disk"]);
  });

  test("[I2] takes in what changed on disk meanwhile", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("two\n") }));
    await bench.restart(() => bench.save("a.md", "zero\none\ntwo\n"));
    expect(await bench.text("a.md")).toBe("zero\none\ntwo\n");
  });

  test("[I10] finds a document whose file was deleted meanwhile, and its history when it is made again", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { id } = await bench.document("a.md");
    await bench.restart(() => bench.remove("a.md"));
    expect(refused(await bench.workspace.open("a.md")).code).toBe("DELETED");
    bench.write("a.md", "again\n");
    expect((await bench.document("a.md")).id).toBe(id);
    expect(await bench.text("a.md")).toBe("again\n");
  });
});

describe("bytes", () => {
  const kept: [name: string, before: string, edit: ReturnType<typeof replace>, after: string][] = [
    ["CRLF", "one\r\ntwo\r\n", replace("one\ntwo", "1\n2"), "1\r\n2\r\n"],
    ["a byte order mark", "\ufeffone\n", replace("one", "1"), "\ufeff1\n"],
    ["no final newline", "one\ntwo", replace("two", "2"), "one\n2"],
    ["mixed line ends", "a\r\nb\nc\r\n", replace("b", "B"), "a\r\nB\nc\r\n"],
    ["form feed and U+2028", "a\fb\u2028c\n", replace("c", "C"), "a\fb\u2028C\n"],
    ["a written text in CRLF", "a\r\nb\r\n", planWrite("a\nB\nc\n"), "a\r\nB\r\nc\r\n"],
    ["appended lines in CRLF", "a\r\n", planAppend("b\n"), "a\r\nb\r\n"],
  ];
  for (const [name, before, plan, after] of kept)
    test(`[I11] of ${name} are kept`, async () => {
      const bench = new Bench({ "a.md": before });
      accepted(await bench.edit(ALICE, { path: "a.md", plan }));
      expect(bench.read("a.md")).toBe(after);
    });
});
