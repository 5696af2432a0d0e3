import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Actor } from "../../src/workspace/access/actor.ts";
import type { EditRequest } from "../../src/workspace/edits/request.ts";
import { GuardedWorkspace } from "../../src/workspace/folder/guarded-workspace.ts";
import { isRefusal, Refusal } from "../../src/workspace/outcome/refusal.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { seqOf } from "../../src/workspace/versions/version.ts";
import { ALICE, accepted, Bench, BOB } from "./harness.ts";
import { Machine } from "./machine.ts";

const PATH = "a.md";
const START = "one two three\nfour 😀 five\n";

/** An edit at a place, as a share of the text; `null` instead of a text quotes one that is not there. */
interface Typed {
  readonly by: "alice" | "bob";
  readonly at: number;
  readonly removed: number;
  readonly text: string | null;
  readonly ack: "durable" | "mirrored";
}

/** Edits that are sent at once, and what happens once all are answered. */
interface Burst {
  readonly edits: readonly Typed[];
  readonly next: "nothing" | "undo" | "save" | "restart";
}

const typed: fc.Arbitrary<Typed> = fc.record({
  by: fc.constantFrom("alice", "alice", "bob"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.constantFrom(0, 0, 0, 1, 3),
  text: fc.constantFrom("a", "b c", "é", "😀", "\n", "", null),
  ack: fc.constantFrom("durable", "mirrored"),
});
const burst: fc.Arbitrary<Burst> = fc.record({
  edits: fc.array(typed, { minLength: 1, maxLength: 8 }),
  next: fc.constantFrom("nothing", "nothing", "undo", "save", "restart"),
});

function requestOf({ at, removed, text, ack }: Typed): Omit<EditRequest, "kind"> {
  if (text === null) return { path: PATH, ack, plan: planReplace("not in the text", "x", "unique") };
  const plan: EditRequest["plan"] = ({ text: { chars } }) => {
    const from = Math.round(at * chars);
    return { splices: [{ from, to: Math.min(chars, from + removed), insert: text }] };
  };
  return { path: PATH, ack, plan };
}

/** Plays bursts, each with all of its edits at once or one after the other. Returns all that the API tells of them. */
async function played(bursts: readonly Burst[], atOnce: boolean) {
  const bench = new Bench({ [PATH]: START });
  const actors: Record<Typed["by"], Actor> = { alice: ALICE, bob: BOB };
  const told: unknown[] = [];
  const make = async (edit: Typed) => {
    const made = await bench.edit(actors[edit.by], requestOf(edit));
    if (isRefusal(made)) return made.code;
    const { version, baseVersion, splices, sha256, summary, merged, before } = made;
    const plain = summary.replace(/version=\d+-\w+/, "");
    const mirrored = edit.ack === "durable" || made.changeId === null || made.mirrored;
    return {
      seq: seqOf(version),
      base: seqOf(baseVersion!),
      splices,
      sha256,
      plain,
      merged,
      mirrored,
      before: `${before}`,
    };
  };
  let joined = 0;
  for (const { edits, next } of bursts) {
    if (atOnce) told.push(...(await Promise.all(edits.map(make))));
    else for (const edit of edits) told.push(await make(edit));
    const document = await bench.document(PATH);
    await document.durable;
    joined += bench.workspace.ports.store.journal(document.id).filter(({ updates }) => updates.joined).length;
    await document.mirror.reached(document.head.seq);
    if (next === "undo") {
      const undone = await bench.undo(ALICE);
      told.push(undone instanceof Refusal ? undone.code : undone.splices);
    } else if (next === "save") bench.save(PATH, `${bench.read(PATH)}saved\n`);
    else if (next === "restart") await bench.restart();
    told.push(await bench.text(PATH));
  }
  const document = await bench.document(PATH);
  const history = new GuardedWorkspace(bench.workspace, ALICE, "read");
  const { changes } = accepted(await bench.history.list(history, { path: PATH, limit: 200 }));
  const rows = changes.map(({ author, origin, added, removed, version }) => ({
    author,
    origin,
    added,
    removed,
    seq: seqOf(version),
  }));
  const texts = Array.from({ length: document.head.seq + 1 }, (_, seq) => `${document.versions.textAt(seq)}`);
  const events = bench.events.flatMap((event) =>
    event.type === "changed"
      ? [[seqOf(event.version), seqOf(event.previous), event.sha256, event.splices]]
      : [],
  );
  await bench.end();
  return { told, rows, texts, events, joined };
}

describe("edits of one author that wait together", () => {
  test("[ED17, ED18] have the answers, versions, history, events and undos of edits one after the other", async () => {
    let joined = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 5 }), async (bursts) => {
        const { joined: apart, ...expected } = await played(bursts, false);
        const { joined: together, ...found } = await played(bursts, true);
        expect(found).toEqual(expected);
        expect(apart).toBe(0);
        joined += together;
      }),
      { numRuns: 60 },
    );
    expect(joined).toBeGreaterThan(100);
  });

  test("[ED17] have one update in the journal, in which no other author's edit is", async () => {
    const bench = new Bench({ [PATH]: START });
    const actors = [ALICE, ALICE, ALICE, BOB, BOB, ALICE, ALICE];
    const append = { path: PATH, plan: planAppend("x"), ack: "durable" as const };
    await Promise.all(actors.map((actor) => bench.edit(actor, append)));
    const { id } = await bench.document(PATH);
    const journal = bench.workspace.ports.store.journal(id);
    const whole = journal.flatMap(({ change, updates }) => (updates.joined ? [] : [change.seq]));
    expect(whole).toEqual(expect.arrayContaining([3, 5, 7]));
    expect(whole.length).toBeLessThan(actors.length);
  });

  test("[ED17] reach the file together", async () => {
    const bench = new Bench({ [PATH]: START });
    const append = { path: PATH, plan: planAppend("x") };
    const made = await Promise.all([1, 2, 3, 4, 5].map(() => bench.edit(ALICE, append)));
    expect(made.map((one) => accepted(one).mirrored)).toEqual([true, true, true, true, true]);
    expect(bench.read(PATH)).toBe(`${START}xxxxx`);
  });

  test("[ED18] survive a crash all or none, and a repeated opId gets its own answer", async () => {
    const found = new Set<string>();
    for (let kept = 0; kept <= 6; kept++) {
      const machine = new Machine("start\n");
      await machine.document();
      const marks = ["1", "2", "3"];
      const append = (mark: string) => machine.append(mark, { opId: mark });
      const sent = Promise.allSettled(marks.map(append));
      await machine.settled();
      await machine.killed(kept);
      await sent;
      found.add(await machine.text());
      const again = await machine.flushed(Promise.all(marks.map(append)));
      expect(again.map((answer) => seqOf(accepted(answer).version))).toEqual([1, 2, 3]);
      expect(await machine.text()).toBe("start\n123");
    }
    // The file's write took the first edit with it; the other two wait together.
    expect(found).toEqual(new Set(["start\n", "start\n1", "start\n123"]));
  });
});
