import { describe, expect, test } from "vitest";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { GuardedWorkspace } from "../../src/workspace/folder/guarded-workspace.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { ALICE, accepted, Bench, BOB } from "./harness.ts";

const LINES = Array.from({ length: 12 }, (_, i) => `line ${i} of the notes\n`);
const BASE = LINES.join("");
const SYSTEMS =
  "Everybody brings two things.\n\n- The first release runs on Linux and macOS.\n\n- Tea or coffee?\n";
const CODE = "function area(w, h) {\n  return w * h;\n}\n\nfunction edge(w, h) {\n  return 2 * (w + h);\n}\n";

interface Case {
  readonly name: string;
  readonly base: string;
  /** What agents replace, one after the other; `text` replaced by `text`. */
  readonly agents: readonly (readonly [old: string, updated: string])[];
  /** What the person's buffer, opened at the base, is when it is saved. */
  readonly save: (base: string) => string;
  readonly expected: string;
  readonly event: "rescued" | "superseded" | undefined;
}

const CASES: readonly Case[] = [
  {
    name: "far apart",
    base: BASE,
    agents: [["line 9 of", "line nine of"]],
    save: (base) => base.replace("line 1 of the notes", "line 1 of my notes"),
    expected: BASE.replace("line 9 of", "line nine of").replace("line 1 of the notes", "line 1 of my notes"),
    event: "rescued",
  },
  {
    name: "several versions back, by several agents",
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
    name: "words that an agent put around some that stay",
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
    name: "adjacent lines",
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
    name: "the same line",
    base: BASE,
    agents: [["line 4 of the notes", "line 4 of the notes, says an agent"]],
    save: (base) => base.replace("line 4 of", "my line 4 of"),
    expected: BASE.replace("line 4 of the notes", "my line 4 of the notes, says an agent"),
    event: "rescued",
  },
  {
    name: "the same word: both stay, as a conflict",
    base: "the cat sat on the mat\nand slept\nuntil noon\n",
    agents: [
      ["and slept\n", "and slept\nand snored\n"],
      ["cat", "tiger"],
    ],
    save: (base) => base.replace("cat", "kitten"),
    expected: "the tigerkitten sat on the mat\nand slept\nand snored\nuntil noon\n",
    event: "rescued",
  },
  {
    name: "a word that both replaced, and nothing else: the save stands and what it took out is named",
    base: "the cat sat on the mat\n",
    agents: [["cat", "dog"]],
    save: (base) => base.replace("cat", "cow"),
    expected: "the cow sat on the mat\n",
    event: "superseded",
  },
  {
    name: "words that left nothing alike, so that the save is nearest to the newest version",
    base: "the cat sat on the mat all day and all night, and dreamt of mice\n",
    agents: [["the cat sat on the mat all day and all night, and dreamt of mice", "a dog barked"]],
    save: () => "the cat is gone\n",
    expected: "the cat is gone\n",
    event: "superseded",
  },
  {
    name: "letters in common by chance show nobody's words",
    base: "two x and é two\nthe\none é - the x\n\n",
    agents: [["and é two\nthe\none é - the x\n\n", "the ‹agentswords›"]],
    save: () => "two x and é t‹personswords›\n",
    expected: "two x and é t‹personswords›\n",
    event: "superseded",
  },
  {
    name: "other words of the same letters, where an agent wrote: they do not show that its words were seen",
    base: "one two\n",
    agents: [["one two\n", "one two\nmigration tomorrow\n"]],
    save: (base) => `${base}imitation, sorrow\n`,
    expected: "one two\nimitation, sorrow\n",
    event: "superseded",
  },
  {
    name: "a file that was emptied",
    base: BASE,
    agents: [["line 4 of the notes", "line 4 of an agent"]],
    save: () => "",
    expected: "",
    event: "superseded",
  },
  {
    name: "some of what an agent put in, at the very place: no version that is known, so nothing is put in twice",
    base: "one two\nthree\n",
    agents: [
      ["one two\n", "one two\napples, pears, quinces, plums, gooseberries, medlars, cherries, figs\n"],
    ],
    save: (base) => base.replace("three", "gooseberries, three and four and more of my own words"),
    expected: "one two\ngooseberries, three and four and more of my own words\n",
    event: "superseded",
  },
  {
    name: "a save after a reload, beside what the agent wrote",
    base: BASE,
    agents: [["line 9 of", "line nine of"]],
    save: (base) => base.replace("line 9 of", "line nine of").replace("line 1 of", "line one of"),
    expected: BASE.replace("line 9 of", "line nine of").replace("line 1 of", "line one of"),
    event: undefined,
  },
  {
    name: "a save after a reload that rewrites the agent's words",
    base: BASE,
    agents: [["line 9 of the notes", "line nine of the notes, by an agent"]],
    save: (base) => base.replace("line 9 of the notes", "line nine of the notes, by an agent and me"),
    expected: BASE.replace("line 9 of the notes", "line nine of the notes, by an agent and me"),
    event: undefined,
  },
  {
    name: "one of two edits taken out, the other kept: its author has seen both",
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
    name: "git checkout: byte for byte what it once was",
    base: BASE,
    agents: [
      ["line 9 of", "line nine of"],
      ["line 2 of", "line two of"],
    ],
    save: (base) => base,
    expected: BASE,
    event: undefined,
  },
  {
    name: "git stash: nothing of its own, and less than there was",
    base: `${BASE}a local line\n`,
    agents: [["line 9 of", "line nine of"]],
    save: () => BASE,
    expected: BASE,
    event: "superseded",
  },
  {
    name: "a formatter that ran on the old text",
    base: CODE,
    agents: [["return w * h;", "return w * h; // area"]],
    save: (base) => base.replaceAll("\n  ", "\n    "),
    expected: CODE.replaceAll("\n  ", "\n    ").replace("return w * h;", "return w * h; // area"),
    event: "rescued",
  },
  {
    name: "CRLF, no final newline, and more than one byte a character",
    base: "первая\r\nвторая 😀\r\nтретья",
    agents: [["вторая 😀", "вторая 😀 и ещё"]],
    save: (base) => base.replace("третья", "третья, моя"),
    expected: "первая\r\nвторая 😀 и ещё\r\nтретья, моя",
    event: "rescued",
  },
];

/** The person opens the base and the agents edit it; then the buffer is saved. */
async function stale({ base, agents, save }: Pick<Case, "base" | "agents" | "save">, bench: Bench) {
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

/** The document once the file holds all of it. */
async function settled(bench: Bench) {
  const document = await bench.document("a.md");
  await document.mirror.reached(document.head.seq);
  return document;
}

const told = (bench: Bench) =>
  bench.events.filter(({ type }: WorkspaceEvent) => type === "rescued" || type === "superseded");

describe("a save from a buffer that was not reloaded", () => {
  for (const one of CASES)
    test(`[I6] ${one.name}`, async () => {
      const bench = new Bench({ "a.md": one.base });
      const document = await stale(one, bench);
      expect(document.text.toString()).toBe(one.expected);
      expect(bench.read("a.md")).toBe(one.expected);
      await bench.restart();
      expect(told(bench).map(({ type }) => type)).toEqual(one.event === undefined ? [] : [one.event]);
    });

  const FAR = CASES[0]!;

  test("[I6] says whose edits it gave back, and one undo lets the save stand", async () => {
    const bench = new Bench({ "a.md": FAR.base });
    const document = await stale(FAR, bench);
    const [rescued] = told(bench);
    expect(rescued).toMatchObject({ type: "rescued", path: "a.md", authors: ["alice"], conflicts: [] });
    accepted(await bench.undo(BOB, { changeId: (rescued as { changeId: string }).changeId }));
    expect(bench.read("a.md")).toBe(FAR.save(FAR.base));
    expect(document.head).toMatchObject({ origin: "undo", author: "bob" });
  });

  test.each([
    ["gave them back", FAR, "spliced"],
    ["took them out", CASES.find(({ event }) => event === "superseded")!, "disk"],
  ])(
    "[HI9] the history names whose edits it lacked, and that it %s, also after a restart",
    async (_, one, author) => {
      const bench = new Bench({ "a.md": one.base });
      const first = (await bench.document("a.md")).version;
      await stale(one, bench);
      await bench.restart();
      const { changes } = accepted(
        await bench.history.list(new GuardedWorkspace(bench.workspace, ALICE, "read"), {
          limit: 1,
          hides: () => false,
        }),
      );
      expect(changes).toMatchObject([{ author, lacked: { base: first, authors: ["alice"] } }]);
    },
  );

  test("[I6] is merged from a version of before a restart, too", async () => {
    const bench = new Bench({ "a.md": FAR.base });
    await bench.document("a.md");
    accepted(
      await bench.edit(ALICE, { path: "a.md", plan: planReplace("line 9 of", "line nine of", "unique") }),
    );
    await bench.restart(() => bench.save("a.md", FAR.save(FAR.base)));
    expect((await settled(bench)).text.toString()).toBe(FAR.expected);
    expect(bench.read("a.md")).toBe(FAR.expected);
  });

  test("[I6] rescued text that is taken out a second time stays out, and is named", async () => {
    const bench = new Bench({ "a.md": FAR.base });
    await stale(FAR, bench);
    const again = `${FAR.save(FAR.base)}more typing\n`;
    bench.save("a.md", again);
    expect((await settled(bench)).text.toString()).toBe(again);
    await (await bench.document("a.md")).durable;
    await expect.poll(() => told(bench).map(({ type }) => type)).toEqual(["rescued", "superseded"]);
  });

  test("[I6] a second save from the same buffer stands, and what it takes out again is named", async () => {
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
      .poll(() => told(bench))
      .toMatchObject([{ type: "rescued" }, { type: "superseded", authors: ["alice"] }]);
  });

  test("[I6] who saved a version has seen what was there: taking it out stands", async () => {
    const bench = new Bench({ "a.md": BASE });
    await bench.document("a.md");
    accepted(
      await bench.edit(ALICE, { path: "a.md", plan: planReplace("line 9 of", "line nine of", "unique") }),
    );
    bench.save("a.md", `${bench.read("a.md")}seen\n`);
    await settled(bench);
    bench.save("a.md", `${BASE}seen\nand the nine is gone\n`);
    expect((await settled(bench)).text.toString()).toBe(`${BASE}seen\nand the nine is gone\n`);
    expect(told(bench)).toEqual([]);
  });

  test.each([
    ["", false],
    [", nor after a restart", true],
  ])(
    "[I6] who saved beside an edit that the file did not hold yet has not seen it%s",
    async (_, restarts) => {
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
      expect(told(bench)).toMatchObject([{ type: "rescued", authors: ["alice"] }]);
    },
  );

  test("[I6] nor has who saved from an old buffer beside it, though the rest was given back", async () => {
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
    expect((await settled(bench)).text.toString()).toBe(
      `${buffer.replace("line 9 of", "line nine of")}more typing\n`,
    );
    expect(told(bench)).toMatchObject([{ authors: ["alice"] }, { authors: ["bob"] }]);
  });

  test('[I6] with staleSaves: "disk" it is taken as it is', async () => {
    const bench = new Bench({ "a.md": FAR.base }, { staleSaves: "disk" });
    expect((await stale(FAR, bench)).text.toString()).toBe(FAR.save(FAR.base));
    expect(told(bench)).toEqual([]);
  });

  test("[I6] what agents write while it is merged stays", async () => {
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
