import { describe, expect, test, vi } from "vitest";
import { isMissing } from "../../src/mirror/is-missing.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { GuardedWorkspace } from "../../src/workspace/folder/guarded-workspace.ts";
import { Refusal } from "../../src/workspace/outcome/refusal.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { accepted, BOB } from "../workspace/harness.ts";
import { LaneBench } from "./lane-bench.ts";

const FILE = { "a.md": "one\ntwo\nthree\n" };

/** Edits a document as Bob, who works in no lane. */
async function edit({ bench }: LaneBench, old: string, updated: string, path = "a.md"): Promise<void> {
  const plan = planReplace(old, updated, "unique");
  accepted(await bench.edit(BOB, { path, plan, ack: "durable" }));
}

async function authors({ bench }: LaneBench, path = "a.md"): Promise<string[]> {
  const { versions, head } = await bench.document(path);
  return Array.from({ length: head.seq + 1 }, (_, seq) => versions.change(seq)!.author).slice(1);
}

/** Small files, by their paths. */
function files(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.md`, `${i}\n`]));
}

describe("a write in a lane", () => {
  test("[LV2, LV3] becomes the agent's edit, from the version that the file had, beside what others changed", async () => {
    const at = await LaneBench.with(FILE);
    await edit(at, "one", "ONE"); // the lane's file is still the version before
    at.disk.write("a.md", "one\ntwo\nTHREE\n");
    await at.looked("a.md");
    expect(await at.bench.text("a.md")).toBe("ONE\ntwo\nTHREE\n");
    await at.shows("a.md", "ONE\ntwo\nTHREE\n");
    expect(await authors(at)).toEqual(["bob", "claude"]);
    const { head } = await at.bench.document("a.md");
    expect(head).toMatchObject({ author: "claude", agent: "owner/claude", origin: "agent" });
  });

  test("[LV4] others' edits and a person's saves appear in it, and the lane's own write comes back merged", async () => {
    const at = await LaneBench.with(FILE);
    await edit(at, "two", "TWO");
    await at.shows("a.md", "one\nTWO\nthree\n");
    await at.save("a.md", "one\nTWO\nthree\nfour\n");
    await at.shows("a.md", "one\nTWO\nthree\nfour\n");
    await at.write("a.md", "zero\none\nTWO\nthree\nfour\n");
    expect(await at.bench.text("a.md")).toBe("zero\none\nTWO\nthree\nfour\n");
    expect(await authors(at)).toEqual(["bob", "disk", "claude"]);
  });

  test("[LV2] a second write, made before the merged text is back, is made from the first one", async () => {
    const at = await LaneBench.with(FILE);
    await edit(at, "one", "ONE");
    at.disk.write("a.md", "one\ntwo\nthree\nfour\n");
    const looked = at.looked("a.md");
    at.bench.workspace.listen(({ type }) => {
      if (type === "changed" && at.disk.text("a.md") === "one\ntwo\nthree\nfour\n")
        at.disk.write("a.md", "one\ntwo\nthree\nfour, five\n");
    });
    await looked;
    await at.looked("a.md");
    await at.shows("a.md", "ONE\ntwo\nthree\nfour, five\n");
    expect(await at.bench.text("a.md")).toBe("ONE\ntwo\nthree\nfour, five\n");
  });

  test("[LV24] that was made from a text before the last one is merged from there", async () => {
    const at = await LaneBench.with(FILE, { tellsReads: true });
    expect(at.disk.read("a.md")).toBe(FILE["a.md"]); // the agent reads
    await edit(at, "one\n", "one, and a long remark of somebody else\n");
    await at.shows("a.md", "one, and a long remark of somebody else\ntwo\nthree\n");
    await at.write("a.md", "one\ntwo\nTHREE\n"); // and writes the whole text that it read
    expect(await at.bench.text("a.md")).toBe("one, and a long remark of somebody else\ntwo\nTHREE\n");
  });

  test("[LV24] a line like one that came into the file at the same place removes nothing of others", async () => {
    const at = await LaneBench.with(FILE, { tellsReads: true });
    expect(at.disk.read("a.md")).toBe(FILE["a.md"]);
    await edit(at, "one\n", "one\n<bob.399> rename\n");
    await at.shows("a.md", "one\n<bob.399> rename\ntwo\nthree\n");
    at.disk.save("a.md", "one\n<ann.400> rename\ntwo\nthree\n");
    await at.looked("a.md");
    expect(await at.bench.text("a.md")).toContain("<bob.399> rename\n");
  });

  test("[LV24] a program that adds to the file without reading it adds its own text alone", async () => {
    const at = await LaneBench.with(FILE, { tellsReads: true });
    expect(at.disk.read("a.md")).toBe(FILE["a.md"]);
    await edit(at, "three\n", "three\nfour, of somebody else\n");
    await at.shows("a.md", "one\ntwo\nthree\nfour, of somebody else\n");
    at.disk.append("a.md", "five\n");
    await at.looked("a.md");
    expect(await at.bench.text("a.md")).toBe("one\ntwo\nthree\nfour, of somebody else\nfive\n");
  });

  const OTHERS = "zero, of a person\none, and a long remark of somebody else\ntwo\nthree\nmine\n";

  /** The agent writes a line, and the lane shows it with what Bob and a person wrote meanwhile. */
  async function withOthers(tellsReads: boolean): Promise<LaneBench> {
    const at = await LaneBench.with(FILE, { tellsReads });
    expect(at.disk.read("a.md")).toBe(FILE["a.md"]);
    await at.write("a.md", "one\ntwo\nthree\nmine\n");
    await edit(at, "one\n", "one, and a long remark of somebody else\n");
    await at.save("a.md", OTHERS);
    await at.shows("a.md", OTHERS);
    return at;
  }

  test("[LV24, LV35] that removes what came into the file after the agent's last write names that", async () => {
    const at = await withOthers(false);
    await at.write("a.md", "one\ntwo\nthree\nmine\n");
    const { head } = await at.bench.document("a.md");
    expect(head).toMatchObject({
      author: "claude",
      lacked: { base: expect.stringMatching(/^0-/), authors: ["bob", "disk"] },
    });
    await expect
      .poll(() => at.bench.events.filter(({ type }) => type === "superseded"))
      .toMatchObject([{ path: "a.md", author: "claude", authors: ["bob", "disk"], changeId: head.id }]);
    await at.write("a.md", "one\ntwo\nthree\n");
    expect((await at.bench.document("a.md")).head.lacked).toBeUndefined();
  });

  test("[LV24] by a program that read its own text back and not the merged one removes nothing of others", async () => {
    const at = await withOthers(true);
    at.disk.write("a.md", "one\ntwo\nthree\nmine\nmore of mine\n");
    expect(at.disk.read("a.md")).toContain("more of mine");
    await at.looked("a.md");
    expect(await at.bench.text("a.md")).toBe(`${OTHERS}more of mine\n`);
  });

  test("[LV24, LV13] made while no daemon ran, from the text that the agent wrote last, removes nothing of others", async () => {
    const at = await withOthers(true);
    const writes = () => at.disk.save("a.md", "one\ntwo\nthree\nmine\nmore of mine\n");
    await at.restart(writes);
    await at.lane.settled();
    expect(await at.bench.text("a.md")).toBe(`${OTHERS}more of mine\n`);
  });

  test("[LV5] makes, deletes and renames files of the workspace", async () => {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n", "c.md": "c\n" });
    await at.write("deep/new.md", "new\n");
    expect(at.bench.read("deep/new.md")).toBe("new\n");
    await at.remove("b.md");
    await expect.poll(() => at.bench.workspace.open("b.md")).toMatchObject({ code: "DELETED" });
    const { id } = await at.bench.document("c.md");
    await at.rename("c.md", "renamed.md");
    expect((await at.bench.document("renamed.md")).id).toBe(id);
    expect(await authors(at, "renamed.md")).toEqual(["claude"]);
    await at.write("empty.md", "");
    expect(at.bench.read("empty.md")).toBe("");
    expect(await at.waiting()).toEqual({});
  });

  /** The agent saves `a.md` over another text of Bob, moves it at once, and the daemon gets the hints in this order. */
  async function savedAndMoved(hints: readonly string[]): Promise<LaneBench> {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n" });
    await edit(at, "one", "ONE"); // the lane's file is still the version before
    at.disk.save("a.md", `${FILE["a.md"]}four\n`);
    at.disk.move("a.md", "moved.md");
    await at.looked(...hints);
    return at;
  }

  test.each([
    ["both hints", ["a.md", "moved.md"]],
    ["hints in another order", ["moved.md", "a.md"]],
    ["a look at all files", []],
  ])(
    "[LV41] that is moved before the daemon has seen it is a change of its document: %s",
    async (_, hints) => {
      const at = await savedAndMoved(hints);
      await at.lane.lookAtAll();
      const text = "ONE\ntwo\nthree\nfour\n";
      expect(await at.bench.text("moved.md")).toBe(text);
      expect(await authors(at, "moved.md")).toEqual(["bob", "claude", "claude"]);
      await at.shows("moved.md", text);
      expect(at.disk.text("a.md")).toBeUndefined();
      expect(await at.bench.workspace.open("a.md")).toMatchObject({ code: "NOT_FOUND" });
    },
  );

  test("[LV41] that is like no missing file is a new file", async () => {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n" });
    at.disk.remove("a.md");
    at.disk.save("new.md", "three\nfour\nfive, six and seven\n");
    await at.looked("a.md", "new.md");
    expect((await at.bench.document("new.md")).head.seq).toBe(0);
    await expect.poll(() => at.bench.workspace.open("a.md")).toMatchObject({ code: "DELETED" });
  });

  test.each([
    ["its own", ["b.md", "a.md", "moved.md"]],
    ["its own, which was missed last", ["a.md", "b.md", "moved.md"]],
  ])(
    "[LV57] that is made much longer, and moved as a file goes whose text it has, too, keeps the document that is %s",
    async (_, hints) => {
      const at = await LaneBench.with({ ...FILE, "b.md": "one\n" });
      const { id } = await at.bench.document("a.md");
      at.disk.remove("b.md");
      at.disk.save("a.md", `${FILE["a.md"]}four\nfive, six and seven\n`);
      at.disk.move("a.md", "moved.md");
      await at.looked(...hints);
      expect((await at.bench.document("moved.md")).id).toBe(id);
      await expect.poll(() => at.bench.workspace.open("b.md")).toMatchObject({ code: "DELETED" });
    },
  );

  test("[LV6] files that the workspace gets, loses and renames are got, lost and renamed in the lane", async () => {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n", "c.md": "c\n" });
    const { workspace } = at.bench;
    accepted(await workspace.create(BOB, "new/n.md", (await at.bench.document("a.md")).content));
    await at.shows("new/n.md", FILE["a.md"]);
    accepted(await workspace.remove(BOB, await at.bench.document("b.md")));
    await at.shows("b.md", undefined);
    accepted(await workspace.rename(BOB, await at.bench.document("c.md"), "moved/c.md"));
    await at.shows("moved/c.md", "c\n");
    expect(at.disk.text("c.md")).toBeUndefined();
    await at.write("moved/c.md", "c, changed\n");
    expect(await at.bench.text("moved/c.md")).toBe("c, changed\n");
    await at.write("new/n.md", "n\n");
    expect(await at.bench.text("new/n.md")).toBe("n\n");
  });

  test("[LV79] a refused write stays in the lane, and waits, when the agent renames its file", async () => {
    const at = await LaneBench.with(FILE);
    const { policyEditor } = at.bench;
    vi.spyOn(policyEditor, "edit").mockResolvedValueOnce(new Refusal("OVERLOADED", "too much at once"));
    await at.write("a.md", `${FILE["a.md"]}mine\n`);
    await edit(at, "one", "ONE");
    await at.rename("a.md", "b.md");
    await expect.poll(() => at.bench.workspace.open("b.md")).toMatchObject({ path: "b.md" });
    expect([at.disk.text("b.md"), await at.waiting()]).toEqual([
      `${FILE["a.md"]}mine\n`,
      { "b.md": "refused" },
    ]);
    await at.write("b.md", `${FILE["a.md"]}mine, again\n`);
    await at.shows("b.md", "ONE\ntwo\nthree\nmine, again\n");
    expect(await at.waiting()).toEqual({});
  });

  test("[LV80] a write comes to the document that others rename meanwhile", async () => {
    const at = await LaneBench.with(FILE);
    const { policyEditor, workspace } = at.bench;
    const edit = policyEditor.edit.bind(policyEditor);
    vi.spyOn(policyEditor, "edit").mockImplementationOnce(async (...args) => {
      accepted(await workspace.rename(BOB, await at.bench.document("a.md"), "b.md"));
      return edit(...args);
    });
    await at.write("a.md", `${FILE["a.md"]}mine\n`);
    expect(await at.bench.text("b.md")).toBe(`${FILE["a.md"]}mine\n`);
    await at.shows("b.md", `${FILE["a.md"]}mine\n`);
    expect(await at.waiting()).toEqual({});
  });

  test("[LV81] a copied file that the agent deletes, as others rename it before it had a document, comes back", async () => {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n" });
    const document = await at.bench.document("b.md");
    vi.spyOn(GuardedWorkspace.prototype, "openedById").mockResolvedValueOnce(undefined);
    at.disk.remove("b.md");
    at.lane.hint(`${at.disk.root}/b.md`);
    await vi.waitFor(() => expect(GuardedWorkspace.prototype.openedById).toHaveBeenCalled());
    accepted(await at.bench.workspace.rename(BOB, document, "c.md"));
    await at.shows("c.md", "b\n");
    expect([await at.bench.text("c.md"), await at.waiting()]).toEqual(["b\n", {}]);
  });

  test("[LV77] a new file of the agent that others rename as it comes is there once, under the new name", async () => {
    const at = await LaneBench.with(FILE);
    const { workspace } = at.bench;
    const create = workspace.create.bind(workspace);
    const told = new Promise<void>((renamed) => {
      workspace.listen(({ type }) => type === "renamed" && setImmediate(renamed));
    });
    vi.spyOn(workspace, "create").mockImplementation(async (...args) => {
      const document = accepted(await create(...args));
      accepted(await workspace.rename(BOB, document, "renamed.md"));
      await told; // the lane hears of the new name before it has the document
      return document;
    });
    at.disk.save("new.md", "new\n");
    await at.looked("new.md");
    await at.shows("renamed.md", "new\n");
    await at.lane.settled();
    expect([at.disk.text("new.md"), await at.waiting()]).toEqual([undefined, {}]);
    await at.write("renamed.md", "new, changed\n");
    expect(await at.bench.text("renamed.md")).toBe("new, changed\n");
  });

  test("[LV5, LV6] a file that the agent moves as the workspace deletes it goes, and holds up no work", async () => {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n" });
    const document = await at.bench.document("a.md");
    at.disk.move("a.md", "moved.md");
    accepted(await at.bench.workspace.remove(BOB, document));
    await at.looked("moved.md");
    await at.shows("moved.md", undefined);
    expect(at.lane.known.get("moved.md" as DocPath)).toBeUndefined();
    expect(await at.waiting()).toEqual({});
  });

  test("[LV14] a deletion of a file that others changed meanwhile brings the file back", async () => {
    const at = await LaneBench.with(FILE);
    await edit(at, "one", "ONE");
    at.disk.remove("a.md");
    await at.looked("a.md");
    expect(await at.bench.text("a.md")).toBe("ONE\ntwo\nthree\n");
    await at.shows("a.md", "ONE\ntwo\nthree\n");
  });

  test("[LV14, LV24] a program that read the file that came back writes from there", async () => {
    const at = await LaneBench.with(FILE, { tellsReads: true });
    await at.write("a.md", "zero\none\ntwo\nthree\n");
    await edit(at, "two\n", "two\ntheirs\n"); // the lane's file is still the version before
    await at.remove("a.md");
    const back = "zero\none\ntwo\ntheirs\nthree\n";
    await at.shows("a.md", back);
    expect(at.disk.read("a.md")).toBe(back);
    await edit(at, "three\n", "three\na long remark of somebody else\n");
    await at.shows("a.md", `${back}a long remark of somebody else\n`);
    await at.write("a.md", back.replace("theirs", "mine\ntheirs"));
    const text = await at.bench.text("a.md");
    expect(text.split("\n").sort()).toEqual([
      "",
      "a long remark of somebody else",
      "mine",
      "one",
      "theirs",
      "three",
      "two",
      "zero",
    ]);
  });

  test("[LV14] a write into a file that others deleted meanwhile brings the file back", async () => {
    const at = await LaneBench.with(FILE);
    const document = await at.bench.document("a.md");
    at.disk.write("a.md", "one\ntwo\nthree\nmine\n");
    accepted(await at.bench.workspace.remove(BOB, document));
    await at.looked("a.md");
    expect(await at.bench.text("a.md")).toBe("one\ntwo\nthree\nmine\n");
    await at.shows("a.md", "one\ntwo\nthree\nmine\n");
  });

  test("[LV15] if most files go missing at once, the workspace keeps them until a person confirms that", async () => {
    const many = files(12);
    const at = await LaneBench.with(many);
    for (const path of Object.keys(many)) at.disk.remove(path);
    await at.looked(...Object.keys(many));
    expect(Object.keys(await at.waiting())).toHaveLength(12);
    for (const path of Object.keys(many)) expect(at.bench.read(path)).toBe(many[path]);
    expect(await at.lane.resume()).toBe(12);
    await at.lane.settled();
    expect(() => at.bench.read("3.md")).toThrow();
  });

  test("[I10j] empty files are deleted, however many go missing", async () => {
    const many = Object.fromEntries(Object.keys(files(12)).map((path) => [path, ""]));
    const at = await LaneBench.with({ ...many, ...FILE });
    for (const path of Object.keys(many)) at.disk.remove(path);
    await at.looked(...Object.keys(many));
    await at.lane.settled();
    expect(() => at.bench.read("3.md")).toThrow();
  });

  test("[LV60] so it does if the lane notices them little by little", async () => {
    const many = files(24);
    const at = await LaneBench.with(many);
    for (const path of Object.keys(many)) at.disk.remove(path);
    await at.looked("0.md", "1.md");
    await at.looked(...Object.keys(many));
    for (const path of Object.keys(many)) expect(at.bench.read(path)).toBe(many[path]);
    expect(Object.keys(await at.waiting())).toHaveLength(24);
  });

  test("[LV60] the rest of them waits for a person also when others are back", async () => {
    const many = files(12);
    const at = await LaneBench.with(many);
    for (const path of Object.keys(many)) at.disk.remove(path);
    await at.looked(...Object.keys(many));
    for (const path of Object.keys(many).slice(3)) at.disk.save(path, many[path]!);
    await at.looked(...Object.keys(many));
    expect(Object.keys(await at.waiting())).toEqual(["0.md", "1.md", "2.md"]);
    for (const path of Object.keys(many)) expect(at.bench.read(path)).toBe(many[path]);
    expect(await at.lane.resume()).toBe(3);
    await at.lane.settled();
    for (const path of ["0.md", "1.md", "2.md"]) expect(() => at.bench.read(path)).toThrow();
    expect(at.bench.read("3.md")).toBe("3\n");
  });

  test("[LV44] files that moved are not missing", async () => {
    const many = files(24);
    const at = await LaneBench.with(many);
    for (const path of Object.keys(many).slice(1)) at.disk.move(path, `moved-${path}`);
    at.disk.remove("0.md");
    await at.looked("0.md");
    expect(await at.waiting()).toEqual({});
    expect(() => at.bench.read("0.md")).toThrow();
    await at.looked(...Object.keys(many).map((path) => `moved-${path}`));
    expect(await at.bench.text("moved-5.md")).toBe("5\n");
  });

  test("[LV71] a new file has in the workspace the mode that the agent gave it", async () => {
    const at = await LaneBench.with(FILE);
    at.disk.write("run.sh", "#!/bin/sh\n");
    at.disk.chmod("run.sh", 0o755);
    await at.looked("run.sh");
    expect(await at.bench.text("run.sh")).toBe("#!/bin/sh\n");
    expect(at.bench.workspace.ports.files.look("run.sh" as DocPath)).toMatchObject({ mode: 0o755 });
  });

  test("[LV63] a folder goes with its last file, on both sides, unless somebody keeps it", async () => {
    const at = await LaneBench.with({ "x/y/a.md": "a\n", "z/b.md": "b\n", "w/c.md": "c\n" });
    at.disk.remove("x/y/a.md");
    for (const folder of ["x/y", "x"]) at.disk.removeFolder(folder);
    at.disk.remove("w/c.md");
    await at.looked("x/y/a.md", "w/c.md");
    const { files } = at.bench.workspace.ports;
    expect(["x", "w"].filter((folder) => !isMissing(files, folder as DocPath))).toEqual(["w"]);
    await at.bench.document("z/b.md");
    at.bench.rename("z/b.md", "b.md");
    files.removeFolder("z" as DocPath);
    expect(await at.bench.text("b.md")).toBe("b\n");
    await at.shows("b.md", "b\n");
    expect(at.disk.exists("z")).toBe(false);
  });

  test("[LV63] so does the folder of a file that the workspace deletes", async () => {
    const at = await LaneBench.with({ "z/b.md": "b\n" });
    const { files } = at.bench.workspace.ports;
    const document = await at.bench.document("z/b.md");
    at.bench.remove("z/b.md");
    files.removeFolder("z" as DocPath);
    await document.mirror.fresh();
    expect(document.deleted).toBe(true);
    await at.shows("z/b.md", undefined);
    await at.lane.settled();
    expect(at.disk.exists("z")).toBe(false);
  });

  test("[LV16] a new file under the name of another new file of the workspace stays in the lane", async () => {
    const at = await LaneBench.with(FILE);
    at.disk.write("new.md", "the lane's\n");
    const { content } = await at.bench.document("a.md");
    accepted(await at.bench.workspace.create(BOB, "new.md", content));
    await at.looked("new.md");
    expect(await at.waiting()).toEqual({ "new.md": "refused" });
    expect(at.disk.text("new.md")).toBe("the lane's\n");
    expect(await at.bench.text("new.md")).toBe(FILE["a.md"]);
    await at.rename("new.md", "other.md");
    await expect.poll(() => at.disk.text("new.md")).toBe(FILE["a.md"]);
    expect(await at.bench.text("other.md")).toBe("the lane's\n");
  });
});

describe("a rename in a lane", () => {
  test("[LV7, LV30] that the workspace refuses waits, and is made once it can be", async () => {
    const at = await LaneBench.with(FILE);
    accepted(await at.bench.workspace.create(BOB, "b.md", (await at.bench.document("a.md")).content));
    await at.shows("b.md", FILE["a.md"]);
    at.bench.write("c.md", "theirs\n"); // the lane does not have it yet
    await at.rename("a.md", "c.md");
    await at.bench.text("c.md");
    expect(await at.waiting()).toEqual({ "c.md": "refused" });
    await at.write("c.md", "one\ntwo\nTHREE\n");
    expect(await at.waiting()).toEqual({ "c.md": "refused" });
    accepted(await at.bench.workspace.remove(BOB, await at.bench.document("c.md")));
    await at.write("c.md", "one\ntwo\nThree\n");
    expect(await at.waiting()).toEqual({});
    expect(await at.bench.text("c.md")).toBe("one\ntwo\nThree\n");
    expect(await at.bench.workspace.open("a.md")).toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a file with another name in the lane than in the workspace", () => {
  test("[LV12] gets one name, though the agent and others rename it while no daemon runs", async () => {
    const at = await LaneBench.with(FILE);
    await at.write("a.md", "one\ntwo\nthree\nfour\n");
    await at.restart(() => {
      at.disk.move("a.md", "lane.md");
      at.bench.rename("a.md", "ws.md");
    });
    await at.bench.workspace.lookAtAll();
    await at.lane.lookAtAll();
    await expect.poll(async () => (await at.bench.workspace.open("a.md")) instanceof Refusal).toBe(true);
    await at.lane.lookAtAll();
    const names = ["a.md", "lane.md", "ws.md"].filter((name) => at.disk.text(name) !== undefined);
    expect(names).toHaveLength(1);
    expect(await at.bench.text(names[0]!)).toBe("one\ntwo\nthree\nfour\n");
  });

  test("[LV14] comes back under the workspace's name, if others changed it before the agent deleted it", async () => {
    const at = await LaneBench.with(FILE);
    at.disk.remove("a.md");
    await edit(at, "one", "ONE");
    accepted(await at.bench.workspace.rename(BOB, await at.bench.document("a.md"), "b.md"));
    await at.looked("a.md");
    await at.shows("b.md", "ONE\ntwo\nthree\n");
    await edit(at, "two", "TWO", "b.md");
    await at.shows("b.md", "ONE\nTWO\nthree\n");
    expect(at.disk.text("a.md")).toBeUndefined();
    expect(await at.waiting()).toEqual({});
  });
});

describe("a lane under a token's rules", () => {
  const READER = [
    { glob: "secret.md", level: "none" },
    { glob: "own.md", level: "write" },
    { glob: "**", level: "read" },
  ] as const;

  test("[LV7, LV30] keeps a write that the token does not allow, names it, and takes it in once it may", async () => {
    const at = await LaneBench.with({ ...FILE, "own.md": "own\n" }, { rules: READER });
    await at.write("a.md", "one\ntwo\nTHREE\n");
    await at.write("own.md", "mine\n");
    expect(await at.bench.text("a.md")).toBe(FILE["a.md"]);
    expect(await at.bench.text("own.md")).toBe("mine\n");
    expect(await at.waiting()).toEqual({ "a.md": "refused" });
    expect((await at.lane.waiting())[0]!.why).toContain("this token may only read a.md");
    await edit(at, "one", "ONE");
    expect(at.disk.text("a.md")).toBe("one\ntwo\nTHREE\n");
    const writer = await LaneBench.with({});
    at.actor = writer.actor;
    await at.write("a.md", "one\ntwo\nTHREE!\n");
    expect(await at.bench.text("a.md")).toBe("ONE\ntwo\nTHREE!\n");
    await at.shows("a.md", "ONE\ntwo\nTHREE!\n");
    expect(await at.waiting()).toEqual({});
  });

  test("[LV7] a file whose refused text the agent takes back follows the workspace again", async () => {
    const at = await LaneBench.with(FILE, { rules: READER });
    await at.write("a.md", "mine\n");
    await edit(at, "one", "ONE");
    await at.write("a.md", FILE["a.md"]);
    await at.shows("a.md", "ONE\ntwo\nthree\n");
  });

  test("[LV39] a refused write into a file that the daemon has replaced goes into a file of its own", async () => {
    const at = await LaneBench.with(FILE, { rules: READER });
    const report = vi.spyOn(at.bench.workspace.ports, "report");
    const replaced = at.disk.inode("a.md")!;
    const release = at.disk.hold(replaced);
    await edit(at, "one", "ONE");
    await at.shows("a.md", "ONE\ntwo\nthree\n");
    at.disk.writeInto(replaced, Buffer.from("late\n"));
    release();
    await expect
      .poll(
        () => {
          at.lane.tend();
          return at.disk.text("a (refused).md");
        },
        { timeout: 5_000 },
      )
      .toBe("late\n");
    await at.looked("a (refused).md");
    expect(await at.waiting()).toEqual({ "a (refused).md": "refused" });
    const reason = expect.stringContaining("its text is in a (refused).md");
    expect(report.mock.calls).toContainEqual([
      "lane.late_write_refused",
      { lane: "claude", path: "a.md", reason },
    ]);
    expect(at.disk.text("a.md")).toBe("ONE\ntwo\nthree\n");
  });

  test("[LV1] gets no file that the token may not read", async () => {
    const at = await LaneBench.with(FILE, { rules: READER });
    const { content } = await at.bench.document("a.md");
    accepted(await at.bench.workspace.create(BOB, "secret.md", content));
    accepted(await at.bench.workspace.create(BOB, "open.md", content));
    await at.shows("open.md", FILE["a.md"]);
    expect(at.disk.text("secret.md")).toBeUndefined();
  });

  test("[LV27] once the token is revoked, writes stay in the lane", async () => {
    const at = await LaneBench.with(FILE);
    await edit(at, "one", "ONE");
    await at.shows("a.md", "ONE\ntwo\nthree\n");
    at.actor = undefined;
    await at.write("a.md", "mine\n");
    expect(await at.bench.text("a.md")).toBe("ONE\ntwo\nthree\n");
    expect((await at.lane.waiting())[0]!.why).toContain("token was revoked");
  });
});

describe("a lane that proposes", () => {
  test("[LV8, LV10] gathers its writes in one proposal, and shows its own text until the review", async () => {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n", "c.md": "c\n" }, { propose: true });
    at.disk.write("a.md", "one\nTWO\nthree\n");
    at.disk.write("new.md", "new\n");
    at.disk.remove("b.md");
    at.disk.move("c.md", "d.md");
    await at.looked("a.md", "new.md", "b.md", "c.md", "d.md");
    const proposals = accepted(await at.bench.proposals.list(BOB_PERSON, { status: "pending" })).proposals;
    expect(proposals).toHaveLength(1);
    expect(proposals[0]!.files!.map(({ path, operation }) => [path, operation]).sort()).toEqual([
      ["a.md", "full_replace"],
      ["b.md", "delete"],
      ["c.md", "rename"],
      ["new.md", "create"],
    ]);
    expect(await at.waiting()).toEqual({
      "a.md": "proposed",
      "b.md": "proposed, deleted",
      "d.md": "proposed",
      "new.md": "proposed",
    });
    await edit(at, "three", "THREE");
    await at.lane.settled();
    expect(at.disk.text("a.md")).toBe("one\nTWO\nthree\n");
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    await at.shows("a.md", "one\nTWO\nTHREE\n");
    expect(await at.bench.text("a.md")).toBe("one\nTWO\nTHREE\n");
    expect(await at.bench.text("d.md")).toBe("c\n");
    await expect.poll(() => at.waiting()).toEqual({});
    expect(at.proposal).toBeUndefined();
  });

  test("[LV9] a later write replaces the proposal, so that nobody approves what they have not seen", async () => {
    const at = await LaneBench.with(FILE, { propose: true });
    await at.write("a.md", "one\nTWO\nthree\n");
    const first = at.proposal!;
    await at.write("a.md", "ONE\nTWO\nthree\n");
    expect(at.proposal).not.toBe(first);
    const refused = await at.bench.proposals.approve(BOB_PERSON, { id: first });
    expect((refused as Refusal).message).toContain(`was replaced by ${at.proposal}`);
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    expect(await at.bench.text("a.md")).toBe("ONE\nTWO\nthree\n");
  });

  test("[LV9] a proposal whose writes the agent takes back is withdrawn", async () => {
    const at = await LaneBench.with(FILE, { propose: true });
    await at.write("a.md", "mine\n");
    const first = at.proposal!;
    await at.write("a.md", FILE["a.md"]);
    expect(at.proposal).toBeUndefined();
    expect(accepted(await at.bench.proposals.get(BOB_PERSON, first))).toMatchObject({ status: "superseded" });
  });

  test("[LV10, LV37] an approved line follows the workspace, though others wrote a line at the same place", async () => {
    const at = await LaneBench.with(FILE, { propose: true });
    await at.write("a.md", `${FILE["a.md"]}mine\n`);
    await at.save("a.md", `${FILE["a.md"]}theirs\n`);
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    await expect.poll(() => at.waiting()).toEqual({});
    const text = await at.bench.text("a.md");
    expect(text.split("\n").sort()).toEqual(["", "mine", "one", "theirs", "three", "two"]);
    await at.shows("a.md", text);
    expect(at.proposal).toBeUndefined();
  });

  test("[LV9, LV37] a line that the agent writes as the former one is approved is the next proposal alone", async () => {
    const at = await LaneBench.with(FILE, { propose: true });
    await at.write("a.md", `${FILE["a.md"]}mine\n`);
    await at.save("a.md", `${FILE["a.md"]}theirs\n`);
    const first = at.proposal!;
    at.disk.write("a.md", `${FILE["a.md"]}mine\nmine, too\n`);
    at.lane.hint(`${at.disk.root}/a.md`);
    const noted = () => at.lane.known.get("a.md" as DocPath)?.proposal;
    await expect.poll(noted, { interval: 1 }).toBeUndefined();
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: first }));
    await at.lane.settled();
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    await expect.poll(() => at.waiting()).toEqual({});
    const text = await at.bench.text("a.md");
    expect(text.split("\n").sort()).toEqual(["", "mine", "mine, too", "one", "theirs", "three", "two"]);
    await at.shows("a.md", text);
  });

  test("[LV24, LV37] an approved line is there once, though the agent writes on from its own text", async () => {
    const at = await LaneBench.with(FILE, { propose: true, tellsReads: true });
    expect(at.disk.read("a.md")).toBe(FILE["a.md"]);
    await at.write("a.md", `${FILE["a.md"]}mine\n`);
    expect(at.disk.read("a.md")).toContain("mine");
    const remark = "a long remark of somebody else";
    await at.save("a.md", `${FILE["a.md"]}${remark}\n`);
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    await expect.poll(() => at.disk.text("a.md")).toContain(remark);
    await at.write("a.md", `${FILE["a.md"]}mine\nmore\n`);
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    const text = await at.bench.text("a.md");
    expect(text.split("\n").sort()).toEqual(["", remark, "mine", "more", "one", "three", "two"]);
    await at.shows("a.md", text);
  });

  test("[LV38] a proposed edit of a file that the workspace deletes is proposed anew, as the file", async () => {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n" }, { propose: true });
    at.disk.write("a.md", "mine\n");
    at.disk.write("b.md", "b, mine\n");
    await at.looked("a.md", "b.md");
    const first = at.proposal!;
    accepted(await at.bench.workspace.remove(BOB, await at.bench.document("a.md")));
    await expect.poll(() => at.proposal).not.toBe(first);
    const { files } = accepted(await at.bench.proposals.get(BOB_PERSON, at.proposal!));
    expect(files).toMatchObject([{ path: "b.md" }, { path: "a.md", operation: "create" }]);
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    await expect.poll(() => at.waiting()).toEqual({});
    expect([await at.bench.text("a.md"), await at.bench.text("b.md")]).toEqual(["mine\n", "b, mine\n"]);
    await edit(at, "mine", "yours");
    await at.shows("a.md", "yours\n");
  });

  /** The agent deletes `a.md`, and writes `b.md`; both wait. */
  async function withDeletion(): Promise<LaneBench> {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n" }, { propose: true });
    at.disk.remove("a.md");
    at.disk.write("b.md", "b, mine\n");
    await at.looked("a.md", "b.md");
    expect(await at.waiting()).toEqual({ "a.md": "proposed, deleted", "b.md": "proposed" });
    return at;
  }

  test("[LV40] a file comes back whose deletion waits while others change it, and holds up no other file", async () => {
    const at = await withDeletion();
    await edit(at, "one", "ONE");
    await at.shows("a.md", "ONE\ntwo\nthree\n");
    await expect.poll(() => at.waiting()).toEqual({ "b.md": "proposed" });
    const shown = accepted(await at.bench.proposals.get(BOB_PERSON, at.proposal!));
    expect(shown).toMatchObject({ status: "pending", path: "b.md" });
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    await expect.poll(() => at.waiting()).toEqual({});
    expect([await at.bench.text("a.md"), await at.bench.text("b.md")]).toEqual([
      "ONE\ntwo\nthree\n",
      "b, mine\n",
    ]);
    await edit(at, "two", "TWO");
    await at.shows("a.md", "ONE\nTWO\nthree\n");
  });

  test("[LV40] so does one that others changed while no daemon ran, and the agent can delete it again", async () => {
    const at = await withDeletion();
    await at.restart(() => at.bench.save("a.md", "ONE\ntwo\nthree\n"));
    await at.bench.text("a.md");
    await at.shows("a.md", "ONE\ntwo\nthree\n");
    await expect.poll(() => at.waiting()).toEqual({ "b.md": "proposed" });
    await at.remove("a.md");
    await expect.poll(() => at.waiting()).toEqual({ "a.md": "proposed, deleted", "b.md": "proposed" });
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    await expect.poll(() => at.bench.workspace.open("a.md")).toMatchObject({ code: "DELETED" });
    await expect.poll(() => at.waiting()).toEqual({});
  });

  test("[LV40] so does one whose deletion a reviewer rejected", async () => {
    const at = await withDeletion();
    accepted(await at.bench.proposals.reject(BOB_PERSON, at.proposal!, "needed"));
    await expect.poll(() => at.waiting()).toEqual({ "a.md": "rejected, deleted", "b.md": "rejected" });
    await edit(at, "one", "ONE");
    await at.shows("a.md", "ONE\ntwo\nthree\n");
    await expect.poll(() => at.waiting()).toEqual({ "b.md": "rejected" });
  });

  test("[LV8, LV40] a deletion stays proposed while the workspace has just what the agent wrote before it", async () => {
    const at = await LaneBench.with(FILE, { propose: true });
    await at.write("a.md", "mine\n");
    const first = at.proposal!;
    at.disk.remove("a.md");
    at.lane.hint(`${at.disk.root}/a.md`);
    await expect.poll(() => at.lane.known.get("a.md" as DocPath)?.gone, { interval: 1 }).toBe(true);
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: first }));
    await at.lane.settled();
    expect(await at.bench.text("a.md")).toBe("mine\n");
    expect(await at.waiting()).toEqual({ "a.md": "proposed, deleted" });
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    await expect.poll(() => at.bench.workspace.open("a.md")).toMatchObject({ code: "DELETED" });
  });

  test("[LV37, LV40] after a deletion, an approval of what the agent wrote before it takes out nothing and adds it once", async () => {
    const at = await LaneBench.with(FILE, { propose: true });
    await at.write("a.md", `${FILE["a.md"]}mine\n`);
    await edit(at, "one\n", "one\ntheirs\n");
    const first = at.proposal!;
    at.disk.remove("a.md");
    at.lane.hint(`${at.disk.root}/a.md`);
    const withTheirs = "one\ntheirs\ntwo\nthree\n";
    await expect.poll(() => at.disk.text("a.md"), { interval: 1 }).toBe(withTheirs);
    at.disk.write("a.md", `${withTheirs}more\n`);
    at.lane.hint(`${at.disk.root}/a.md`);
    const status = () => at.lane.known.get("a.md" as DocPath)?.status;
    await expect.poll(status, { interval: 1 }).toBe("proposed");
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: first }));
    await at.lane.settled();
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    await expect.poll(() => at.waiting()).toEqual({});
    const text = await at.bench.text("a.md");
    expect(text.split("\n").sort()).toEqual(["", "mine", "more", "one", "theirs", "three", "two"]);
    await at.shows("a.md", text);
  });

  test("[LV36] after an approval in part the rest is the same proposal, which can be rejected", async () => {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n" }, { propose: true });
    at.disk.write("a.md", "mine\n");
    at.disk.write("b.md", "b, mine\n");
    await at.looked("a.md", "b.md");
    const id = at.proposal!;
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id, files: [{ path: "a.md" }] }));
    await expect.poll(() => at.waiting()).toEqual({ "b.md": "proposed" });
    expect(at.proposal).toBe(id);
    accepted(await at.bench.proposals.reject(BOB_PERSON, id, "not this"));
    await expect.poll(() => at.waiting()).toEqual({ "b.md": "rejected" });
    expect([await at.bench.text("a.md"), await at.bench.text("b.md")]).toEqual(["mine\n", "b\n"]);
  });

  test("[LV9] a proposal of two files, of which the agent takes one back, is replaced by one of the other", async () => {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n" }, { propose: true });
    at.disk.write("a.md", "mine\n");
    at.disk.write("b.md", "b, mine\n");
    await at.looked("a.md", "b.md");
    const first = at.proposal!;
    await at.write("a.md", FILE["a.md"]);
    expect(at.proposal).not.toBe(first);
    expect(accepted(await at.bench.proposals.get(BOB_PERSON, at.proposal!))).toMatchObject({ path: "b.md" });
  });

  test("[LV11] after a rejection the lane keeps its text and says why, and the next write is proposed again", async () => {
    const at = await LaneBench.with(FILE, { propose: true });
    await at.write("a.md", "one\ntwo\nTHREE\n");
    accepted(await at.bench.proposals.reject(BOB_PERSON, at.proposal!, "too loud"));
    await expect.poll(() => at.waiting()).toEqual({ "a.md": "rejected" });
    expect((await at.lane.waiting())[0]!.why).toBe("its proposal was rejected: too loud");
    expect(at.disk.text("a.md")).toBe("one\ntwo\nTHREE\n");
    await at.restart();
    expect(await at.waiting()).toEqual({ "a.md": "rejected" });
    await at.write("a.md", "one\ntwo\nThree\n");
    expect(await at.waiting()).toEqual({ "a.md": "proposed" });
    accepted(await at.bench.proposals.approve(BOB_PERSON, { id: at.proposal! }));
    expect(await at.bench.text("a.md")).toBe("one\ntwo\nThree\n");
  });

  test("[LV8] so does a lane whose token may only propose", async () => {
    const at = await LaneBench.with(FILE, { rules: [{ glob: "**", level: "propose" }] });
    await at.write("a.md", "one\ntwo\nTHREE\n");
    expect(await at.waiting()).toEqual({ "a.md": "proposed" });
    expect(await at.bench.text("a.md")).toBe(FILE["a.md"]);
  });
});

describe("a lane after a restart", () => {
  test("[LV12] takes in what changed meanwhile on both sides, once", async () => {
    const at = await LaneBench.with({ ...FILE, "b.md": "b\n", "c.md": "c\n" });
    await at.write("a.md", "one\ntwo\nthree\nfour\n");
    await at.restart(() => {
      at.disk.write("a.md", "one\ntwo\nthree\nfour\nlane\n");
      at.bench.save("a.md", "person\none\ntwo\nthree\nfour\n");
      at.disk.write("new.md", "new\n");
      at.disk.remove("b.md");
      at.bench.write("ws.md", "ws\n");
    });
    await at.bench.text("a.md");
    await at.lane.lookAtAll();
    await at.shows("a.md", "person\none\ntwo\nthree\nfour\nlane\n");
    expect(await at.bench.text("a.md")).toBe("person\none\ntwo\nthree\nfour\nlane\n");
    expect(await at.bench.text("new.md")).toBe("new\n");
    await expect.poll(() => at.bench.workspace.open("b.md")).toMatchObject({ code: "DELETED" });
    await at.shows("ws.md", "ws\n");
    const before = (await at.bench.document("a.md")).version;
    await at.restart();
    expect((await at.bench.document("a.md")).version).toBe(before);
  });
});

/** A person who reviews. */
const BOB_PERSON = { ...BOB, role: "person" } as const;
