import { expect, test } from "vitest";
import { SharedFolders } from "./shared-folders.ts";

/** Time in which machines exchange everything, also once they have noticed that the broker is back. */
const AWHILE_MS = 20_000;

/** Three machines with one file; the first one founded the workspace. */
async function three() {
  const folders = new SharedFolders();
  const ada = await folders.found("ada", { "a.md": "one\n" });
  const bob = await folders.join(ada, "bob");
  const cem = await folders.join(ada, "cem");
  return { folders, ada, bob, cem };
}

test("[MA160] machines that stay connected read on after a removal, and the removed one does not", async () => {
  const { folders, ada, bob, cem } = await three();
  await folders.during(ada.machines.remove(bob.id));
  await ada.append("a.md", "two\n");
  await folders.run(AWHILE_MS);
  await cem.append("a.md", "three\n");
  await folders.run(AWHILE_MS);
  for (const folder of [ada, cem]) expect(folder.files()).toEqual({ "a.md": "one\ntwo\nthree\n" });
  expect(bob.files()).toEqual({ "a.md": "one\n" });
});

/** The second machine appends a line while the third one is away, and is removed. */
async function removedWhileAway() {
  const { folders, ada, bob, cem } = await three();
  cem.carrier.cut("both");
  await folders.run(AWHILE_MS);
  await bob.append("a.md", "two\n");
  await folders.run(AWHILE_MS);
  await folders.during(ada.machines.remove(bob.id));
  const { memory } = folders.broker;
  const lost = memory.log.filter(({ machine }) => machine === bob.id);
  memory.log = memory.log.filter(({ machine }) => machine !== bob.id);
  cem.carrier.cut(undefined);
  await folders.run(1_000);
  return { folders, ada, cem, lost };
}

test("[MA61] a machine that learns of a removal first takes in the removed one's earlier messages", async () => {
  const { folders, ada, cem, lost } = await removedWhileAway();
  const { memory } = folders.broker;
  for (const message of lost) memory.log.push({ ...message, after: ++memory.last });
  cem.carrier.look();
  await folders.run(1_000);
  for (const folder of [ada, cem]) expect(folder.files()).toEqual({ "a.md": "one\ntwo\n" });
});

test("[MA161] what the broker lost of a removed machine's earlier messages comes with a snapshot", async () => {
  const { folders, ada, cem } = await removedWhileAway();
  await folders.run(AWHILE_MS);
  for (const folder of [ada, cem]) expect(folder.files()).toEqual({ "a.md": "one\ntwo\n" });
});

test("[MA161] an owner gets the edits that build on messages of a removed machine that came to others alone", async () => {
  const { folders, ada, bob, cem } = await three();
  ada.carrier.cut("in");
  await bob.append("a.md", "two\n");
  await folders.run(1_000);
  await cem.append("a.md", "three\n");
  await folders.during(ada.machines.remove(bob.id));
  ada.carrier.cut(undefined);
  await folders.run(AWHILE_MS);
  await ada.append("a.md", "four\n");
  await folders.run(AWHILE_MS);
  for (const folder of [ada, cem]) expect(folder.files()).toEqual({ "a.md": "one\ntwo\nthree\nfour\n" });
});

test("[MA258] the others learn of a removal although the request with the owner's record was lost", async () => {
  const { folders, ada, bob, cem } = await three();
  ada.carrier.cut("out");
  const removing = folders.during(ada.machines.remove(bob.id));
  await folders.run(1_000);
  ada.carrier.cut(undefined); // the connection goes on
  await removing;
  await ada.append("a.md", "two\n");
  await folders.run(AWHILE_MS);
  for (const folder of [ada, cem]) expect(folder.files()).toEqual({ "a.md": "one\ntwo\n" });
});
