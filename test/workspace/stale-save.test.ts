import { describe, expect, test, vi } from "vitest";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { GuardedWorkspace } from "../../src/workspace/folder/guarded-workspace.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, Bench, BOB } from "./harness.ts";

const LINES = Array.from({ length: 12 }, (_, i) => `line ${i} of the notes\n`);
const BASE = LINES.join("");
const SYSTEMS =
  "Everybody brings two things.\n\n- The first release runs on Linux and macOS.\n\n- Tea or coffee?\n";
const CODE = "function area(w, h) {\n  return w * h;\n}\n\nfunction edge(w, h) {\n  return 2 * (w + h);\n}\n";

/** Returns marks from one number to another. */
const marks = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `«e:${from + i}»`).join(" ");
const GREW = `one: ${marks(30, 60)} «a:20» «a:14»\ntwo: ${marks(60, 90)} «a:15»\nthree: ${marks(90, 120)} «a:10»\n`;

interface Case {
  readonly name: string;
  readonly base: string;
  /** The replacements that agents make one after the other. */
  readonly agents: readonly (readonly [old: string, updated: string])[];
  /** Returns the text of the person's save, given the base that the person opened. */
  readonly save: (base: string) => string;
  readonly expected: string;
  readonly event: "rescued" | "superseded" | undefined;
}

const CASES: readonly Case[] = [
  {
    name: "own and newer edits far apart: both remain",
    base: BASE,
    agents: [["line 9 of", "line nine of"]],
    save: (base) => base.replace("line 1 of the notes", "line 1 of my notes"),
    expected: BASE.replace("line 9 of", "line nine of").replace("line 1 of the notes", "line 1 of my notes"),
    event: "rescued",
  },
  {
    name: "newer edits by several agents: all remain",
    base: BASE,
    agents: [
      ["line 3 of", "line three of"],
      ["line 5 of the notes\n", "line 5 of the notes\nan agent's own line\n"],
      ["line 9 of", "line nine of"],
    ],
    save: (base) => `${base}the person's last words\n`,
    expected: `${BASE.replace("line 3 of", "line three of")
      .replace("line 5 of the notes\n", "line 5 of the notes\nan agent's own line\n")
      .replace("line 9 of", "line nine of")}the person's last words\n`,
    event: "rescued",
  },
  {
    name: "an agent's words on both sides of an old word: they remain",
    base: SYSTEMS,
    agents: [["Linux and macOS", "Linux, macOS and BSD"]],
    save: (base) => base.replace("two things", "three things"),
    expected: SYSTEMS.replace("Linux and macOS", "Linux, macOS and BSD").replace(
      "two things",
      "three things",
    ),
    event: "rescued",
  },
  {
    name: "[I6i] sorted lines with an agent's short line among them: it is there once",
    base: "b of the notes\nc of the notes\nd of the notes\n",
    agents: [["b of the notes\n", "b of the notes\n«a:7»\n"]],
    save: (base) => `${base}«a:7»\n`,
    expected: "b of the notes\nc of the notes\nd of the notes\n«a:7»\n",
    event: "superseded",
  },
  {
    name: "[I6i] sorted lines without an agent's newest line: it comes back, and an earlier one is there once",
    base: "b of the notes\nc of the notes\nd of the notes\n",
    agents: [
      ["b of the notes\n", "b of the notes\n«a:7»\n"],
      ["c of the notes\n", "c of the notes\n«a:9»\n"],
    ],
    save: (base) => `${base}«a:7»\n`,
    expected: "b of the notes\nc of the notes\n«a:9»\nd of the notes\n«a:7»\n",
    event: "rescued",
  },
  {
    name: "[I6i] sorted lines of words without an agent's newest line: it comes back, and an earlier one is there once",
    base: "b of the notes\nc of the notes\nd of the notes\n",
    agents: [
      ["b of the notes\n", "b of the notes\nzebras from Africa\n"],
      ["c of the notes\n", "c of the notes\nlions and tigers\n"],
    ],
    save: (base) => `${base}zebras from Africa\n`,
    expected: "b of the notes\nc of the notes\nlions and tigers\nd of the notes\nzebras from Africa\n",
    event: "rescued",
  },
  {
    name: "own and newer edits in adjacent lines: both remain",
    base: BASE,
    agents: [["line 4 of the notes", "line 4 of an agent"]],
    save: (base) => base.replace("line 5 of the notes", "line 5 of a person"),
    expected: BASE.replace("line 4 of the notes", "line 4 of an agent").replace(
      "line 5 of the notes",
      "line 5 of a person",
    ),
    event: "rescued",
  },
  {
    name: "own and newer edits in one line: both remain",
    base: BASE,
    agents: [["line 4 of the notes", "line 4 of the notes, says an agent"]],
    save: (base) => base.replace("line 4 of", "my line 4 of"),
    expected: BASE.replace("line 4 of the notes", "my line 4 of the notes, says an agent"),
    event: "rescued",
  },
  {
    name: "both sides replace one word, and the agents edit elsewhere: the save remains, and is reported",
    base: "the cat sat on the mat\nand slept\nuntil noon\n",
    agents: [
      ["and slept\n", "and slept\nand snored\n"],
      ["cat", "tiger"],
    ],
    save: (base) => base.replace("cat", "kitten"),
    expected: "the kitten sat on the mat\nand slept\nuntil noon\n",
    event: "superseded",
  },
  {
    name: "both sides replace one word and nothing else: the agent's word is removed and reported",
    base: "the cat sat on the mat\n",
    agents: [["cat", "dog"]],
    save: (base) => base.replace("cat", "cow"),
    expected: "the cow sat on the mat\n",
    event: "superseded",
  },
  {
    name: "an agent replaces everything, so the save is nearest to the newest version: the edit is reported",
    base: "the cat sat on the mat all day and all night, and dreamt of mice\n",
    agents: [["the cat sat on the mat all day and all night, and dreamt of mice", "a dog barked"]],
    save: () => "the cat is gone\n",
    expected: "the cat is gone\n",
    event: "superseded",
  },
  {
    name: "equal letters by chance do not show that the author saw the agent's words",
    base: "two x and é two\nthe\none é - the x\n\n",
    agents: [["and é two\nthe\none é - the x\n\n", "the ‹agentswords›"]],
    save: () => "two x and é t‹personswords›\n",
    expected: "two x and é t‹personswords›\n",
    event: "superseded",
  },
  {
    name: "other words with the same letters do not show that the author saw the agent's words",
    base: "one two\n",
    agents: [["one two\n", "one two\nmigration tomorrow\n"]],
    save: (base) => `${base}imitation, sorrow\n`,
    expected: "one two\nimitation, sorrow\n",
    event: "superseded",
  },
  {
    name: "the save is empty: the agent's edit is reported",
    base: BASE,
    agents: [["line 4 of the notes", "line 4 of an agent"]],
    save: () => "",
    expected: "",
    event: "superseded",
  },
  {
    name: "the save contains part of an agent's text at its place: no text is inserted twice",
    base: "one two\nthree\n",
    agents: [
      ["one two\n", "one two\napples, pears, quinces, plums, gooseberries, medlars, cherries, figs\n"],
    ],
    save: (base) => base.replace("three", "gooseberries, three and four and more of my own words"),
    expected: "one two\ngooseberries, three and four and more of my own words\n",
    event: "superseded",
  },
  {
    name: "the save contains an agent's few characters among its own words: they are not inserted twice",
    base: BASE,
    agents: [["line 4 of", "line 4 «a:20» of"]],
    save: (base) =>
      base.replace(LINES.slice(3, 9).join(""), "Six lines were too many, so here is «a:20» and the rest.\n"),
    expected: BASE.replace(
      LINES.slice(3, 9).join(""),
      "Six lines were too many, so here is «a:20» and the rest.\n",
    ),
    event: "superseded",
  },
  {
    name: "the author reloaded and inserts many times as much as there was: the save is not stale",
    base: "one: «a:14»\ntwo: «a:15»\nthree: «a:10»\n",
    agents: [["one:", "one: «a:20»"]],
    save: () => GREW,
    expected: GREW,
    event: undefined,
  },
  {
    name: "the author reloaded and edits elsewhere: the save is not stale",
    base: BASE,
    agents: [["line 9 of", "line nine of"]],
    save: (base) => base.replace("line 9 of", "line nine of").replace("line 1 of", "line one of"),
    expected: BASE.replace("line 9 of", "line nine of").replace("line 1 of", "line one of"),
    event: undefined,
  },
  {
    name: "the author reloaded and rewrites the agent's words: the save is not stale",
    base: BASE,
    agents: [["line 9 of the notes", "line nine of the notes, by an agent"]],
    save: (base) => base.replace("line 9 of the notes", "line nine of the notes, by an agent and me"),
    expected: BASE.replace("line 9 of the notes", "line nine of the notes, by an agent and me"),
    event: undefined,
  },
  {
    name: "the save removes one of two edits and contains the other: its author saw both",
    base: BASE,
    agents: [
      ["line 3 of the notes\n", "line 3 of the notes\nshort\n"],
      ["line 9 of the notes\n", "line 9 of the notes\nanother line, and a longer one\n"],
    ],
    save: (base) =>
      base
        .replace("line 9 of the notes\n", "line 9 of the notes\nanother line, and a longer one\n")
        .replace("line 1 of", "line one of"),
    expected: BASE.replace(
      "line 9 of the notes\n",
      "line 9 of the notes\nanother line, and a longer one\n",
    ).replace("line 1 of", "line one of"),
    event: undefined,
  },
  {
    name: "a save equal to an earlier version remains, and the agents' edits are reported",
    base: BASE,
    agents: [
      ["line 9 of", "line nine of"],
      ["line 2 of", "line two of"],
    ],
    save: (base) => base,
    expected: BASE,
    event: "superseded",
  },
  {
    name: "git stash: a save without own text is not merged, and the agent's edit is reported",
    base: `${BASE}a local line\n`,
    agents: [["line 9 of", "line nine of"]],
    save: () => BASE,
    expected: BASE,
    event: "superseded",
  },
  {
    name: "a formatter ran on the old text: the agent's edit remains",
    base: CODE,
    agents: [["return w * h;", "return w * h; // area"]],
    save: (base) => base.replaceAll("\n  ", "\n    "),
    expected: CODE.replaceAll("\n  ", "\n    ").replace("return w * h;", "return w * h; // area"),
    event: "rescued",
  },
  {
    name: "the author rewrote the whole text with other words: no old word is spliced into it",
    base: "# Plan\n\nAlpha opens the door.\n\nBeta waits.\n\nGamma closes the door.\n",
    agents: [["Beta waits.", `Beta waits.\n\n${"Somebody sings another long song. ".repeat(9)}`]],
    save: () => "# Plan\n\nDelta closes the case.\n\nThis text is new.\n\nNothing else remains.\n",
    expected: "# Plan\n\nDelta closes the case.\n\nThis text is new.\n\nNothing else remains.\n",
    event: "superseded",
  },
  {
    name: "CRLF, no final newline and multi-byte characters: both sides remain",
    base: "первая\r\nвторая 😀\r\nтретья",
    agents: [["вторая 😀", "вторая 😀 и ещё"]],
    save: (base) => base.replace("третья", "третья, моя"),
    expected: "первая\r\nвторая 😀 и ещё\r\nтретья, моя",
    event: "rescued",
  },
];

/** Agents edit the base; then a person saves a buffer that was opened at the base. */
async function saveStale({ base, agents, save }: Pick<Case, "base" | "agents" | "save">, bench: Bench) {
  await bench.document("a.md");
  for (const [i, [old, updated]] of agents.entries())
    accepted(
      await bench.edit(i % 2 === 0 ? ALICE : BOB, {
        path: "a.md",
        plan: planReplace(old, updated, "unique"),
      }),
    );
  bench.save("a.md", save(base));
  return settled(bench);
}

/** Returns the document once the file contains all its edits. */
async function settled(bench: Bench) {
  const document = await bench.document("a.md");
  await document.mirror.reached(document.head.seq);
  return document;
}

/** The events about stale saves. */
const staleEvents = (bench: Bench) =>
  bench.events.filter(({ type }: WorkspaceEvent) => type === "rescued" || type === "superseded");

test("[I6b] a save that returns to an earlier version names the agents' edits also after another save", async () => {
  const bench = new Bench({ "a.md": BASE });
  await bench.document("a.md");
  accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("an agent's line\n") }));
  bench.save("a.md", `${BASE}an agent's line\nand one of a person\n`);
  await bench.document("a.md");
  bench.save("a.md", BASE);
  expect(await bench.text("a.md")).toBe(BASE);
  await (await bench.document("a.md")).durable;
  await expect
    .poll(() => bench.events.filter(({ type }) => type === "superseded"))
    .toMatchObject([{ authors: ["alice"], path: "a.md" }]);
});

test("[I6b] a save that returns to an earlier version names edits from before and after another save", async () => {
  const bench = new Bench({ "a.md": BASE });
  await bench.document("a.md");
  accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("an agent's line\n") }));
  bench.save("a.md", `${BASE}an agent's line\nand one of a person\n`);
  await settled(bench);
  accepted(await bench.edit(BOB, { path: "a.md", plan: planAppend("another agent's line\n") }));
  bench.save("a.md", BASE);
  const document = await settled(bench);
  expect(document.text.toString()).toBe(BASE);
  await document.durable;
  expect(staleEvents(bench)).toMatchObject([{ type: "superseded", authors: ["alice", "bob"] }]);
});

test("[I6b] a save that returns to an earlier save names the edits that were merged beside that one", async () => {
  const bench = new Bench({ "a.md": BASE });
  await bench.document("a.md");
  const editing = bench.edit(ALICE, { path: "a.md", plan: planAppend("an agent's line\n") });
  await Promise.resolve();
  const first = `one of a person\n${BASE}`;
  bench.save("a.md", first);
  accepted(await editing);
  const { text } = await settled(bench);
  expect(text.toString()).toBe(`${first}an agent's line\n`);
  bench.save("a.md", `${text}and one of a person who saw it\n`);
  await settled(bench);
  expect(staleEvents(bench)).toEqual([]);
  bench.save("a.md", first);
  const document = await settled(bench);
  expect(document.text.toString()).toBe(first);
  await document.durable;
  expect(staleEvents(bench)).toMatchObject([{ type: "superseded", authors: ["alice"] }]);
});

test("[EV21] the daemon reads no earlier changes for a save that only adds lines at the end", async () => {
  const bench = new Bench({ "a.md": BASE });
  for (let i = 0; i < 10; i++) {
    bench.save("a.md", `${bench.read("a.md")}line ${i}\n`);
    await (await bench.document("a.md")).durable;
  }
  await bench.restart();
  const { versions } = await bench.document("a.md");
  const read = vi.spyOn(bench.workspace.ports.store, "change");
  const searched = vi.spyOn(versions, "findHash");
  bench.save("a.md", `${bench.read("a.md")}one more\n`);
  expect(await bench.text("a.md")).toBe(bench.read("a.md"));
  expect(searched).not.toHaveBeenCalled();
  expect(read.mock.calls.length).toBeLessThanOrEqual(2);
  bench.save("a.md", bench.read("a.md").replace("one more\n", ""));
  expect(await bench.text("a.md")).toBe(bench.read("a.md"));
  expect(searched).toHaveBeenCalled();
});

describe("a save from a buffer that was not reloaded", () => {
  for (const one of CASES)
    test(`[I6] ${one.name}`, async () => {
      const bench = new Bench({ "a.md": one.base });
      const document = await saveStale(one, bench);
      expect(document.text.toString()).toBe(one.expected);
      expect(bench.read("a.md")).toBe(one.expected);
      await bench.restart();
      expect(staleEvents(bench).map(({ type }) => type)).toEqual(one.event === undefined ? [] : [one.event]);
    });

  const FAR = CASES[0]!;

  test("[I6] the rescue names the authors of the edits, and one undo removes the edits again", async () => {
    const bench = new Bench({ "a.md": FAR.base });
    const document = await saveStale(FAR, bench);
    const [rescued] = staleEvents(bench);
    expect(rescued).toMatchObject({ type: "rescued", path: "a.md", authors: ["alice"], conflicts: [] });
    accepted(await bench.undo(BOB, { changeId: (rescued as { changeId: string }).changeId }));
    expect(bench.read("a.md")).toBe(FAR.save(FAR.base));
    expect(document.head).toMatchObject({ origin: "undo", author: "bob" });
  });

  test.each([
    ["the rescue", FAR, "spliced"],
    [
      "the save",
      CASES.find(({ name }) => name.startsWith("both sides replace one word and nothing else"))!,
      "disk",
    ],
  ])(
    "[HI9] the history names the authors of the edits that a save lacked, and %s, also after a restart",
    async (_, one, author) => {
      const bench = new Bench({ "a.md": one.base });
      const first = (await bench.document("a.md")).version;
      await saveStale(one, bench);
      await bench.restart();
      const { changes } = accepted(
        await bench.history.list(new GuardedWorkspace(bench.workspace, ALICE, "read"), {
          limit: 1,
        }),
      );
      expect(changes).toMatchObject([{ author, lacked: { base: first, authors: ["alice"] } }]);
    },
  );

  test("[I6] edits from before a restart are rescued, too", async () => {
    const bench = new Bench({ "a.md": FAR.base });
    await bench.document("a.md");
    accepted(
      await bench.edit(ALICE, { path: "a.md", plan: planReplace("line 9 of", "line nine of", "unique") }),
    );
    await bench.restart(() => bench.save("a.md", FAR.save(FAR.base)));
    expect((await settled(bench)).text.toString()).toBe(FAR.expected);
    expect(bench.read("a.md")).toBe(FAR.expected);
  });

  test("[I6] rescued text that a second save removes remains removed and is reported", async () => {
    const bench = new Bench({ "a.md": FAR.base });
    await saveStale(FAR, bench);
    const again = `${FAR.save(FAR.base)}more typing\n`;
    bench.save("a.md", again);
    expect((await settled(bench)).text.toString()).toBe(again);
    await (await bench.document("a.md")).durable;
    await expect.poll(() => staleEvents(bench).map(({ type }) => type)).toEqual(["rescued", "superseded"]);
  });

  test("[I6] edits that a second save from the same buffer removes remain removed and are reported", async () => {
    const base = "# Plan\n\nMeet on Monday at ten.\n\nBring the slides.\n\nThe end.\n";
    const bench = new Bench({ "a.md": base });
    await bench.document("a.md");
    const plan = planReplace("slides.", "slides, and the budget for 2027.", "unique");
    accepted(await bench.edit(ALICE, { path: "a.md", plan }));
    const first = base.replace("The end.", "The end of it all.");
    bench.save("a.md", first);
    expect((await settled(bench)).text.toString()).toContain("budget");
    const second = first.replace("Monday", "Wednesday");
    bench.save("a.md", second);
    expect((await settled(bench)).text.toString()).toBe(second);
    await expect
      .poll(() => staleEvents(bench))
      .toMatchObject([{ type: "rescued" }, { type: "superseded", authors: ["alice"] }]);
  });

  test("[I6] the author of a save has seen the edits in it, so the next save may remove them", async () => {
    const bench = new Bench({ "a.md": BASE });
    await bench.document("a.md");
    accepted(
      await bench.edit(ALICE, { path: "a.md", plan: planReplace("line 9 of", "line nine of", "unique") }),
    );
    bench.save("a.md", `${bench.read("a.md")}seen\n`);
    await settled(bench);
    bench.save("a.md", `${BASE}seen\nand the nine is gone\n`);
    expect((await settled(bench)).text.toString()).toBe(`${BASE}seen\nand the nine is gone\n`);
    expect(staleEvents(bench)).toEqual([]);
  });

  test.each([
    ["", false],
    [", nor after a restart", true],
  ])("[I6] an author who saved before the file contained an edit has not seen it%s", async (_, restarts) => {
    const bench = new Bench({ "a.md": BASE });
    await bench.document("a.md");
    const editing = bench.edit(ALICE, {
      path: "a.md",
      plan: planReplace("line 9 of", "line nine of", "unique"),
    });
    await Promise.resolve();
    const buffer = BASE.replace("line 1 of", "line one of");
    bench.save("a.md", buffer);
    accepted(await editing);
    expect(await bench.text("a.md")).toBe(buffer.replace("line 9 of", "line nine of"));
    if (restarts) {
      await settled(bench);
      await bench.restart();
    }
    bench.save("a.md", `${buffer}more typing\n`);
    expect((await settled(bench)).text.toString()).toBe(
      `${buffer.replace("line 9 of", "line nine of")}more typing\n`,
    );
    expect(staleEvents(bench)).toMatchObject([{ type: "rescued", authors: ["alice"] }]);
  });

  test("[I6, I6f] an author who saved an old buffer before the file contained an edit has not seen it, despite a rescue; the next save of that buffer removes neither", async () => {
    const bench = new Bench({ "a.md": BASE });
    await bench.document("a.md");
    const replace = (old: string, updated: string) => ({
      path: "a.md",
      plan: planReplace(old, updated, "unique"),
    });
    accepted(await bench.edit(ALICE, replace("line 3 of", "line three of")));
    const editing = bench.edit(BOB, replace("line 9 of", "line nine of"));
    await Promise.resolve();
    const buffer = BASE.replace("line 1 of", "line one of");
    bench.save("a.md", buffer);
    accepted(await editing);
    await settled(bench);
    bench.save("a.md", `${buffer}more typing\n`);
    const both = buffer.replace("line 3 of", "line three of").replace("line 9 of", "line nine of");
    expect((await settled(bench)).text.toString()).toBe(`${both}more typing\n`);
    expect(staleEvents(bench)).toMatchObject([
      { type: "rescued", authors: ["alice"] },
      { type: "rescued", authors: ["alice", "bob"] },
    ]);
  });

  test('[I6] with staleSaves: "disk" the daemon imports a stale save unchanged', async () => {
    const bench = new Bench({ "a.md": FAR.base }, { staleSaves: "disk" });
    expect((await saveStale(FAR, bench)).text.toString()).toBe(FAR.save(FAR.base));
    expect(staleEvents(bench)).toEqual([]);
  });

  test("[I6] who renames the file has not seen the edits in it", async () => {
    const bench = new Bench({ "b.md": FAR.base });
    await bench.document("b.md");
    const plan = planReplace("line 9 of", "line nine of", "unique");
    accepted(await bench.edit(ALICE, { path: "b.md", plan }));
    const document = await bench.document("b.md");
    await document.mirror.reached(document.head.seq);
    bench.rename("b.md", "a.md");
    await bench.document("a.md");
    accepted(
      await bench.edit(BOB, { path: "a.md", plan: planReplace("line 6 of", "line six of", "unique") }),
    );
    await settled(bench);
    bench.save("a.md", FAR.save(FAR.base));
    expect((await settled(bench)).text.toString()).toBe(FAR.expected.replace("line 6 of", "line six of"));
  });

  test("[I6] edits that agents make during the rescue remain", async () => {
    const bench = new Bench({ "a.md": BASE });
    await bench.document("a.md");
    accepted(
      await bench.edit(ALICE, { path: "a.md", plan: planReplace("line 9 of", "line nine of", "unique") }),
    );
    const editing = bench.edit(BOB, {
      path: "a.md",
      plan: planReplace("line 6 of", "line six of", "unique"),
    });
    await Promise.resolve();
    bench.save("a.md", FAR.save(BASE));
    accepted(await editing);
    const text = (await settled(bench)).text.toString();
    for (const part of ["line nine of", "line six of", "line 1 of my notes"]) expect(text).toContain(part);
  });
});
