import { expect, test } from "vitest";
import { packer } from "../../src/link/base/packing.ts";
import { readLink, trustOf } from "../../src/link/members/link-file.ts";
import { MemberSealer } from "../../src/link/members/seal.ts";
import { encodeMessage, type RecordItem } from "../../src/link/messages/message.ts";
import type { GivenRecord } from "../../src/workspace/document/shared-records.ts";
import { Threads } from "../../src/workspace/threads/threads.ts";
import { accepted } from "../workspace/harness.ts";
import { ADA } from "./machines.ts";
import { SharedFolders } from "./shared-folders.ts";

/** Time in which machines exchange everything. */
const AWHILE_MS = 10_000;

/** A thread about a file that the second machine may not see, one about a file that it may, and what it can send. */
async function threads() {
  const folders = new SharedFolders();
  const ada = await folders.found("ada");
  const said = new Threads(ada.workspace);
  await ada.create("open/a.md", "one\n");
  await ada.create("shut/b.md", "two\n");
  const rules = [
    { glob: "open/**", level: "read" },
    { glob: "**", level: "none" },
  ] as const;
  const cem = await folders.join(ada, "cem");
  const bob = await folders.joinWith(await folders.invite(ada, [...rules]), "bob");
  const begin = async (path: string, text: string) => {
    const { id } = accepted(await folders.during(ada.workspace.open(path)));
    return accepted(await folders.during(said.append(ADA, { to: { docIds: [id] }, role: "user", text })));
  };
  const open = await begin("open/a.md", "about a");
  const shut = await begin("shut/b.md", "about b");
  await folders.run(AWHILE_MS);
  const record = readLink(bob.file)!;
  const sealer = new MemberSealer({ ...record, ...trustOf(record) });
  const own = () => folders.broker.memory.log.filter(({ machine }) => machine === bob.id);
  await folders.during(bob.machines.close());
  const send = async (id: string, given: GivenRecord) => {
    const number = 1 + Math.max(0, ...own().map((one) => one.number));
    const stamp = { lamport: 1_000, machine: bob.id };
    const item: RecordItem = { is: "record", kind: "message", id, stamp, given };
    folders.broker.store(bob.id, number, sealer.seal(number, encodeMessage({ after: {}, items: [item] })));
    await folders.run(AWHILE_MS);
  };
  const texts = async (thread: string) => {
    const { messages } = accepted(await folders.during(said.get(ADA, thread)));
    return messages.map(({ text }) => text);
  };
  const word = async (value: object) => {
    await folders.during(cem.carrier.say(bob.id, sealer.seal(0, packer.encode(value))));
    await folders.run(100);
  };
  return { said, open, shut, send, texts, word };
}

const message = (id: string, text: string) =>
  ({ id, role: "user", text, author: "bob", time: new Date(0).toISOString() }) as const;

test("[MA200] a message counts in no thread about a file that its machine may not see, whatever its record says", async () => {
  const { open, shut, send, texts } = await threads();
  const given = { docs: [], places: [], message: message("msg_x", "bob was here") };
  for (const { thread } of [open, shut]) await send(`${thread}/msg_x`, { ...given, thread } as GivenRecord);
  expect(await texts(open.thread)).toContain("bob was here");
  expect(await texts(shut.thread)).toEqual(["about b"]);
});

test("[MA201] the record of a message of one thread puts it over no message of another thread", async () => {
  const { open, shut, send, texts } = await threads();
  const said = { ...message(open.message.id, "x"), changes: ["chg_x"] };
  const given = { docs: [], places: [], thread: shut.thread, message: said };
  await send(`${open.thread}/${open.message.id}`, given as GivenRecord);
  expect(await texts(open.thread)).toEqual(["about a"]);
  expect(await texts(shut.thread)).toEqual(["about b"]);
});

test("[MA202] a machine holds no thread about a file that it may not see", async () => {
  const { said, open, shut, word } = await threads();
  const bob = { author: "bob", agent: "bob", kind: "agent" };
  const answering = [open, shut].map(({ thread, message: { id } }) => ({ thread, messageId: id, ...bob }));
  await word({ present: [], answering });
  expect(said.answers.view(open.thread)).toMatchObject({ author: "bob" });
  expect(said.answers.view(shut.thread)).toBeNull();
});
