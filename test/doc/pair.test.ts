import fc from "fast-check";
import { decodeImportBlobMeta, LoroDoc } from "loro-crdt";
import { describe, expect, test, vi } from "vitest";
import { Pair } from "../../src/doc/pair.ts";
import { newPeer } from "../../src/doc/peers.ts";
import { Replica } from "../../src/doc/replica.ts";
import { diff } from "../../src/text/diff/diff.ts";
import { wordsOf } from "../../src/text/merge/tokens.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";
import { edit, splicesFor, unicode } from "../text/language.ts";

let count = 0;
const peer = () => newPeer(() => new Uint8Array([1, 2, 3, 4, 5, ++count >> 8, count & 255, 0]));
const peers = () => ({ disk: peer(), memory: peer() });
const pairOf = (text: string) => Pair.create(peer(), Text.of(text));

/** Returns memory after an agent's edit and an outside save of the same text (both in the edit language). */
function both(agent: string, saved: string): { memory: string; disk: string; pair: Pair } {
  const ours = edit(agent);
  const theirs = edit(saved);
  const pair = pairOf(ours.base);
  pair.edit(peer(), ours.splices);
  pair.takeIn(peers(), Text.of(theirs.base).splice(theirs.splices));
  return { memory: pair.memory.toString(), disk: pair.disk.toString(), pair };
}

describe("the pair", () => {
  test("[I1] the disk replica imports memory's edit only after it landed", () => {
    const pair = pairOf("one two\n");
    pair.edit(peer(), edit("one [two|2]\n").splices);
    expect([pair.memory.toString(), pair.disk.toString(), pair.pending]).toEqual(["one 2\n", "one two\n", 1]);
    pair.landed(1);
    expect([pair.disk.toString(), pair.pending]).toEqual(["one 2\n", 0]);
  });

  test("[I1] saves before, beside and after the first edit reach both replicas", () => {
    const pair = pairOf("one\ntwo\nthree\n");
    const author = peers();
    pair.takeIn(author, Text.of("ONE\ntwo\nthree\n"));
    pair.edit(peer(), edit("ONE\n[two|TWO]\nthree\n").splices);
    expect([pair.memory.toString(), pair.disk.toString()]).toEqual([
      "ONE\nTWO\nthree\n",
      "ONE\ntwo\nthree\n",
    ]);
    pair.takeIn(author, Text.of("ONE\ntwo\nTHREE\n"));
    expect([pair.memory.toString(), pair.disk.toString()]).toEqual([
      "ONE\nTWO\nTHREE\n",
      "ONE\ntwo\nTHREE\n",
    ]);
    pair.landed(pair.pending);
    pair.takeIn(author, Text.of("ONE\nTWO\nTHREE\nfour\n"));
    const again = Pair.restore(pair.save({ shallow: false }), [], 0);
    for (const text of [pair.memory, pair.disk, again.memory, again.disk])
      expect(text.toString()).toBe("ONE\nTWO\nTHREE\nfour\n");
  });

  test("[DO18] the disk replica is loaded for a save beside an edit, and not for many saves", () => {
    const versions = ["line\n", `line\n${"added ".repeat(8000)}\n`].map(Text.of);
    const loads = vi.spyOn(Replica, "load");
    const pair = Pair.create(peer(), versions[0]!);
    const author = peers();
    for (let i = 1; i <= 100; i++) pair.takeIn(author, versions[i % 2]!);
    expect(loads).toHaveBeenCalledTimes(1);
    pair.edit(peer(), [{ from: 0, to: 0, insert: "the edit\n" }]);
    pair.takeIn(author, versions[1]!);
    expect(loads).toHaveBeenCalledTimes(2);
    expect(pair.memory.toString()).toBe(`the edit\n${versions[1]}`);
    expect(pair.disk.toString()).toBe(versions[1]!.toString());
  });

  test("[I1] a save concurrent with a pending edit deletes no part of the edit", () => {
    const { memory, disk } = both("[one|ONE]\ntwo\n", "one\n[two|TWO]\n");
    expect([memory, disk]).toEqual(["ONE\nTWO\n", "one\nTWO\n"]);
  });

  test("[LW34] stores a short update of another replica as it came, and of a snapshot what was missing", () => {
    const pair = pairOf("one\n");
    const { lacking } = pair.shared(new Map());
    const other = new LoroDoc();
    other.import((lacking as { bytes: Uint8Array }).bytes);
    const append = (line: string) => {
      const from = other.version();
      other.getText("content").insert(other.getText("content").length, line);
      other.commit();
      return other.export({ mode: "update", from });
    };
    const update = append("two\n");
    expect(pair.receive([update])?.updates.memory).toEqual(update);
    expect(pair.receive([update])).toBeUndefined();
    append("three\n");
    const received = pair.receive([other.export({ mode: "snapshot" })]);
    expect(pair.memory.toString()).toBe("one\ntwo\nthree\n");
    expect(decodeImportBlobMeta(received!.updates.memory!, true).mode).toBe("update");
  });

  test("[I4] an imported save leaves no change to write", () => {
    const pair = pairOf("one\n");
    pair.takeIn(peers(), Text.of("one\ntwo\n"));
    expect([pair.memory.toString(), pair.pending]).toEqual(["one\ntwo\n", 0]);
  });

  test("[I7] an identical edit of both sides is applied once, beside other edits", () => {
    const { memory, pair } = both("[|new\n]a\nb[|!]\n", "[|new\n]a\nb\n");
    expect(memory).toBe("new\na\nb!\n");
    pair.landed(pair.pending);
    expect(pair.disk.toString()).toBe("new\na\nb!\n");
  });

  test("[I7] text that both sides left in lines that they wrote anew, many times as long, is there once", () => {
    const many = (name: string) => Array.from({ length: 20 }, (_, i) => `«${name}:${i}»`).join(" ");
    const longer = (name: string) =>
      `one: ${many(`${name}1`)}\ntwo: ${many(`${name}2`)} «a:42»\nthree: ${many(`${name}3`)}\n`;
    const base = "one:\ntwo: «a:42»\nthree:\n";
    const pair = pairOf(base);
    pair.edit(peer(), diff(base, longer("agent")));
    pair.takeIn(peers(), Text.of(longer("disk")));
    const memory = pair.memory.toString();
    expect(memory.match(/«\w+:\d+»/g)).toHaveLength(121);
    expect(memory.split("«a:42»")).toHaveLength(2);
  });

  test("[I7] text that both sides left in a rewritten line is there once", () => {
    const pair = pairOf("see the [second item]\n [first item]\nend\n");
    pair.edit(peer(), [{ from: 7, to: 7, insert: "\nthen - [an agent's]\n" }]);
    const kept = pair.memory.toString().indexOf("[first");
    pair.edit(peer(), [{ from: kept, to: kept, insert: "[another's]\n" }]);
    pair.takeIn(peers(), Text.of("see the\nnow [mine]\n[second item]\n  [mine, too][first item]\nend\n"));
    for (const item of ["[second item]", "[first item]", "[mine]", "[mine, too]", "[an agent's]"])
      expect(pair.memory.toString().split(item)).toHaveLength(2);
  });

  test("[I1] replicas agree with the text after any sequence of edits, saves and landings", () => {
    const step = fc.record({
      kind: fc.constantFrom("edit", "save", "land"),
      seed: fc.nat(),
      insert: unicode({ maxLength: 3 }),
    });
    fc.assert(
      fc.property(unicode({ maxLength: 20 }), fc.array(step, { maxLength: 12 }), (start, steps) => {
        const pair = pairOf(start);
        for (const { kind, seed, insert } of steps) {
          const text = kind === "edit" ? pair.memory : pair.disk;
          const from = seed % (text.chars + 1);
          const splice = { from, to: Math.min(text.chars, from + (seed % 3)), insert };
          if (kind === "land") pair.landed(pair.pending);
          else if (kind === "save") pair.takeIn(peers(), text.splice([splice]));
          else if (splice.from < splice.to || insert !== "") pair.edit(peer(), [splice]);
        }
        pair.landed(pair.pending);
        expect(pair.disk.toString()).toBe(pair.memory.toString());
        pair.close();
      }),
      { numRuns: times(35, 2_000) },
    );
  });

  test("[ED16] an edit beside the space that a save removed becomes no part of the word before it", () => {
    const { memory } = both("one [|x]^7.1.0\n", "one[ |]^7.1.0\n");
    expect(memory).toBe("one x ^7.1.0\n");
  });

  test("[ED16] a save beside pending edits makes no word or number of two", () => {
    const word = fc.constantFrom("one", "two", "12", "^7.1.0", "^7.1.20", "2026-11-22", "a.b", "\n");
    const edit = fc.record({
      at: fc.nat(60),
      size: fc.nat(4),
      insert: fc.constantFrom("", "3", "x", " 4 ", "2.0"),
    });
    const sides = fc.tuple(fc.array(edit, { minLength: 1, maxLength: 3 }), fc.array(edit, { maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), sides, (words, [pending, saved]) => {
        const change = (text: Text, { at, size, insert }: { at: number; size: number; insert: string }) => {
          const from = at % (text.chars + 1);
          return { from, to: Math.min(text.chars, from + size), insert };
        };
        const pair = pairOf(words.join(" "));
        const known = pair.disk;
        for (const one of pending) {
          const splice = change(pair.memory, one);
          if (splice.from < splice.to || splice.insert !== "") pair.edit(peer(), [splice]);
        }
        const before = pair.memory;
        const save = saved.reduce((text, one) => text.splice([change(text, one)]), known);
        pair.takeIn(peers(), save);
        const sources = [known, before, save].map(String);
        const made = new Set(sources.flatMap(wordsOf));
        expect(wordsOf(pair.memory.toString()).filter((token) => !made.has(token))).toEqual([]);
        pair.close();
      }),
      { numRuns: times(100, 10_000) },
    );
  });

  test("[I2] a pair is restored from its snapshot and journal, with the changes that had not landed pending", () => {
    const pair = pairOf("one\ntwo\n");
    const saved = pair.save({ shallow: false });
    const first = pair.edit(peer(), edit("[one|ONE]\ntwo\n").splices).updates;
    pair.landed(1);
    const second = pair.edit(peer(), edit("ONE\n[two|TWO]\n").splices).updates;
    const journal = [
      { seq: 1, updates: first },
      { seq: 2, updates: second },
    ];
    const restored = Pair.restore(saved, journal, 1);
    expect([restored.memory.toString(), restored.disk.toString(), restored.pending]).toEqual([
      "ONE\nTWO\n",
      "ONE\ntwo\n",
      1,
    ]);
  });

  test("[I2] a pair with any text is the same after saving and restoring", () => {
    fc.assert(
      fc.property(
        unicode({ maxLength: 30, repeat: 500 }).chain((s) => fc.tuple(fc.constant(s), splicesFor(s))),
        ([s, splices]) => {
          const pair = pairOf(s);
          if (splices.length > 0) pair.takeIn(peers(), Text.of(s).splice(splices));
          expect(Pair.restore(pair.save({ shallow: false }), [], 0).memory.toString()).toBe(
            pair.memory.toString(),
          );
        },
      ),
      { numRuns: times(10, 500) },
    );
  });
});
