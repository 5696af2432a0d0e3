import { describe, expect, test } from "vitest";
import type { Document } from "../../src/workspace/document/document.ts";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { ALICE, accepted } from "./harness.ts";
import { Machine } from "./machine.ts";

/** More than the time until a missing file is looked for elsewhere, in milliseconds. */
const GRACE_MS = 5_000;

const passes = async (machine: Machine, ms = 1_000) => {
  for (let waited = 0; waited < ms; waited += 100) {
    await machine.flush();
    await machine.clock.advance(100);
  }
};

test("[I6h] a save after a crash that returns to the first text is named, though edits waited beside the save before", async () => {
  const machine = new Machine("one\n");
  const document = await machine.appended("alice's\n");
  // The second edit waits for the store, and so is not in the file that a person saves.
  void machine.append("waiting\n");
  await machine.settled();
  machine.disk.save("a.md", "saved\none\nalice's\n");
  const taking = document.mirror.fresh();
  await machine.clock.advance(100);
  await taking;
  expect(document.head).toMatchObject({ origin: "disk", beside: { authors: ["alice"] } });
  await machine.killed(machine.store.waiting);
  machine.disk.save("a.md", "one\n");
  const events: WorkspaceEvent[] = [];
  machine.workspace.listen((event) => events.push(event));
  await machine.document();
  await passes(machine);
  expect(machine.disk.text("a.md")).toBe("one\nwaiting\n");
  expect(events).toContainEqual(expect.objectContaining({ type: "superseded", authors: ["alice"] }));
});

describe("[DC48] the file of a save whose next version the daemon has noted is known after a crash", () => {
  /** The save, and the note of the version with the edit that the saved file lacks. */
  const WRITES = 4;

  /** Returns a document with an edit that is not in its file. */
  async function edited(machine: Machine): Promise<Document> {
    const document = await machine.document();
    machine.disk.full = true;
    const edit = machine.append("alice's\n");
    await machine.settled();
    accepted(await machine.flushed(edit));
    await machine.flush();
    return document;
  }

  /** Takes in a save, which the store keeps as the daemon dies, with the other writes that wait. */
  async function savedAndKilled(machine: Machine, { mirror }: Document): Promise<void> {
    machine.disk.full = false;
    machine.disk.save("a.md", "saved\none\n");
    const taking = mirror.fresh();
    await machine.clock.advance(GRACE_MS);
    await taking;
    await machine.settled();
    await machine.killed(WRITES);
  }

  /** Returns where the daemon finds a document, and with which text. */
  async function found(machine: Machine, { id }: Document): Promise<readonly unknown[]> {
    const opening = machine.workspace.openedById(id);
    await passes(machine, GRACE_MS);
    const { path, deleted, text } = accepted((await machine.flushed(opening))!);
    return [path, deleted, text.toString()];
  }

  test("where somebody moved it", async () => {
    const machine = new Machine("one\n");
    const document = await edited(machine);
    await savedAndKilled(machine, document);
    machine.disk.move("a.md", "b.md");
    expect(await found(machine, document)).toEqual(["b.md", false, "saved\none\nalice's\n"]);
  });

  test("and its deletion, though its document had been deleted before", async () => {
    const machine = new Machine("one\n");
    const document = await edited(machine);
    accepted(await machine.flushed(machine.workspace.remove(ALICE, document)));
    await machine.flush();
    await savedAndKilled(machine, document);
    machine.disk.remove("a.md");
    expect(await found(machine, document)).toEqual(["a.md", true, "saved\none\nalice's\n"]);
  });
});
