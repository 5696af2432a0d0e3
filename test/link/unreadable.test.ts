import { expect, test } from "vitest";
import type { Link } from "../../src/link/link.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import type { AccessRule } from "../../src/workspace/access/rights.ts";
import { accepted } from "../workspace/harness.ts";
import { ADA } from "./machines.ts";
import { SharedFolders } from "./shared-folders.ts";

/** Time in which machines exchange everything, also what comes with a snapshot. */
const AWHILE_MS = 30_000;

const RULES: AccessRule[] = [
  { glob: "secret/**", level: "none" },
  { glob: "**", level: "write" },
];

/** A machine with a file, and one that may read all but one folder. */
async function two() {
  const folders = new SharedFolders();
  const ada = await folders.found("ada", { "secret/s.md": "secret\n" });
  await ada.create("a.md", "one\n");
  const bob = await folders.joinWith(await folders.invite(ada, RULES), "bob");
  await folders.run(AWHILE_MS);
  const rename = async (from: string, to: string) => {
    await ada.rename(from, to);
    await folders.run(AWHILE_MS);
  };
  const append = async (path: string, text: string) => {
    await ada.append(path, text);
    await folders.run(AWHILE_MS);
  };
  return { folders, ada, bob, rename, append };
}

test("[MA250] a machine reads no file of a snapshot that its level forbids to read", async () => {
  const { folders, bob } = await two();
  const { reader } = (bob.workspace.linked as Link).snapshots;
  const hashes = await folders.during(
    reader.head().then(async (head) => [...(await reader.hashes(head!)).keys()]),
  );
  expect(hashes).not.toContain("secret/s.md");
  expect(bob.files()).toEqual({ "a.md": "one\n" });
});

test("[MA251] a file that moves where a machine may not read stays there as it was, and its text comes once it is back", async () => {
  const { bob, rename, append } = await two();
  await rename("a.md", "secret/a.md");
  await append("secret/a.md", "two\n");
  expect(bob.files()).toEqual({ "a.md": "one\n" });
  expect(bob.machines.status).toMatchObject({
    withheld: [{ path: "secret/a.md", reason: "this machine may not read it" }],
  });
  await rename("secret/a.md", "b.md");
  await append("b.md", "three\n");
  expect(bob.files()).toEqual({ "b.md": "one\ntwo\nthree\n" });
  expect(bob.machines.status).toMatchObject({ withheld: [] });
});

test("[MA251] a whole document brings no text where its machine may not read", async () => {
  const { folders, ada, bob, rename } = await two();
  bob.carrier.cut("both");
  await rename("a.md", "secret/a.md");
  await ada.append("secret/a.md", "two\n");
  await folders.during((ada.workspace.linked as Link).storeSnapshot());
  folders.broker.purge();
  bob.carrier.cut(undefined);
  await folders.run(2 * AWHILE_MS);
  await folders.during((bob.workspace.linked as Link).snapshots.take());
  await folders.run(AWHILE_MS);
  expect(bob.files()).toEqual({ "a.md": "one\n" });
});

test("[MA251] a file that stayed where another one comes gives way to it", async () => {
  const { folders, ada, bob, rename } = await two();
  await ada.create("b.md", "another\n");
  await rename("a.md", "secret/a.md");
  await rename("b.md", "a.md");
  await folders.run(AWHILE_MS);
  const { "a.md": text, ...others } = bob.files();
  expect([text, ...Object.values(others)]).toEqual(["another\n", "one\n"]);
  expect(Object.keys(others)).toEqual([expect.stringMatching(/^a \(bob \w{6}\)\.md$/)]);
});

test("[MA251] a file whose name is taken elsewhere does not come beside it where a machine may not read the name", async () => {
  const folders = new SharedFolders();
  const ada = await folders.found("ada");
  const cem = await folders.join(ada, "cem");
  const rules: AccessRule[] = [
    { glob: "a.md", level: "none" },
    { glob: "**", level: "write" },
  ];
  const bob = await folders.joinWith(await folders.invite(ada, rules), "bob");
  for (const folder of [ada, cem]) folder.carrier.cut("both");
  await ada.create("a.md", "one\n");
  await cem.create("b.md", "one\n"); // cem's other file is surely younger than ada's
  await cem.create("a.md", "two\n");
  for (const folder of [ada, cem]) {
    folder.carrier.cut(undefined);
    await folders.run(AWHILE_MS);
  }
  expect(ada.files()).toEqual({ "a (cem).md": "two\n", "a.md": "one\n", "b.md": "one\n" });
  expect(bob.files()).toEqual({ "b.md": "one\n" });
});

test("[MA263] an equal file that a machine makes where it may not read is another document", async () => {
  const { folders, ada, bob } = await two();
  for (const folder of [ada, bob]) folder.carrier.cut("both");
  for (const folder of [ada, bob]) await folder.create("secret/t.md", "one\n");
  const made = accepted(await folders.during(bob.workspace.open("secret/t.md")));
  accepted(await folders.during(bob.workspace.rename(ADA, made, "b.md" as DocPath)));
  for (const folder of [ada, bob]) folder.carrier.cut(undefined);
  await folders.run(AWHILE_MS);
  await bob.append("b.md", "two\n");
  await folders.run(AWHILE_MS);
  expect(bob.files()).toEqual({ "a.md": "one\n", "b.md": "one\ntwo\n" });
  expect(ada.files()).toMatchObject({ "b.md": "one\ntwo\n", "secret/t.md": "one\n" });
});
