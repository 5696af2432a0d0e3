import { expect, test } from "vitest";
import { machineLines } from "../../src/cli/sharing/machines.ts";
import type { Link } from "../../src/link/link.ts";
import { listedMachines } from "../../src/protocol/handlers/machines.ts";
import { type AccessRule, FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { accepted } from "../workspace/harness.ts";
import { ADA } from "./machines.ts";
import { type SharedFolder, SharedFolders } from "./shared-folders.ts";

/** Time in which machines exchange everything. */
const AWHILE_MS = 20_000;

const RULES: AccessRule[] = [
  { glob: "open/**", level: "write" },
  { glob: "**", level: "read" },
];

/** Two machines that may change everything, and one that may change one folder. */
async function three() {
  const folders = new SharedFolders();
  const ada = await folders.found("ada");
  await ada.create("shut/a.md", "one\n");
  const cem = await folders.join(ada, "cem");
  const bob = await folders.joinWith(await folders.invite(ada, RULES), "bob");
  await folders.run(AWHILE_MS);
  folders.reports.splice(0);
  const rename = async (folder: SharedFolder, from: string, to: string) => {
    await folder.rename(from, to);
    await folders.run(AWHILE_MS);
  };
  const ignored = () => {
    const lines = machineLines(listedMachines(bob.machines.status, FULL_RIGHTS));
    return lines.filter((line) => line.includes("the others ignore"));
  };
  const defects = () => folders.reports.filter((one) => /link\.(defect|lacks|unknown|waiting)/.test(one));
  return { folders, ada, bob, cem, rename, ignored, defects };
}

test("[MA252] edits that the others ignored come once the machine may change the file, without a defect", async () => {
  const { folders, ada, bob, cem, rename, defects } = await three();
  await bob.append("shut/a.md", "two\n");
  await folders.run(AWHILE_MS);
  for (const folder of [ada, cem]) expect(folder.files()).toEqual({ "shut/a.md": "one\n" });
  await rename(ada, "shut/a.md", "open/a.md");
  for (const folder of [ada, bob, cem]) expect(folder.files()).toEqual({ "open/a.md": "one\ntwo\n" });
  await bob.append("open/a.md", "three\n");
  await folders.run(AWHILE_MS);
  for (const folder of [ada, bob, cem]) expect(folder.files()).toEqual({ "open/a.md": "one\ntwo\nthree\n" });
  expect(defects()).toEqual([]);
});

test("[MA252] a file that is made where the machine may not comes once it is moved where the machine may", async () => {
  const { folders, ada, bob, cem, rename, defects } = await three();
  await bob.create("b.md", "bob's\n");
  await bob.append("b.md", "more\n");
  await folders.run(AWHILE_MS);
  for (const folder of [ada, cem]) expect(folder.files()).toEqual({ "shut/a.md": "one\n" });
  await rename(bob, "b.md", "open/b.md");
  for (const folder of [ada, bob, cem])
    expect(folder.files()).toEqual({ "open/b.md": "bob's\nmore\n", "shut/a.md": "one\n" });
  expect(defects()).toEqual([]);
});

test("[MA253] a file that the others ignore leaves its name to one of theirs", async () => {
  const { folders, ada, bob, cem } = await three();
  await bob.create("b.md", "bob's\n");
  await folders.run(AWHILE_MS);
  for (const path of ["a.md", "b.md"]) await ada.create(path, "ada's\n"); // the second one is surely younger than bob's
  await folders.run(AWHILE_MS);
  const shared = { "a.md": "ada's\n", "b.md": "ada's\n", "shut/a.md": "one\n" };
  for (const folder of [ada, cem]) expect(folder.files()).toEqual(shared);
  expect(bob.files()).toEqual({ ...shared, "b (bob).md": "bob's\n" });
});

test("[MA254] a machine says of which files the others ignore its changes, until they count", async () => {
  const { folders, bob, rename, ignored } = await three();
  expect(ignored()).toEqual([]);
  await bob.append("shut/a.md", "two\n");
  await bob.create("b.md", "bob's\n");
  await folders.run(AWHILE_MS);
  expect(ignored()).toEqual([expect.stringContaining("shut/a.md"), expect.stringContaining("b.md")]);
  await rename(bob, "b.md", "open/b.md");
  expect(ignored()).toEqual([expect.stringContaining("shut/a.md")]);
});

test("[MA254] a document that another machine deleted is none of these", async () => {
  const { folders, ada, bob, rename, ignored } = await three();
  await rename(bob, "shut/a.md", "b.md");
  expect(ignored()).toEqual([expect.stringContaining("b.md")]);
  const document = accepted(await folders.during(ada.workspace.open("shut/a.md")));
  accepted(await folders.during(ada.workspace.remove(ADA, document)));
  await folders.run(AWHILE_MS);
  expect([bob.files(), ignored()]).toEqual([{}, []]);
});

test("[MA255] a snapshot has no file that the others ignore, and only the name of one with such changes", async () => {
  const { folders, ada, bob, cem } = await three();
  await bob.create("b.md", "bob's\n");
  await bob.append("shut/a.md", "bob's\n");
  await folders.run(AWHILE_MS);
  const { snapshots } = bob.workspace.linked as Link;
  await folders.during(snapshots.store());
  for (const folder of [ada, cem]) {
    const { reader } = (folder.workspace.linked as Link).snapshots;
    const heads = await folders.during(reader.head({}, ({ machine }) => machine === bob.id));
    const names: string[] = [];
    await folders.during(
      (async () => {
        for await (const entries of reader.documents(heads!))
          for (const entry of entries)
            if ("document" in entry) names.push(entry.document.name.path);
            else if ("missing" in entry) names.push(`${entry.missing.path} is missing`);
      })(),
    );
    expect(names).toEqual(["shut/a.md is missing"]);
  }
});

test("[MA256] an edit that crosses a move of its file to where its machine may not write is on all machines", async () => {
  const { folders, ada, bob, cem, rename, defects } = await three();
  await rename(ada, "shut/a.md", "open/a.md");
  for (const folder of [ada, bob]) folder.carrier.cut("both");
  await bob.append("open/a.md", "two\n");
  await rename(ada, "open/a.md", "shut/b.md");
  bob.carrier.cut(undefined); // the third machine gets the edit first, and the owner gets it after the move
  await folders.run(AWHILE_MS);
  expect(cem.files()).toEqual({ "open/a.md": "one\ntwo\n" });
  ada.carrier.cut(undefined);
  await folders.run(AWHILE_MS);
  for (const folder of [ada, bob, cem]) expect(folder.files()).toEqual({ "shut/b.md": "one\ntwo\n" });
  expect(folders.reports.filter((one) => one.includes("link.denied"))).toEqual([]);
  expect(defects()).toEqual([]);
});

test("[MA256] an edit of a machine that knows of the move is refused", async () => {
  const { folders, ada, bob, cem, rename } = await three();
  await rename(ada, "shut/a.md", "open/a.md");
  await bob.append("open/a.md", "two\n");
  await rename(ada, "open/a.md", "shut/b.md");
  await bob.append("shut/b.md", "three\n");
  await folders.run(AWHILE_MS);
  for (const folder of [ada, cem]) expect(folder.files()).toEqual({ "shut/b.md": "one\ntwo\n" });
});

test("[MA257] a machine's own later name does not count there, either, once it may not change the earlier one", async () => {
  const { folders, ada, bob, cem, rename } = await three();
  await rename(ada, "shut/a.md", "open/a.md");
  bob.carrier.cut("both");
  await rename(bob, "open/a.md", "open/b.md");
  await rename(bob, "open/b.md", "open/c.md");
  await rename(ada, "open/a.md", "shut/d.md");
  bob.carrier.cut(undefined);
  await folders.run(AWHILE_MS);
  for (const folder of [ada, bob, cem]) expect(folder.files()).toEqual({ "shut/d.md": "one\n" });
});

test("[MA257] a name that the others ignore decides on no edit of theirs", async () => {
  const { folders, ada, bob, cem, rename } = await three();
  const dan = await folders.joinWith(
    await folders.invite(ada, [
      { glob: "closed/**", level: "none" },
      { glob: "**", level: "write" },
    ]),
    "dan",
  );
  await folders.run(AWHILE_MS);
  await rename(bob, "shut/a.md", "closed/a.md");
  await dan.append("shut/a.md", "two\n");
  await folders.run(AWHILE_MS);
  for (const folder of [ada, cem, dan]) expect(folder.files()).toEqual({ "shut/a.md": "one\ntwo\n" });
  expect(bob.files()).toEqual({ "closed/a.md": "one\ntwo\n" });
});
