import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changeId } from "../../src/store/format/change-id.ts";
import { changeOf, entryOf, packedOf, packOf, unpack } from "../../src/store/format/packed-changes.ts";
import { type ChangeRecord, firstSeqOf } from "../../src/store/store.ts";
import { invert } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";
import type { Actor } from "../../src/workspace/access/actor.ts";
import type { EditRequest, EditResult } from "../../src/workspace/edits/request.ts";
import { GuardedWorkspace } from "../../src/workspace/folder/guarded-workspace.ts";
import { timeline } from "../../src/workspace/history/timeline.ts";
import { runsOf } from "../../src/workspace/journal/runs.ts";
import { planSplice } from "../../src/workspace/planners/splice.ts";
import { versionOf } from "../../src/workspace/versions/version.ts";
import { ALICE, accepted, BOB, TimedBench } from "./harness.ts";

const TAIL = "0123456789ab";

/** A bench on which agents type into `a.md`. */
class Typing extends TimedBench {
  constructor(text: string) {
    super({ "a.md": text });
  }

  /** Makes one edit of each character at a place, 100 ms apart. */
  async types(
    actor: Actor,
    at: number,
    text: string,
    more: Partial<EditRequest> = {},
  ): Promise<EditResult[]> {
    const made: EditResult[] = [];
    for (const [i, c] of Array.from(text).entries()) {
      const plan = planSplice([{ from: at + i, to: at + i, insert: c }], "utf-32");
      made.push(accepted(await this.passing(this.edit(actor, { path: "a.md", plan, ...more }))));
      await this.clock.advance(100);
    }
    return made;
  }

  /** Lets the document rest, and tends it as the daemon does. */
  async rests(ms = 2_500, syncs = true): Promise<void> {
    const document = await this.passing(this.document("a.md"));
    for (let passed = 0; passed <= ms; passed += 250) {
      if (syncs && document.syncDue) await document.sync();
      await document.saveRecord();
      await document.fold();
      await this.clock.advance(250);
    }
  }

  async list() {
    return (await this.passing(this.history.list(this.asAlice, { limit: 50, path: "a.md" }))) as unknown as {
      changes: {
        changeId: string;
        author: string;
        added: number;
        edits?: number;
        began?: string;
        time: string;
        undone: boolean;
        previous: string;
        version: string;
      }[];
    };
  }

  get asAlice(): GuardedWorkspace {
    return new GuardedWorkspace(this.workspace, ALICE, "read");
  }
}

describe("the history of a document at rest", () => {
  test("[HI12] shows neighbouring small edits of one author as one change, with its time and its edits", async () => {
    const bench = new Typing("start\n");
    const made = await bench.types(ALICE, 5, " hello");
    expect((await bench.list()).changes.length).toBe(7);
    await bench.rests();
    const { changes } = await bench.list();
    expect(changes.length).toBe(2);
    const [typed, first] = changes;
    expect(typed).toMatchObject({ changeId: made.at(-1)!.changeId, author: "alice", added: 6, edits: 6 });
    expect(typed!.version).toBe(made.at(-1)!.version);
    expect(typed!.previous).toBe(first!.version);
    expect(Date.parse(typed!.time) - Date.parse(typed!.began!)).toBeGreaterThanOrEqual(500);
  });

  test("[HI12] leaves what is still being typed as it is", async () => {
    const bench = new Typing("start\n");
    await bench.types(ALICE, 5, " hello");
    await bench.rests(1_000);
    expect((await bench.list()).changes.length).toBe(7);
  });

  test("[HI13] keeps edits of others, with a reason, far away, late or undone by themselves apart", async () => {
    const bench = new Typing("0123456789\n");
    await bench.types(ALICE, 0, "ab");
    await bench.types(BOB, 2, "cd");
    await bench.types(BOB, 4, "e", { message: "why" });
    await bench.types(BOB, 5, "fg");
    await bench.types(BOB, 12, "hi");
    await bench.clock.advance(2_500);
    const late = await bench.types(BOB, 14, "jk");
    accepted(await bench.passing(bench.undo(BOB, { changeId: late[1]!.changeId! })));
    await bench.rests();
    const { changes } = await bench.list();
    const shown = changes.map(({ author, added, edits = 1 }) => `${author} ${added}/${edits}`);
    expect(shown.reverse()).toEqual([
      "disk 0/1",
      "alice 2/2",
      "bob 2/2",
      "bob 1/1",
      "bob 2/2",
      "bob 2/2",
      "bob 1/1",
      "bob 1/1",
      "bob 0/1",
    ]);
  });

  test("[HI13] keeps versions apart to which a power cut may turn the file back", async () => {
    const bench = new Typing("start\n");
    await bench.types(ALICE, 5, " hello");
    await bench.rests(5_000, false);
    expect((await bench.list()).changes.length).toBe(7);
    await bench.rests();
    expect((await bench.list()).changes.length).toBe(2);
  });

  test("[HI14, HI17] undoes and redoes the change as one, by the id of any of its edits", async () => {
    const bench = new Typing("start\n");
    const made = await bench.types(ALICE, 5, " hello");
    await bench.types(BOB, 0, "> ", { message: "quoted" });
    await bench.rests();
    for (const { changeId } of [made[1]!, made[5]!]) {
      accepted(await bench.passing(bench.undo(BOB, { changeId: changeId! })));
      await bench.rests();
      expect(bench.read("a.md")).toBe("> start\n");
      expect((await bench.list()).changes.find(({ added }) => added === 6)).toMatchObject({ undone: true });
      accepted(await bench.passing(bench.redo(BOB, { changeId: changeId! })));
      await bench.rests();
      expect(bench.read("a.md")).toBe("> start hello\n");
    }
    accepted(await bench.passing(bench.undo(ALICE, {})));
    await bench.rests();
    expect(bench.read("a.md")).toBe("> start\n");
    const before = await bench.passing(
      bench.history.list(bench.asAlice, { limit: 50, path: "a.md", before: made[2]!.changeId! }),
    );
    expect(accepted(before).changes.map(({ origin }) => origin)).toEqual(["disk"]);
  });

  test("[HI15] still has every version between its edits, also after a restart", async () => {
    const bench = new Typing("start\n");
    const made = await bench.types(ALICE, 5, " hello");
    await bench.rests();
    await bench.restart();
    const document = await bench.passing(bench.document("a.md"));
    for (const [i, { version, changeId }] of made.entries()) {
      const change = document.versions.find(version)!;
      expect([change.id, versionOf(change)]).toEqual([changeId, version]);
      expect(document.versions.textAt(change.seq)?.toString()).toBe(`start${" hello".slice(0, i + 1)}\n`);
    }
    const since = accepted(await bench.passing(bench.history.since(document, made[3]!.version)));
    expect(since.base.splice(since.splices).toString()).toBe("start hello\n");
    expect(since.changes).toMatchObject([{ added: 2, edits: 2, previous: made[3]!.version }]);
    const based = {
      version: made[1]!.version,
      plan: planSplice([{ from: 0, to: 5, insert: "begin" }], "utf-32"),
    };
    accepted(await bench.passing(bench.edit(BOB, { path: "a.md", ...based })));
    expect(document.text.toString()).toBe("begin hello\n");
  });

  test("[HI14, ED5] gives each of its edits its first answer again, also after a restart", async () => {
    const bench = new Typing("start\n");
    const plan = (i: number) => planSplice([{ from: 5 + i, to: 5 + i, insert: "x" }], "utf-32");
    const send = async (i: number) => {
      const {
        before,
        base,
        mirrored: _,
        ...told
      } = accepted(await bench.passing(bench.edit(ALICE, { path: "a.md", plan: plan(i), opId: `op-${i}` })));
      return { ...told, before: before.toString(), base: base.toString() };
    };
    const made = [await send(0), await send(1), await send(2)];
    await bench.rests();
    expect((await bench.list()).changes.length).toBe(2);
    expect([await send(0), await send(1), await send(2)]).toEqual(made);
    await bench.restart();
    expect([await send(0), await send(1), await send(2)]).toEqual(made);
    expect(bench.read("a.md")).toBe("startxxx\n");
  });

  test("[HI16] blames the change for the text of each of its edits, before and after it was folded", async () => {
    const bench = new Typing("start\n");
    const blamed = async () => {
      const document = await bench.passing(bench.document("a.md"));
      return bench.history.blame(document).map(({ size, change }) => [size, change?.id]);
    };
    const made = await bench.types(ALICE, 5, " he");
    expect((await blamed()).length).toBe(5);
    await bench.types(ALICE, 8, "llo");
    await bench.rests();
    const { changes } = await bench.list();
    const whole = changes[0]!.changeId;
    expect(new Set((await blamed()).slice(1, -1).map(([, id]) => id))).toEqual(new Set([whole]));
    expect(whole).not.toBe(made[0]!.changeId);
    await bench.restart();
    expect(await blamed()).toEqual([
      [5, changes[1]!.changeId],
      [6, whole],
      [1, changes[1]!.changeId],
    ]);
  });
});

/** Small edits of a text that touch one another, with the texts after them. */
function typed(places: readonly (readonly [number, number, string])[]) {
  let text = Text.of("0123456789");
  const texts = [text];
  let last = { from: 0, size: 10 };
  const changes = places.map(([place, size, insert], i): ChangeRecord => {
    const from = Math.min(text.chars, last.from + (place % (last.size + 1)));
    const splices = [{ from, to: Math.min(text.chars, from + size), insert }];
    const removed = text.removed(splices);
    text = text.splice(splices);
    texts.push(text);
    last = { from, size: Array.from(insert).length };
    const seq = i + 1;
    const who = { author: "alice", agent: "owner/alice", origin: "agent" as const };
    return { seq, id: changeId(seq, TAIL), ...who, time: 1000 + i / 1024, splices, removed };
  });
  return { changes, texts };
}

describe("a folded change", () => {
  const places = fc.array(
    fc.tuple(fc.nat(8), fc.nat(3), fc.constantFrom("", "a", "\u{1f600}", "é\n", "xyz")),
    { minLength: 1, maxLength: 30 },
  );

  test("[HI12, HI15] makes the same text as its edits, takes it back, and holds each of them", () => {
    fc.assert(
      fc.property(places, (given) => {
        const { changes, texts } = typed(given);
        const runs = runsOf(changes, new Set());
        expect(runs.flat()).toEqual(changes);
        for (const entry of unpack(packOf(packedOf(runs)))) {
          const whole = entryOf(entry);
          const [before, after] = [texts[(whole.folded?.first ?? whole.seq) - 1]!, texts[whole.seq]!];
          expect(before.splice(whole.splices).toString()).toBe(after.toString());
          expect(before.removed(whole.splices)).toEqual(whole.removed);
          expect(after.splice(invert(whole.splices, whole.removed)).toString()).toBe(before.toString());
          for (let seq = whole.folded?.first ?? whole.seq; seq <= whole.seq; seq++) {
            const { time: _time, ...facts } = changes[seq - 1]!;
            expect(changeOf(entry, seq)).toMatchObject(facts);
          }
        }
      }),
    );
  });

  test("[HI18] takes a few bytes an edit", () => {
    const words = "the quick brown fox jumps over the lazy dog and runs away from it again ";
    const changes = Array.from({ length: 10_000 }, (_, i): ChangeRecord => {
      const splices = [{ from: i, to: i, insert: words[i % words.length]! }];
      const who = { author: "alice", agent: "owner/alice", origin: "agent" as const };
      const sha256 = i.toString(16).padStart(64, "0");
      return { seq: i, id: changeId(i, TAIL), ...who, time: 1e12 + 90 * i, splices, removed: [""], sha256 };
    });
    const { size, bytes } = packOf(packedOf(runsOf(changes, new Set())));
    expect(size).toBeLessThan(40);
    expect(bytes.length / changes.length).toBeLessThan(0.7);
  });

  test("[HI12] is not packed with changes that do not follow one another", () => {
    const [one, , three] = typed([
      [0, 0, "a"],
      [1, 0, "b"],
      [2, 0, "c"],
    ]).changes;
    expect(() => packOf(packedOf([[one!], [three!]]))).toThrow(RangeError);
    expect(() => packOf(packedOf([[one!, three!]]))).toThrow(RangeError);
  });
});

test("[HI38] changes that are folded while the history is read are all read, once", async () => {
  const bench = new Typing("");
  await bench.types(ALICE, 0, "alice types this slowly, and then some more of it");
  const { id, head } = await bench.passing(bench.document("a.md"));
  const { store } = bench.workspace.ports;
  const read = timeline(store, [store.document(id)!]);
  const seqs: number[] = [];
  const next = async () => {
    const { value } = await read.next();
    if (value === undefined) return false;
    for (let seq = firstSeqOf(value.change); seq <= value.change.seq; seq++) seqs.push(seq);
    return true;
  };
  for (let i = 0; i < 10; i++) await next();
  await bench.rests();
  expect([...store.changes(id)].length).toBe(2);
  while (await next());
  expect(seqs.sort((a, b) => a - b)).toEqual(Array.from({ length: head.seq + 1 }, (_, seq) => seq));
});
