import { setImmediate } from "node:timers/promises";
import { LoroDoc } from "loro-crdt";
import { CrdtType, JoinErrorCode, MessageType, RoomErrorCode, UpdateStatusCode } from "loro-protocol";
import { describe, expect, test, vi } from "vitest";
import { type Appended, StoreError } from "../../src/store/store.ts";
import { Rights } from "../../src/workspace/access/rights.ts";
import { ALICE, accepted, Bench, BOB } from "../workspace/harness.ts";
import { editOf, insertion, LoroTalk } from "./loro-talk.ts";

const { Ok, InvalidUpdate, PermissionDenied, PayloadTooLarge, FragmentTimeout } = UpdateStatusCode;

const textOf = (doc: LoroDoc) => doc.getText("content").toString();

const at0 = (insert: string) => ({ path: "a.md", plan: () => ({ splices: [{ from: 0, to: 0, insert }] }) });

async function joined(text: string, limits = {}): Promise<{ bench: Bench; talk: LoroTalk; doc: LoroDoc }> {
  const bench = new Bench({ "a.md": text }, limits);
  const talk = new LoroTalk(bench);
  return { bench, talk, doc: await talk.join("a.md") };
}

describe("an update", () => {
  test("[LW1] is acknowledged once the store has it", async () => {
    const { bench, talk, doc } = await joined("text\n");
    const { store } = bench.workspace.ports;
    let release = () => {};
    const flushed = new Promise<void>((done) => {
      release = done;
    });
    const append = store.append.bind(store);
    const asked = vi.spyOn(store, "append").mockImplementation(async (...parts: readonly Appended[]) => {
      await flushed;
      return append(...parts);
    });
    const answer = talk.update("a.md", insertion(doc, 0, "x"));
    await expect.poll(() => asked.mock.calls.length).toBe(1);
    expect(talk.sent.some(({ type }) => type === MessageType.Ack)).toBe(false);
    release();
    expect(await answer).toBe(Ok);
    const [newest] = store.changes((await bench.document("a.md")).id, { limit: 1 });
    expect(newest).toMatchObject({ author: "owner", agent: "owner/owner", origin: "remote" });
  });

  test("[LW19] sent again is acknowledged and applied once", async () => {
    const { bench, talk, doc } = await joined("text\n");
    const update = insertion(doc, 0, "x");
    expect([await talk.update("a.md", update), await talk.update("a.md", update)]).toEqual([Ok, Ok]);
    expect(await bench.text("a.md")).toBe("xtext\n");
  });

  test("[LW21] goes to the other clients and not back to its author", async () => {
    const { bench, talk, doc } = await joined("text\n");
    const other = new LoroTalk(bench);
    const theirs = await other.join("a.md");
    const heard = other.sent.length;
    const sent = talk.sent.length;
    await talk.update("a.md", insertion(doc, 0, "x"));
    await expect.poll(() => other.sent.length).toBe(heard + 1);
    other.catchUp(theirs, heard);
    expect(textOf(theirs)).toBe("xtext\n");
    expect(talk.sent.slice(sent).map(({ type }) => type)).toEqual([MessageType.Ack]);
  });

  test("[LW21, ED17] reaches a client that lacks joined edits: they come to it as well", async () => {
    const { bench, talk, doc } = await joined("text\n");
    const other = new LoroTalk(bench);
    const theirs = await other.join("a.md");
    // The agent's edits wait to be joined for one turn of the event loop. The update comes at each moment of it.
    for (let moment = 0; moment < 40; moment++) {
      const [sent, heard] = [talk.sent.length, other.sent.length];
      const answer = talk.update("a.md", insertion(doc, 0, "x"));
      for (let i = 0; i < moment; i++) await undefined;
      const edits = [at0("1"), at0("2")].map((edit) => bench.edit(ALICE, { ...edit, ack: "durable" }));
      expect(await answer).toBe(Ok);
      for (const made of await Promise.all(edits)) accepted(made);
      const text = await bench.text("a.md");
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      talk.catchUp(doc, sent);
      other.catchUp(theirs, heard);
      expect([textOf(doc), textOf(theirs)]).toEqual([text, text]);
    }
  });

  test("[LW3] is a change that is undone by itself, also after a restart", async () => {
    const { bench, talk, doc } = await joined("text\n");
    await talk.update("a.md", insertion(doc, 0, "one "));
    await talk.update("a.md", insertion(doc, 9, "two\n"));
    await bench.restart();
    const [, first] = [
      ...bench.workspace.ports.store.changes((await bench.document("a.md")).id, { limit: 2 }),
    ];
    accepted(await bench.undo(ALICE, { changeId: first!.id }));
    expect(await bench.text("a.md")).toBe("text\ntwo\n");
    const again = await new LoroTalk(bench).join("a.md", doc);
    expect(textOf(again)).toBe("text\ntwo\n");
  });

  test("[LW22] its peer belongs to its agent for good; the daemon's and another agent's are refused", async () => {
    const { bench, talk, doc } = await joined("text\n");
    accepted(await bench.edit(BOB, at0("b")));
    await talk.update("a.md", insertion(doc, 0, "x"));
    await bench.restart();
    const again = new LoroTalk(bench);
    const newest = await again.join("a.md", new LoroDoc());
    expect(await again.update("a.md", insertion(await again.join("a.md", doc), 0, "y"))).toBe(Ok);
    const other = new LoroTalk(bench, { name: "other", rights: ALICE.rights });
    for (const peer of newest.version().toJSON().keys()) {
      const forged = await other.join("a.md");
      forged.setPeerId(peer);
      expect(await other.update("a.md", insertion(forged, 0, "forged"))).toBe(PermissionDenied);
    }
    const bob = new LoroTalk(bench);
    const asBob = await bob.join("a.md", new LoroDoc(), "bob");
    const bobs = [...asBob.version().toJSON().keys()].find((peer) => {
      const known = bench.workspace.ports.store.peer(peer);
      return known?.agent === "owner/bob";
    });
    asBob.setPeerId(bobs!);
    expect(await bob.update("a.md", insertion(asBob, 0, "forged"))).toBe(PermissionDenied);
    expect([...(await bench.text("a.md"))].sort().join("")).toBe([..."yxbtext\n"].sort().join(""));
  });

  test.each<[string, (doc: LoroDoc) => void]>([
    ["a NUL", (doc) => doc.getText("content").insert(0, "\0")],
    ["another container", (doc) => doc.getMap("m").set("k", 1)],
  ])("[LW11] with %s is refused, and the next of somebody else is made", async (_what, change) => {
    const { bench, talk, doc } = await joined("text\n");
    expect(await talk.update("a.md", editOf(doc, change))).toBe(InvalidUpdate);
    expect(await bench.text("a.md")).toBe("text\n");
    const other = new LoroTalk(bench);
    expect(await other.update("a.md", insertion(await other.join("a.md"), 0, "x"))).toBe(Ok);
  });

  test("[LW11] past the size limit is refused; one that shrinks the document is applied", async () => {
    const { bench, talk, doc } = await joined(`${"x".repeat(90)}\n`, { maxFileBytes: 100 });
    const other = new LoroTalk(bench);
    expect(await other.update("a.md", insertion(await other.join("a.md"), 0, "y".repeat(20)))).toBe(
      PayloadTooLarge,
    );
    const replaced = editOf(doc, () => {
      doc.getText("content").delete(0, 50);
      doc.getText("content").insert(0, "y".repeat(50));
    });
    expect(await talk.update("a.md", replaced)).toBe(Ok);
    expect(await bench.text("a.md")).toBe(`${"y".repeat(50)}${"x".repeat(40)}\n`);
  });

  test("[LW25] that depends on missing updates is refused, and its client asked to join again", async () => {
    const { bench, talk, doc } = await joined("text\n");
    insertion(doc, 0, "lost ");
    const ahead = insertion(doc, 0, "ahead ");
    const told = talk.next(MessageType.RoomError, () => undefined);
    expect(await talk.update("a.md", ahead)).toBe(InvalidUpdate);
    expect(await told).toMatchObject({ code: RoomErrorCode.RejoinSuggested });
    const answer = await talk.next(MessageType.JoinResponseOk, () =>
      talk.ask("a.md", doc.version().encode()),
    );
    expect(answer.permission).toBe("write");
    expect(await talk.update("a.md", doc.export({ mode: "update" }))).toBe(Ok);
    expect(await bench.text("a.md")).toBe("ahead lost text\n");
  });

  test("[LW11] of a read-only file, or without having joined, is refused", async () => {
    const { bench, talk, doc } = await joined("text\n");
    expect(await new LoroTalk(bench).update("a.md", insertion(doc, 0, "x"))).toBe(PermissionDenied);
    bench.chmod("a.md", 0o444);
    expect(await talk.update("a.md", doc.export({ mode: "update" }))).toBe(PermissionDenied);
    expect(bench.read("a.md")).toBe("text\n");
  });
});

describe("fragments", () => {
  const header = (talk: LoroTalk, fragmentCount: number, totalSizeBytes: number) => {
    const batchId = talk.newBatchId();
    const about = { crdt: CrdtType.Loro, roomId: "a.md", batchId } as const;
    talk.send({ type: MessageType.DocUpdateFragmentHeader, ...about, fragmentCount, totalSizeBytes });
    return about;
  };

  test("[LW12] are joined in any order, and a long answer is sent in fragments", async () => {
    const { bench, talk, doc } = await joined("text\n");
    const update = editOf(doc, () => {
      for (let i = 0; i < 50; i++) doc.getText("content").insert(0, "long ".repeat(1600));
    });
    const third = Math.ceil(update.length / 3);
    const about = header(talk, 3, update.length);
    const ack = await talk.next(MessageType.Ack, () => {
      for (const index of [2, 0, 1]) {
        const fragment = update.slice(index * third, (index + 1) * third);
        talk.send({ type: MessageType.DocUpdateFragment, ...about, index, fragment });
      }
    });
    expect(ack).toMatchObject({ status: Ok, refId: about.batchId });
    const late = new LoroTalk(bench);
    await late.next(MessageType.JoinResponseOk, () => late.ask("a.md"));
    const [first] = late.sent.filter(({ type }) => type === MessageType.DocUpdateFragmentHeader);
    const parts = late.sent.flatMap((m) => (m.type === MessageType.DocUpdateFragment ? [m.fragment] : []));
    expect(first).toMatchObject({ fragmentCount: parts.length });
    const theirs = new LoroDoc();
    theirs.import(Buffer.concat(parts));
    expect(textOf(theirs)).toBe(textOf(doc));
  });

  test.each<[string, number, number, number]>([
    ["are too many bytes", 2, 1 << 30, PayloadTooLarge],
    ["are too many", 5000, 10_000, PayloadTooLarge],
    ["are none", 0, 10, InvalidUpdate],
  ])("[LW26] that %s are refused at once", async (_what, count, bytes, status) => {
    const { talk } = await joined("text\n");
    expect(await talk.next(MessageType.Ack, () => void header(talk, count, bytes))).toMatchObject({ status });
  });

  test("[LW26] that arrive twice, or differ from their header, are refused", async () => {
    const { talk } = await joined("text\n");
    for (const index of [0, 7]) {
      const about = header(talk, 2, 10);
      const fragment = new Uint8Array(5);
      const ack = await talk.next(MessageType.Ack, () => {
        for (const at of [0, index])
          talk.send({ type: MessageType.DocUpdateFragment, ...about, index: at, fragment });
      });
      expect(ack.status).toBe(InvalidUpdate);
    }
  });

  test("[LW26] that do not arrive in time are dropped", async () => {
    const { talk } = await joined("text\n");
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      header(talk, 2, 10);
      vi.advanceTimersByTime(10_000);
    } finally {
      vi.useRealTimers();
    }
    expect(talk.sent.at(-1)).toMatchObject({ type: MessageType.Ack, status: FragmentTimeout });
  });
});

describe("joining", () => {
  const refusal = (talk: LoroTalk, ...asked: Parameters<LoroTalk["ask"]>) =>
    talk.next(MessageType.JoinError, () => talk.ask(...asked));

  test("[LW5] is refused with the protocol's code, the daemon's code, and advice", async () => {
    const talk = new LoroTalk(new Bench({}));
    expect(await refusal(talk, "none.md")).toMatchObject({
      code: JoinErrorCode.AppError,
      appCode: "NOT_FOUND",
      message: expect.stringContaining("doc.list"),
    });
    expect((await refusal(talk, "a.md", undefined, "", CrdtType.Yjs)).message).toMatch(/%YJS.*%LOR or %EPH/);
  });

  test("[NM2] a name like the daemon's own gets the kind of client behind it", async () => {
    const bench = new Bench({ "a.md": "" });
    for (const [name, shown] of [
      ["disk\u200b", "disk (loro)"],
      ["x".repeat(10_000), "x".repeat(100)],
    ]) {
      const talk = new LoroTalk(bench);
      const doc = await talk.join("a.md", new LoroDoc(), name);
      await talk.update("a.md", insertion(doc, 0, "hi"));
      expect((await bench.document("a.md")).head.author).toBe(shown);
    }
  });

  test("[LW4] returns the permission", async () => {
    const rights = new Rights([{ glob: "**", level: "append", conflict: "merge" }]);
    const talk = new LoroTalk(new Bench({ "a.md": "" }), { name: "guest", rights });
    const answer = await talk.next(MessageType.JoinResponseOk, () => talk.ask("a.md"));
    expect(answer.permission).toBe("read");
  });

  test("[LW13] with another document's history is refused: both texts would be in it", async () => {
    const { bench } = await joined("text\n");
    const stranger = new LoroDoc();
    insertion(stranger, 0, "text\n");
    const talk = new LoroTalk(bench);
    expect(await refusal(talk, "a.md", stranger.version().encode())).toMatchObject({ appCode: "CONFLICT" });
    expect((await refusal(talk, "a.md", Uint8Array.from([255, 255, 255, 255, 15]))).appCode).toBe(
      "INVALID_ARGUMENT",
    );
  });

  test("[LW13] with a history older than the stored one is refused; a new document joins", async () => {
    const bench = new Bench({ "a.md": "text\n" }, { keepHistoryMs: 1 });
    const doc = await new LoroTalk(bench).join("a.md");
    for (const insert of ["x", "y"]) accepted(await bench.edit(ALICE, at0(insert)));
    const document = await bench.document("a.md");
    await expect.poll(() => Date.now() - document.head.time).toBeGreaterThan(1);
    await expect.poll(() => document.mirror.sweep() ?? document.restful, { timeout: 5000 }).toBe(true);
    await document.compact({ leaving: true });
    await bench.workspace.drop(document);
    const talk = new LoroTalk(bench);
    expect(await refusal(talk, "a.md", doc.version().encode())).toMatchObject({ appCode: "STALE_VERSION" });
    const fresh = await talk.join("a.md");
    expect(textOf(fresh)).toBe("yxtext\n");
    expect(await talk.update("a.md", insertion(fresh, 0, "z"))).toBe(Ok);
    expect(await bench.text("a.md")).toBe("zyxtext\n");
  });

  test("[LW27] keeps the document with its whole history in memory until the last client leaves", async () => {
    const { bench, talk } = await joined("text\n");
    const { id } = await bench.document("a.md");
    expect(bench.workspace.updates.has(id)).toBe(true);
    talk.conversation.close();
    await expect.poll(() => bench.workspace.updates.has(id)).toBe(false);
  });
});

describe("a connection", () => {
  test("[LW29] answers ping, and is closed after an invalid message", async () => {
    const talk = new LoroTalk(new Bench({}));
    talk.conversation.receive("ping");
    expect(talk.said).toEqual(["pong"]);
    talk.conversation.receive(Uint8Array.from([1, 2, 3]));
    expect(talk.closed).toEqual([1002]);
  });

  test("[LW14] that sends faster than the store takes is held on the wire", async () => {
    const { bench, talk, doc } = await joined("");
    const { store } = bench.workspace.ports;
    const { append } = store;
    store.append = (...parts) => setImmediate().then(() => append.call(store, ...parts));
    const updates = Array.from({ length: 64 }, () => insertion(doc, 0, "x"));
    const answers = updates.map((update) => talk.update("a.md", update));
    expect(talk.held).toBe(true);
    await Promise.all(answers);
    await expect.poll(() => talk.held).toBe(false);
    expect(await bench.text("a.md")).toBe("x".repeat(64));
  });

  test("[LW28] that falls behind is asked to join again once it keeps up", async () => {
    const { bench, talk, doc } = await joined("text\n");
    const sent = talk.sent.length;
    talk.buffered = 9 << 20;
    for (const insert of ["1", "2"])
      accepted(
        await bench.edit(ALICE, { path: "a.md", plan: () => ({ splices: [{ from: 0, to: 0, insert }] }) }),
      );
    expect(talk.sent.length).toBe(sent);
    talk.buffered = 0;
    const told = await talk.next(MessageType.RoomError, () => talk.conversation.drained());
    expect(told.code).toBe(RoomErrorCode.RejoinSuggested);
    expect(textOf(await talk.join("a.md", doc))).toBe("21text\n");
  });

  test("[LW14] that sends requests without reading is held on the wire until it reads", async () => {
    const { talk } = await joined("text\n");
    talk.buffered = 9 << 20;
    const sent = talk.sent.length;
    talk.ask("a.md");
    await expect.poll(() => talk.held).toBe(true);
    expect(talk.sent).toHaveLength(sent);
    talk.buffered = 0;
    await talk.next(MessageType.JoinResponseOk, () => talk.conversation.drained());
    await expect.poll(() => talk.held).toBe(false);
  });

  test("[LW27] that ends while it joins leaves nothing in memory", async () => {
    const { bench, talk } = await joined("text\n");
    const { id } = accepted(await bench.workspace.open("a.md"));
    for (let i = 0; i < 3; i++) talk.ask("a.md");
    talk.conversation.close();
    const other = new LoroTalk(bench);
    for (let i = 0; i < 5; i++) await other.join("a.md");
    other.conversation.close();
    await expect.poll(() => bench.workspace.updates.has(id)).toBe(false);
  });

  test("[LW30] joins a hundred rooms at most", async () => {
    const files = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`${i}.md`, ""]));
    const talk = new LoroTalk(new Bench(files));
    for (let i = 0; i < 100; i++) await talk.join(`${i}.md`);
    const error = await talk.next(MessageType.JoinError, () => talk.ask("100.md"));
    expect(error.appCode).toBe("OVERLOADED");
  });
});

describe("an update that the store refuses", () => {
  test("[LW20] is refused, reverted, and applied when sent again", async () => {
    const { bench, talk, doc } = await joined("text\n");
    const { store } = bench.workspace.ports;
    const append = vi.spyOn(store, "append").mockRejectedValueOnce(new StoreError("full", "no space"));
    const update = insertion(doc, 0, "x");
    expect(await talk.update("a.md", update)).toBe(UpdateStatusCode.AppError);
    append.mockRestore();
    expect(await bench.text("a.md")).toBe("text\n");
    expect(await talk.update("a.md", update)).toBe(Ok);
    expect(await bench.text("a.md")).toBe("xtext\n");
  });
});
