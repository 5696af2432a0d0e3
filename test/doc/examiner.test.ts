import { EphemeralStore, LoroDoc } from "loro-crdt";
import { describe, expect, test } from "vitest";
import { ThreadExamination } from "../../src/doc/examination.ts";
import { Examiner } from "../../src/doc/examiner.ts";
import { limitMemory } from "../../src/doc/memory-cap.ts";
import { PresenceStore } from "../../src/doc/presence-store.ts";

const ROOM = "room";

function documentOf(text: string): LoroDoc {
  const doc = new LoroDoc();
  doc.getText("content").insert(0, text);
  doc.commit();
  return doc;
}

/** Returns an examiner with a loaded document. */
function examinerOf(doc: LoroDoc): Examiner {
  const examiner = new Examiner();
  examiner.load(ROOM, doc.export({ mode: "snapshot" }));
  return examiner;
}

/** Returns the update that a client with the document sends after a change. */
function changed(base: LoroDoc, change: (doc: LoroDoc) => void): Uint8Array {
  const doc = base.fork();
  const from = doc.version();
  change(doc);
  doc.commit();
  return doc.export({ mode: "update", from });
}

describe("an update from outside", () => {
  test("[LW11] that changes the text is sound, and its new encoding has the same effect", () => {
    const doc = documentOf("hello");
    const update = changed(doc, (one) => {
      one.getText("content").delete(0, 1);
      one.getText("content").insert(0, "Jä");
    });
    const finding = examinerOf(doc).examine(ROOM, [update]);
    if (finding.is !== "sound") throw new Error(finding.is);
    expect(finding).toMatchObject({ inserted: 3, removed: 1, peers: [expect.stringMatching(/^\d+$/)] });
    for (const part of finding.parts) doc.import(part);
    expect(doc.getText("content").toString()).toBe("Jäello");
  });

  test("[LW11] that was sent before is known", () => {
    const doc = documentOf("hello");
    const examiner = examinerOf(doc);
    const update = changed(doc, (one) => one.getText("content").insert(0, "x"));
    expect(examiner.examine(ROOM, [update]).is).toBe("sound");
    expect(examiner.examine(ROOM, [update]).is).toBe("known");
  });

  test("[LW25] whose dependencies are missing is incomplete", () => {
    const doc = documentOf("hello");
    const ahead = doc.fork();
    ahead.getText("content").insert(0, "lost");
    ahead.commit();
    const update = changed(ahead, (one) => one.getText("content").insert(0, "x"));
    expect(examinerOf(doc).examine(ROOM, [update]).is).toBe("incomplete");
  });

  test("[LW11] that builds on folded history is folded", () => {
    const doc = documentOf("hello");
    const update = changed(doc, (one) => one.getText("content").insert(0, "x"));
    for (let i = 0; i < 3; i++) {
      doc.getText("content").insert(0, "y");
      doc.commit();
    }
    const examiner = new Examiner();
    examiner.load(ROOM, doc.export({ mode: "shallow-snapshot", frontiers: doc.frontiers() }));
    expect(examiner.examine(ROOM, [update]).is).toBe("folded");
  });

  test.each<[string, RegExp, (doc: LoroDoc) => void]>([
    ["another container", /only the text/, (doc) => doc.getMap("m").set("k", 1)],
    ["another text", /only the text/, (doc) => doc.getText("other").insert(0, "x")],
    ["formatting", /formatting/, (doc) => doc.getText("content").mark({ start: 0, end: 1 }, "bold", true)],
    ["a NUL", /NUL/, (doc) => doc.getText("content").insert(0, "a\0b")],
    [
      "a NUL that it takes out again",
      /NUL/,
      (doc) => {
        doc.getText("content").insert(0, "\0");
        doc.getText("content").delete(0, 1);
      },
    ],
  ])("[LW11] with %s is unsound, and the replica is dropped", (_name, reason, change) => {
    const doc = documentOf("hello");
    const examiner = examinerOf(doc);
    expect(examiner.examine(ROOM, [changed(doc, change)])).toMatchObject({
      is: "unsound",
      reason: expect.stringMatching(reason),
    });
    expect(examiner.examine(ROOM, []).is).toBe("unloaded");
  });

  test.each<[string, (doc: LoroDoc) => Uint8Array]>([
    ["a snapshot", (doc) => doc.export({ mode: "snapshot" })],
    ["noise", () => new Uint8Array(50)],
    ["nothing", () => new Uint8Array()],
  ])("[LW11] that is %s is unsound", (_name, update) => {
    const doc = documentOf("hello");
    expect(examinerOf(doc).examine(ROOM, [update(doc.fork())]).is).toBe("unsound");
  });

  test("[LW11] is unsound as a whole when one of several is", () => {
    const doc = documentOf("hello");
    const good = changed(doc, (one) => one.getText("content").insert(0, "x"));
    const bad = changed(doc, (one) => one.getMap("m").set("k", 1));
    expect(examinerOf(doc).examine(ROOM, [good, bad]).is).toBe("unsound");
  });
});

describe("the examiner's memory", () => {
  /** (module (memory (export "m") 1)) */
  const MODULE = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 109, 2, 0]);
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: {
      Module: new (bytes: Uint8Array) => object;
      Instance: new (module: object) => { exports: { m: { grow(pages: number): number } } };
    };
  };
  const memoryOf = (bytes: Uint8Array) => new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.m;

  test("[LW33] cannot grow past its cap", () => {
    expect(memoryOf(MODULE).grow(300)).toBe(1);
    const memory = memoryOf(limitMemory(MODULE, 300));
    expect(memory.grow(299)).toBe(1);
    expect(() => memory.grow(1)).toThrow();
  });

  test("[LW33] refuses a second cap", () => {
    expect(() => limitMemory(limitMemory(MODULE, 300), 300)).toThrow(/already has a limit/);
    expect(() => limitMemory(MODULE.subarray(0, 8), 300)).toThrow(/no memory/);
  });
});

describe("the presence data of clients", () => {
  /** Waits, because updates within one millisecond have no order. */
  const nextMillisecond = () => {
    const began = Date.now();
    while (Date.now() === began);
  };
  const presenceOf = (entries: Record<string, string>): Uint8Array => {
    nextMillisecond();
    const store = new EphemeralStore(60_000);
    for (const [key, value] of Object.entries(entries)) store.set(key, value);
    const bytes = store.encodeAll();
    store.destroy();
    return bytes;
  };
  const entriesOf = (...updates: readonly Uint8Array[]): Record<string, unknown> => {
    const store = new EphemeralStore(60_000);
    for (const update of updates) store.apply(update);
    const states = store.getAllStates();
    store.destroy();
    return states;
  };

  test("[LW9] is sent to later clients, and removed with the client that first set it", () => {
    const store = new PresenceStore();
    expect(store.apply("one", presenceOf({ a: "1" }))).toBe(true);
    // A client that joins again sends all entries that it has.
    expect(store.apply("other", presenceOf({ a: "1", b: "2" }))).toBe(true);
    expect(entriesOf(store.all())).toEqual({ a: "1", b: "2" });
    const before = store.all();
    nextMillisecond();
    expect(entriesOf(before, ...store.end("one"))).toEqual({ b: "2" });
    expect(entriesOf(store.all())).toEqual({ b: "2" });
    store.close();
  });

  test("[LW17] cannot be changed or removed by another client", () => {
    const store = new PresenceStore();
    store.apply("one", presenceOf({ a: "1" }));
    expect(store.apply("other", presenceOf({ a: "not one" }))).toBe(false);
    const removing = new EphemeralStore(30_000);
    removing.apply(store.all());
    removing.delete("a");
    expect(store.apply("other", removing.encodeAll())).toBe(false);
    expect(entriesOf(store.all())).toEqual({ a: "1" });
    expect(store.apply("one", presenceOf({ a: "2" }))).toBe(true);
    expect(entriesOf(store.all())).toEqual({ a: "2" });
    store.close();
  });

  test("[LW24] is bounded, and noise is refused", () => {
    const store = new PresenceStore();
    expect(store.apply("one", presenceOf({ a: "1" }))).toBe(true);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, "x"]));
    expect(store.apply("one", presenceOf(many))).toBe(false);
    expect(store.apply("one", Uint8Array.from([1, 2, 3, 250]))).toBe(false);
    expect(entriesOf(store.all())).toEqual({ a: "1" });
    store.close();
  });
});

describe("an update of many operations", () => {
  test("[LW18] is split into parts, each of which builds only on earlier ones", () => {
    const base = documentOf("abc\n".repeat(2000));
    const examiner = examinerOf(base);
    const others = [1, 2].map(() => {
      const doc = new LoroDoc();
      doc.import(base.export({ mode: "snapshot" }));
      return doc;
    });
    for (let round = 0; round < 4; round++)
      for (const [i, doc] of others.entries()) {
        const text = doc.getText("content");
        for (let n = 0; n < 1500; n++) text.insert((n * 7919 + round) % text.length, "q");
        doc.commit();
        others[1 - i]!.import(doc.export({ mode: "update" }));
      }
    const update = others[0]!.export({ mode: "update", from: base.version() });
    const finding = examiner.examine(ROOM, [update]);
    if (finding.is !== "sound") throw new Error(finding.is);
    expect(finding.parts.length).toBeGreaterThan(2);
    for (const part of finding.parts) {
      const { pending } = base.import(part);
      expect(pending?.size ?? 0).toBe(0);
    }
    expect(base.getText("content").toString()).toBe(others[0]!.getText("content").toString());
  });
});

test("[DO4] a closed examiner starts no thread for later calls", async () => {
  const reports: string[] = [];
  const examination = new ThreadExamination((reason) => reports.push(reason));
  await examination.close();
  const begun: unknown[] = [];
  const listen = (worker: unknown) => begun.push(worker);
  process.on("worker", listen);
  expect(await examination.version(new Uint8Array([1]))).toBeUndefined();
  process.off("worker", listen);
  expect([begun, reports]).toEqual([[], []]);
});
