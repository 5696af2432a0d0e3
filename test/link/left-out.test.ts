import { describe, expect, test, vi } from "vitest";
import { encodeMessage } from "../../src/link/messages/message.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { Machines, sealedBy } from "./machines.ts";
import { SharedFolders } from "./shared-folders.ts";

/** Time in which machines exchange everything. */
const AWHILE_MS = 10_000;

/** Two machines of which the first one has two files, and a rule of the second one leaves out one of them. */
async function withRule() {
  const machines = new Machines();
  const zoe = machines.add("zoe");
  const bob = machines.add("bob", { ".gitignore": "*.log\n" });
  await machines.run(AWHILE_MS);
  for (const path of ["x.log", "x.md"]) await zoe.create(path, "one\n");
  await machines.run(AWHILE_MS);
  expect(Object.keys(bob.files())).toEqual([".gitignore", "x.md"]);
  return { machines, zoe, bob };
}

describe("[MA184] a file that the snapshot's machine lacks", () => {
  test("comes with the older snapshot of another one", async () => {
    const { machines, zoe, bob } = await withRule();
    await machines.during(bob.link.storeSnapshot());
    await zoe.append("x.log", "two\n");
    const cem = machines.add("cem", {}, { joins: true });
    await machines.run(AWHILE_MS);
    expect(cem.files()).toEqual({ "x.log": "one\ntwo\n", "x.md": "one\n" });
  });

  test("is named as missing, and comes once a machine that has it is here", async () => {
    const { machines, zoe, bob } = await withRule();
    zoe.carrier.cut("both");
    await machines.run(2 * AWHILE_MS);
    machines.broker.memory.objects.clear();
    await machines.during(bob.link.storeSnapshot());
    const cem = machines.add("cem", {}, { joins: true });
    await machines.run(2 * AWHILE_MS);
    expect(cem.files()).toEqual({ "x.md": "one\n" });
    const reason = expect.stringContaining("the snapshot is of bob, which lacks x.log");
    expect(cem.link.status.withheld).toEqual([{ path: "x.log", reason }]);
    zoe.carrier.cut(undefined);
    await machines.run(3 * AWHILE_MS);
    expect(cem.files()).toEqual({ "x.log": "one\n", "x.md": "one\n" });
    await zoe.append("x.log", "two\n");
    await machines.run(AWHILE_MS);
    expect(cem.files()).toEqual({ "x.log": "one\ntwo\n", "x.md": "one\n" });
    expect(cem.link.status.withheld).toEqual([]);
  });

  test("is not asked for by a machine with the same rule", async () => {
    const { machines, zoe, bob } = await withRule();
    zoe.kill();
    machines.broker.memory.objects.clear();
    await machines.during(bob.link.storeSnapshot());
    const cem = machines.add("cem", { ".gitignore": "*.log\n" }, { joins: true });
    await machines.run(2 * AWHILE_MS);
    expect(cem.link.status.withheld).toEqual([
      { path: "x.log", reason: expect.stringContaining(".gitignore") },
    ]);
    expect(cem.link.state.lacking).toBeUndefined();
  });

  test("comes from a machine that may not change everything, beside what that one may not change", async () => {
    const folders = new SharedFolders();
    const ada = await folders.found("ada");
    for (const path of ["a.md", ".vscode/tasks.json"]) await ada.create(path, "{}\n");
    const bob = await folders.join(ada, "bob");
    const rule = { rule: "*.log", file: ".git/info/exclude", line: 1 };
    const { ignored } = ada.workspace.ports;
    vi.spyOn(ignored, "ruleFor").mockImplementation((path) => (path.endsWith(".log") ? rule : undefined));
    await bob.create("x.log", "one\n");
    await folders.run(AWHILE_MS);
    expect(ada.disk.paths()).not.toContain("x.log");
    const cem = await folders.joinWith(await folders.invite(ada), "cem");
    await folders.run(6 * AWHILE_MS);
    expect(cem.files()).toEqual({ "a.md": "{}\n", ".vscode/tasks.json": "{}\n", "x.log": "one\n" });
    expect(cem.machines.status).toMatchObject({ is: "shared", withheld: [] });
  });

  test("comes as a whole with another snapshot, where that machine could not apply a change of it", async () => {
    const machines = new Machines();
    const [zoe, bob] = [machines.add("zoe"), machines.add("bob")];
    await machines.run(AWHILE_MS);
    await zoe.create("a.md", "one\n");
    await machines.run(AWHILE_MS);
    const { applier } = bob.link;
    const apply = applier.apply.bind(applier);
    applier.apply = (item, source) =>
      source.number > 1 ? Promise.reject(new Error("as the test wants it")) : apply(item, source);
    zoe.link.snapshots.store = async () => {};
    await zoe.append("a.md", "two\n");
    await machines.run(AWHILE_MS);
    machines.broker.memory.objects.clear();
    await machines.during(bob.link.storeSnapshot());
    const cem = machines.add("cem", {}, { joins: true });
    await machines.run(AWHILE_MS);
    expect(cem.link.status.withheld.map(({ path }) => path)).toEqual(["a.md"]);
    Reflect.deleteProperty(zoe.link.snapshots, "store");
    await machines.run(3 * AWHILE_MS);
    expect(cem.files()).toEqual({ "a.md": "one\ntwo\n" });
  });
});

describe("[MA185] a file that a rule of a machine left out comes", () => {
  test("once the rule is gone, with what others wrote meanwhile", async () => {
    const { machines, zoe, bob } = await withRule();
    await zoe.append("x.log", "two\n");
    await machines.run(AWHILE_MS);
    bob.save(".gitignore", "");
    await machines.run(2 * AWHILE_MS);
    expect(bob.text("x.log")).toBe("one\ntwo\n");
    expect(bob.link.status.withheld).toEqual([]);
    await zoe.append("x.log", "three\n");
    await bob.append("x.log", "four\n");
    await machines.run(AWHILE_MS);
    expect(bob.text("x.log")?.split("\n").sort()).toEqual(["", "four", "one", "three", "two"]);
    expect(zoe.text("x.log")).toBe(bob.text("x.log"));
  });

  test("once somebody gives it a name that no rule leaves out", async () => {
    const { machines, zoe, bob } = await withRule();
    await zoe.rename("x.log", "y.md");
    await zoe.append("y.md", "two\n");
    await machines.run(2 * AWHILE_MS);
    expect(bob.text("y.md")).toBe("one\ntwo\n");
    await bob.append("y.md", "three\n");
    await machines.run(AWHILE_MS);
    expect(zoe.text("y.md")).toBe("one\ntwo\nthree\n");
  });

  test("but not once it is deleted", async () => {
    const { machines, zoe, bob } = await withRule();
    await zoe.append("x.log", "two\n");
    await zoe.remove("x.log");
    await machines.run(AWHILE_MS);
    bob.save(".gitignore", "");
    await machines.run(2 * AWHILE_MS);
    expect(bob.link.status.withheld).toEqual([]);
    expect(bob.link.state.lacking).toBeUndefined();
    expect(bob.files()).toEqual(zoe.files());
  });
});

test("[MA189] a file that gets a name which a rule of this machine leaves out keeps its former place, and takes further edits", async () => {
  const { machines, zoe, bob } = await withRule();
  machines.reports.splice(0);
  await zoe.rename("x.md", "y.log");
  await zoe.append("y.log", "two\n");
  await machines.run(2 * AWHILE_MS);
  await bob.append("x.md", "three\n");
  await machines.run(AWHILE_MS);
  for (const text of [bob.text("x.md"), zoe.text("y.log")]) expect(text).toBe("one\ntwo\nthree\n");
  expect(bob.paths()).not.toContain("y.log");
  expect(machines.reports).toEqual(['bob: link.unplaced {"path":"y.log","reason":"IGNORED"}']);
});

describe("[MA215] a file of others that a later rule of this machine leaves out", () => {
  /** Two machines with one file, which a rule of the second one leaves out from now on. */
  async function withLaterRule() {
    const machines = new Machines();
    const [zoe, bob] = [machines.add("zoe"), machines.add("bob")];
    await machines.run(AWHILE_MS);
    await zoe.create("x.log", "one\n");
    await machines.run(AWHILE_MS);
    bob.patterns = "*.log\n";
    bob.workspace.hint(".gitignore" as DocPath);
    await machines.run(AWHILE_MS);
    machines.reports.splice(0);
    return { machines, zoe, bob };
  }

  test("is named, and the edits of others that it lacks come once the rule is gone", async () => {
    const { machines, zoe, bob } = await withLaterRule();
    await zoe.append("x.log", "two\n");
    await zoe.create("y.md", "at once\n");
    await machines.run(1_000);
    expect(bob.text("y.md")).toBe("at once\n");
    const reason = expect.stringContaining("x.log is no document");
    expect(bob.link.status.withheld).toEqual([{ path: "x.log", reason }]);
    await machines.run(3 * AWHILE_MS);
    expect(bob.link.state.lacking).toBeUndefined();
    expect(machines.reports).toEqual([expect.stringContaining("bob: link.withheld")]);
    bob.patterns = "";
    await machines.run(3 * AWHILE_MS);
    expect(bob.text("x.log")).toBe("one\ntwo\n");
    expect(bob.link.status.withheld).toEqual([]);
  });

  test("is no defect, either, where edits come before the snapshot with what it lacks", async () => {
    const { machines, zoe, bob } = await withLaterRule();
    zoe.link.snapshots.store = async () => {};
    await zoe.append("x.log", "two\n");
    await machines.run(AWHILE_MS);
    bob.patterns = "";
    await machines.run(2 * AWHILE_MS);
    await zoe.append("x.log", "three\n");
    await machines.run(AWHILE_MS);
    expect(machines.reports.filter((report) => report.includes("link.defect"))).toEqual([]);
    Reflect.deleteProperty(zoe.link.snapshots, "store");
    await machines.run(6 * AWHILE_MS);
    expect(bob.text("x.log")).toBe("one\ntwo\nthree\n");
  });

  test("keeps what a person saved meanwhile, beside the edits of others", async () => {
    const { machines, zoe, bob } = await withLaterRule();
    await zoe.append("x.log", "two\n");
    bob.save("x.log", "zero\none\n");
    await machines.run(AWHILE_MS);
    bob.patterns = "";
    await machines.run(3 * AWHILE_MS);
    for (const machine of [zoe, bob]) expect(machine.text("x.log")).toBe("zero\none\ntwo\n");
  });

  test("comes back for all where a person deleted it, who had not seen the edits of others", async () => {
    const { machines, zoe, bob } = await withLaterRule();
    await zoe.append("x.log", "two\n");
    await machines.run(AWHILE_MS);
    bob.disk.remove("x.log");
    bob.patterns = "";
    await machines.run(3 * AWHILE_MS);
    for (const machine of [zoe, bob]) expect(machine.text("x.log")).toBe("one\ntwo\n");
  });

  test("stays while the rule is there where others deleted it, and goes once the rule is gone", async () => {
    const { machines, zoe, bob } = await withLaterRule();
    await zoe.remove("x.log");
    await machines.run(AWHILE_MS);
    await machines.during(zoe.link.storeSnapshot());
    bob.link.state.lacksUnknown({ zoe: 1 });
    await machines.run(AWHILE_MS);
    expect(bob.text("x.log")).toBe("one\n");
    bob.patterns = "";
    await machines.run(3 * AWHILE_MS);
    expect(bob.text("x.log")).toBeUndefined();
  });
});

describe("[MA216] machines whose rules left out files of one another", () => {
  test("have all files once the rules are gone", async () => {
    const machines = new Machines();
    const [ada, bob] = [machines.add("ada"), machines.add("bob")];
    [ada.patterns, bob.patterns] = ["b.log\n", "a.log\n"];
    await machines.run(AWHILE_MS);
    await ada.create("a.log", "one\n");
    await bob.create("b.log", "two\n");
    await machines.run(AWHILE_MS);
    [ada.patterns, bob.patterns] = ["", ""];
    await machines.run(6 * AWHILE_MS);
    for (const machine of [ada, bob]) expect(machine.files()).toEqual({ "a.log": "one\n", "b.log": "two\n" });
  });

  test("lack nothing of a file that two made, once it is deleted", async () => {
    const machines = new Machines();
    const [ada, bob, cem] = [machines.add("ada"), machines.add("bob"), machines.add("cem")];
    bob.patterns = "*.log\n";
    await machines.run(AWHILE_MS);
    for (const machine of [ada, cem]) machine.save("a.log", "one\n");
    await machines.run(AWHILE_MS);
    await cem.remove("a.log");
    bob.patterns = "";
    await machines.run(2 * AWHILE_MS);
    expect(bob.link.status.withheld).toEqual([]);
    expect(bob.link.state.isPartial).toBe(false);
  });

  test("get a snapshot also after who has all took in that of a machine that lacked something", async () => {
    const machines = new Machines();
    const [ada, bob] = [machines.add("ada"), machines.add("bob")];
    bob.patterns = "*.log\n";
    await machines.run(AWHILE_MS);
    await ada.create("a.log", "one\n");
    await machines.run(AWHILE_MS);
    await machines.during(bob.link.storeSnapshot());
    await machines.during(ada.link.snapshots.takeLacking({ ada: 1 }));
    bob.patterns = "";
    await machines.run(6 * AWHILE_MS);
    expect(bob.files()).toEqual({ "a.log": "one\n" });
  });

  test("have the edits of all in one file once the rules are gone", async () => {
    const machines = new Machines();
    const all = ["ada", "bob", "cem"].map((name) => machines.add(name));
    await machines.run(AWHILE_MS);
    await all[0]!.create("a.log", "one\n");
    await machines.run(AWHILE_MS);
    for (const { carrier } of all) carrier.cut("both");
    for (const machine of all) await machine.append("a.log", `${machine.name}\n`);
    for (const machine of all) machine.patterns = "*.log\n";
    for (const machine of all) machine.workspace.hint(".gitignore" as DocPath);
    await machines.run(AWHILE_MS);
    for (const { carrier } of all) carrier.cut(undefined);
    await machines.run(AWHILE_MS);
    for (const machine of all) machine.patterns = "";
    await machines.run(12 * AWHILE_MS);
    for (const machine of all)
      expect(machine.text("a.log")?.split("\n").sort()).toEqual(["", "ada", "bob", "cem", "one"]);
    for (const { link } of all) expect(link.state.isPartial).toBe(false);
  });

  test("have an edit that one of them only noted, also where another machine sends the file first", async () => {
    const machines = new Machines();
    const [ada, bob, dan] = [machines.add("ada"), machines.add("bob"), machines.add("dan")];
    await machines.run(AWHILE_MS);
    bob.patterns = "a.log\n";
    dan.carrier.cut("both");
    for (const machine of [ada, dan]) machine.save("a.log", "one\n");
    await machines.run(AWHILE_MS);
    await ada.append("a.log", "two\n");
    await machines.run(2 * AWHILE_MS);
    bob.patterns = "";
    dan.carrier.cut(undefined);
    await machines.run(6 * AWHILE_MS);
    for (const machine of [ada, bob, dan]) expect(machine.files()).toEqual({ "a.log": "one\ntwo\n" });
  });
});

/** Two machines of which the second one cannot apply the first message of the first one, with a file. */
async function withDefect() {
  const machines = new Machines();
  const [ada, bob] = [machines.add("ada"), machines.add("bob")];
  await machines.run(AWHILE_MS);
  const { applier } = bob.link;
  const apply = applier.apply.bind(applier);
  applier.apply = (item, source) =>
    source.number === 1 ? Promise.reject(new Error("as the test wants it")) : apply(item, source);
  return { machines, ada, bob };
}

describe("[MA186] a file of a message that a machine could not apply, and that it does not know,", () => {
  test("comes with a snapshot", async () => {
    const { machines, ada, bob } = await withDefect();
    await ada.create("a.md", "one\n");
    await machines.run(3 * AWHILE_MS);
    expect(bob.files()).toEqual({ "a.md": "one\n" });
    await bob.append("a.md", "two\n");
    await machines.run(AWHILE_MS);
    expect(ada.files()).toEqual({ "a.md": "one\ntwo\n" });
    expect(bob.link.state.lacking).toBeUndefined();
  });

  test("[MA188] comes to who joined with the snapshot of that machine, too", async () => {
    const { machines, ada, bob } = await withDefect();
    ada.link.snapshots.store = async () => {};
    await ada.create("a.md", "one\n");
    await machines.run(AWHILE_MS);
    ada.carrier.cut("both");
    machines.broker.wipe();
    await machines.run(3 * AWHILE_MS);
    const cem = machines.add("cem", {}, { joins: true });
    await machines.run(AWHILE_MS);
    expect([cem.isJoining, cem.files()]).toEqual([false, {}]);
    Reflect.deleteProperty(ada.link.snapshots, "store");
    ada.carrier.cut(undefined);
    await machines.run(4 * AWHILE_MS);
    for (const machine of [bob, cem]) expect(machine.files()).toEqual({ "a.md": "one\n" });
  });
});

test("[MA219] machines that all lack the same change store no snapshot again until one has something new", async () => {
  const machines = new Machines();
  const mal = machines.add("mal");
  const others = ["ada", "bob", "cem"].map((name) => machines.add(name));
  await machines.run(AWHILE_MS);
  await mal.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  for (const { link } of others)
    link.applier.apply = () => Promise.reject(new Error("builds on changes that nobody has"));
  mal.link.snapshots.store = async () => {};
  await mal.append("a.md", "two\n");
  await machines.run(2 * AWHILE_MS);
  mal.kill();
  for (const { link } of others) Reflect.deleteProperty(link.applier, "apply");
  await machines.run(12 * AWHILE_MS);
  const stores = others.map(({ link }) => vi.spyOn(link.snapshots, "store"));
  await machines.run(60 * AWHILE_MS);
  for (const store of stores) expect(store).not.toHaveBeenCalled();
  for (const { link } of others) expect(link.state.lacking).toEqual({ mal: 2 });
  await others[0]!.append("a.md", "three\n");
  await machines.run(60 * AWHILE_MS);
  expect(stores.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBeGreaterThan(0);
  for (const machine of others) expect(machine.files()).toEqual({ "a.md": "one\nthree\n" });
});

test("[MA218] a change of a file that a machine lacks and does not know comes with the next snapshot that has it", async () => {
  const { machines, zoe, bob } = await withRule();
  machines.broker.memory.objects.clear();
  await machines.during(bob.link.storeSnapshot());
  const cem = machines.add("cem", {}, { joins: true });
  cem.carrier.cut("both");
  await cem.create("x.log", "of cem\n"); // so that it cannot note the name of the file that bob lacks
  cem.link.snapshots.takeLacking = async () => {};
  cem.carrier.cut(undefined);
  await machines.run(AWHILE_MS);
  await machines.during(zoe.link.storeSnapshot());
  zoe.link.snapshots.store = async () => {};
  await zoe.append("x.log", "two\n");
  await machines.run(AWHILE_MS);
  Reflect.deleteProperty(cem.link.snapshots, "takeLacking");
  await machines.run(AWHILE_MS);
  Reflect.deleteProperty(zoe.link.snapshots, "store");
  await machines.run(6 * AWHILE_MS);
  expect(cem.files()).toEqual({ "x.log": "one\ntwo\n", "x (cem).log": "of cem\n", "x.md": "one\n" });
  expect(machines.reports.filter((report) => report.includes("unknown_document"))).toEqual([]);
});

test("[MA187] an unreadable item of a machine that may only read keeps no machine from a snapshot", async () => {
  const machines = new Machines();
  const [ada, mal] = [machines.add("ada"), machines.add("mal")];
  machines.levels.set("mal", "read");
  await machines.run(AWHILE_MS);
  await ada.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  mal.kill();
  const { id } = ada.store.documents()[0]!;
  for (const [number, doc] of [id, "doc_unknown"].entries()) {
    const message = encodeMessage({ after: {}, items: [{ is: "change", doc } as never] });
    machines.broker.store("mal", number + 1, sealedBy("mal", number + 1, message));
  }
  await machines.run(AWHILE_MS);
  expect(ada.link.state.standing.received).toEqual({ mal: 2 });
  expect(ada.link.state.isPartial).toBe(false);
  expect(machines.reports).toEqual(
    [id, "doc_unknown"].map((doc) => `ada: link.denied {"machine":"mal","doc":"${doc}","items":1}`),
  );
});
