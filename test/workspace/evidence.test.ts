import { describe, expect, test, vi } from "vitest";
import { type Image, isFileProblem } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import type { Actor } from "../../src/workspace/access/actor.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { GuardedWorkspace } from "../../src/workspace/folder/guarded-workspace.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planSplice } from "../../src/workspace/planners/splice.ts";
import { ALICE, accepted, Bench, BOB, TimedBench, tellingReads } from "./harness.ts";

const CLAUDE: Actor = { name: "claude", agent: "mia/claude", rights: FULL_RIGHTS, session: "s1" };
const BASE = "# Plan\n\nAlpha opens.\n\nBeta waits.\n\nGamma closes.\n";
const EDITED = BASE.replace("Beta waits.", "Beta waits, and sings.");
const OTHER = "# Notes\n\nDelta closes the case.\n\nThis text is new.\n";

/** Returns a bench whose file an agent has edited since `read`, the last time that another program read it. */
async function edited(read = BASE): Promise<Bench> {
  const bench = new Bench({ "a.md": read }, {}, tellingReads());
  await bench.document("a.md");
  bench.readAsProgram("a.md");
  await sing(bench);
  return bench;
}

/** Has an agent edit the document, and waits for the file. */
async function sing(bench: Bench): Promise<void> {
  accepted(
    await bench.edit(ALICE, {
      path: "a.md",
      plan: planReplace("Beta waits.", "Beta waits, and sings.", "unique"),
    }),
  );
  await settled(bench);
}

/** Waits until the document has taken in its file, and the file holds the document. */
async function settled(bench: Bench): Promise<string> {
  const document = await bench.document("a.md");
  await document.mirror.reached(document.head.seq);
  return document.text.toString();
}

async function historyOf(bench: Bench) {
  const guarded = new GuardedWorkspace(bench.workspace, ALICE, "read");
  return accepted(await bench.history.list(guarded, { path: "a.md", limit: 50 })).changes;
}

const told = (bench: Bench) =>
  bench.events.flatMap(({ type }) => (type === "rescued" || type === "superseded" ? [type] : []));

function imageOf(bench: Bench): Image {
  const image = bench.workspace.ports.files.look("a.md" as DocPath);
  if (isFileProblem(image)) throw new Error(image.message);
  return image;
}

describe("a save of a file that nobody has read since an edit", () => {
  test.each([
    ["changes another line", (base: string) => base.replace("Alpha", "Aleph"), /Aleph.*sings/s],
    ["only deletes", (base: string) => base.replace("Gamma closes.\n", ""), /sings/],
    ["only appends like words", (base: string) => `${base}\nBeta waits, and sits.\n`, /sings.*sits/s],
    ["returns to an earlier version", (base: string) => base, /sings/],
    ["rewrites everything", () => OTHER, /Delta.*sings|sings.*Delta/s],
  ])("[EV1, EV19] that %s loses no edit", async (_, save, expected) => {
    const bench = await edited();
    bench.save("a.md", save(BASE));
    expect(await settled(bench)).toMatch(expected);
    await expect.poll(() => told(bench)).toEqual(["rescued"]);
    expect((await historyOf(bench))[0]).toMatchObject({
      author: "spliced",
      message: "restores the edits of alice: no program had read them when the file was saved",
      lacked: { authors: ["alice"], evidence: "unread" },
    });
  });

  test("[I6b, EV1] that returns to an earlier version names the edits that its author had read", async () => {
    const bench = await edited();
    bench.save("a.md", `${bench.readAsProgram("a.md")}One of a person.\n`);
    await settled(bench);
    bench.readAsProgram("a.md");
    const plan = planReplace("Alpha opens.", "Alpha opens twice.", "unique");
    accepted(await bench.edit(BOB, { path: "a.md", plan }));
    await settled(bench);
    bench.save("a.md", BASE);
    expect(await settled(bench)).toBe(BASE.replace("Alpha opens.", "Alpha opens twice."));
    await expect.poll(() => told(bench)).toEqual(["rescued", "superseded"]);
    const [rescue, save] = await historyOf(bench);
    expect(rescue).toMatchObject({ lacked: { authors: ["bob"] } });
    expect(save).toMatchObject({ lacked: { authors: ["alice"] } });
  });

  test("[EV1] is merged from the text that its author wrote before", async () => {
    const bench = await edited();
    const first = BASE.replace("Alpha", "Aleph");
    bench.save("a.md", first);
    await settled(bench);
    bench.save("a.md", first.replace("Gamma", "Gimel"));
    expect(await settled(bench)).toBe(EDITED.replace("Alpha", "Aleph").replace("Gamma", "Gimel"));
    await expect.poll(() => told(bench)).toEqual(["rescued", "rescued"]);
    const [again] = await historyOf(bench);
    expect(again).toMatchObject({ author: "spliced", lacked: { authors: ["alice"] } });
    expect(again!.message).toContain("restores the edits of alice");
  });

  test.each([
    ["only adds", (text: string) => `${text}\nOmega is new.\n`],
    ["adds beside the edit", (text: string) => text.replace("Gamma", "Omega is new.\n\nGamma")],
    ["changes another line", (text: string) => text.replace("Gamma", "Gimel")],
    ["is the same again", (text: string) => text],
  ])("[EV22] that %s is merged so also by the next daemon", async (_, change) => {
    const bench = await edited();
    const first = BASE.replace("Alpha", "Aleph");
    bench.save("a.md", first);
    await settled(bench);
    await bench.restart();
    await settled(bench);
    bench.save("a.md", change(first));
    expect(await settled(bench)).toBe(change(EDITED.replace("Alpha", "Aleph")));
    await expect.poll(() => told(bench)).toEqual(["rescued", "rescued"]);
  });

  test("[EV22] whose author read the edits before the next daemon came, remains as it is", async () => {
    const bench = await edited();
    const first = BASE.replace("Alpha", "Aleph");
    bench.save("a.md", first);
    await settled(bench);
    bench.readAsProgram("a.md");
    await bench.restart();
    await settled(bench);
    bench.save("a.md", `${first}\nOmega is new.\n`);
    expect(await settled(bench)).toBe(`${first}\nOmega is new.\n`);
    await expect.poll(() => told(bench)).toEqual(["rescued", "superseded"]);
  });

  test("[EV1] loses no edit, although the daemon itself has read the file again", async () => {
    const bench = await edited();
    await (await bench.document("a.md")).mirror.reread();
    bench.save("a.md", BASE);
    expect(await settled(bench)).toBe(EDITED);
  });

  test("[EV2] contains the edits all the same, so its author had seen them: the save remains as it is", async () => {
    const bench = await edited();
    const saved = EDITED.replace("and sings.", "and sings aloud, all day.");
    bench.save("a.md", saved);
    expect(await settled(bench)).toBe(saved);
    expect(told(bench)).toEqual([]);
  });
});

describe("a save whose lines are in another order, of a file that nobody has read since edits of its lines", () => {
  const LINES = Array.from({ length: 12 }, (_, i) => `line ${i} of the long list\n`);
  const reversed = (text: string) =>
    text
      .split(/(?<=\n)/)
      .reverse()
      .join("");

  /** Returns a bench whose file has an agent's edits of some of its lines. */
  async function marked(...lines: readonly number[]): Promise<Bench> {
    const bench = new Bench({ "a.md": LINES.join("") }, {}, tellingReads());
    await bench.document("a.md");
    bench.readAsProgram("a.md");
    for (const i of lines) {
      const plan = planReplace(`line ${i} of`, `line ${i} «${i}» of`, "unique");
      accepted(await bench.edit(ALICE, { path: "a.md", plan }));
    }
    await settled(bench);
    return bench;
  }

  test("[EV29] remains as it is if it has the edited lines: each edit is there once", async () => {
    const bench = await marked(2, 5, 8);
    const saved = reversed(bench.read("a.md"));
    bench.save("a.md", saved);
    expect(await settled(bench)).toBe(saved);
    expect(told(bench)).not.toContain("rescued");
  });

  test("[EV1] is merged if it has few of the edited lines", async () => {
    const bench = await marked(2, 5, 8);
    const saved = LINES.join("").replace("line 11 of the long list\n", "line 2 «2» of the long list\n");
    bench.save("a.md", saved);
    expect(await settled(bench)).toMatch(/«5».*«8»/s);
    expect(told(bench)).toContain("rescued");
  });
});

describe("a save of a file that somebody has read since an edit", () => {
  test("[EV3] with other words remains as it is, and what it removed is named", async () => {
    const bench = await edited();
    bench.readAsProgram("a.md");
    bench.save("a.md", OTHER);
    expect(await settled(bench)).toBe(OTHER);
    await expect.poll(() => told(bench)).toEqual(["superseded"]);
  });

  test("[EV4] that repeats an earlier text is never silent", async () => {
    const bench = await edited();
    bench.readAsProgram("a.md");
    bench.save("a.md", BASE);
    expect(await settled(bench)).toBe(BASE);
    await expect.poll(() => told(bench)).toEqual(["superseded"]);
    accepted(await bench.undo(ALICE, { changeId: (await historyOf(bench))[0]!.changeId }));
    expect(bench.read("a.md")).toBe(EDITED);
  });

  test("[EV5] that was deleted and made anew is itself", async () => {
    const bench = await edited();
    bench.remove("a.md");
    await expect
      .poll(async () => (await bench.workspace.opened("a.md")) && bench.events.at(-1)?.type)
      .toBe("deleted");
    bench.write("a.md", BASE.replace("Alpha", "Aleph"));
    expect(await settled(bench)).toBe(BASE.replace("Alpha", "Aleph"));
    expect(told(bench)).toEqual([]);
  });
});

describe("a program that writes, reads its own words back and writes again", () => {
  test.each(["save", "write"] as const)("[EV6] loses no edit that is made beside it (%s)", async (how) => {
    const bench = new Bench({ "a.md": "start\n" }, {}, tellingReads());
    await bench.document("a.md");
    let own = "start\n";
    for (let i = 0; i < 30; i++) {
      accepted(
        await bench.edit(ALICE, {
          path: "a.md",
          plan: planSplice([{ from: 0, to: 0, insert: `agent ${i}\n` }], "utf-32"),
        }),
      );
      own = `${own}line ${i} of the program\n`;
      bench[how]("a.md", own);
      if (i % 3 === 0) own = bench.readAsProgram("a.md");
      await settled(bench);
    }
    const text = await settled(bench);
    for (let i = 0; i < 30; i++) {
      expect(text.split(`agent ${i}\n`)).toHaveLength(2);
      expect(text.split(`line ${i} of the program\n`)).toHaveLength(2);
    }
  });
});

test("[EV20] a save that adds to a text that was the file for an instant removes nothing that came meanwhile", async () => {
  const bench = await edited();
  const document = await bench.document("a.md");
  const glimpsed = document.text.toString();
  document.exposed(document.head.seq);
  bench.save("a.md", `${glimpsed}by a program\n`);
  await settled(bench);
  bench.readAsProgram("a.md");
  bench.save("a.md", `${glimpsed}by the same program, which had read the text of the instant\n`);
  expect(await settled(bench)).toBe(
    `${glimpsed}by a program\nby the same program, which had read the text of the instant\n`,
  );
});

test("[EE66] a save read and made within one tick of the clock has an agent's words once", async () => {
  const bench = new Bench({ "a.md": "two: «bob:14» «ann:16»\n" }, {}, tellingReads());
  await bench.document("a.md");
  bench.readAsProgram("a.md");
  await replace(bench, "two:", "two: «bob:19»");
  const text = await settled(bench);
  bench.write("a.md", text.replace("two:", "two: «ed:28»"));
  bench.readAsProgram("a.md"); // the stamps are as if it had read the text only now
  expect(await settled(bench)).toBe("two: «ed:28» «bob:19» «bob:14» «ann:16»\n");
});

describe("a save of an agent that claims it", () => {
  async function claimed(bench: Bench, sha256: string | undefined, text: string): Promise<string> {
    const { claims } = bench.workspace;
    claims.reads.note(CLAUDE, "a.md" as DocPath, sha256);
    bench.readAsProgram("a.md");
    accepted(claims.open(CLAUDE, { path: "a.md" as DocPath }));
    bench.save("a.md", text);
    return settled(bench);
  }

  test("[EV7] from an older version than the newest is merged, also where the texts are unsure", async () => {
    const bench = await edited();
    const { versions } = await bench.document("a.md");
    const text = await claimed(
      bench,
      versions.change(0)!.sha256,
      BASE.replace("Beta waits.", "Beta leaves."),
    );
    expect(text).toMatch(/sings/);
    expect(text).toMatch(/leaves/);
    expect((await historyOf(bench))[0]).toMatchObject({ lacked: { evidence: "claim" } });
  });

  test("[EV8] from the newest version remains as it is, without a word", async () => {
    const bench = await edited();
    const { versions } = await bench.document("a.md");
    expect(await claimed(bench, versions.head.change.sha256, OTHER)).toBe(OTHER);
    expect(told(bench)).toEqual([]);
  });
});

/** Locks the file as Emacs does, and has an agent edit it after that. */
async function lockAndEdit(bench: Bench): Promise<void> {
  await new Promise((done) => setTimeout(done, 5));
  bench.editors.loaded.set("a.md", [{ editor: "emacs", changedAt: Date.now() }]);
  await new Promise((done) => setTimeout(done, 5));
  await replace(bench, "Alpha opens.", "Alpha opens twice.");
}

/** Has another agent edit the document, and waits for the file. */
async function replace(bench: Bench, old: string, now: string): Promise<void> {
  accepted(await bench.edit(BOB, { path: "a.md", plan: planReplace(old, now, "unique") }));
  await settled(bench);
}

describe("a second save of an old buffer, after others read what the daemon brought back", () => {
  const buffer = (typed: string) => `${BASE}${typed}`;

  /** Returns a bench whose file has an edit that a save of an old buffer lacked, and which others have read. */
  async function rescued(): Promise<Bench> {
    const bench = await edited();
    bench.save("a.md", buffer("typed 0\n"));
    expect(await settled(bench)).toBe(`${EDITED}typed 0\n`);
    bench.readAsProgram("a.md");
    return bench;
  }

  test.each([
    ["beside it", "sings.", "sings. And dances."],
    ["within it", ", and sings", ", and sometimes sings"],
    ["elsewhere", "Alpha opens", "Alpha soon opens"],
  ])("[EV28] removes nothing, and repeats nothing, if it also lacks a newer edit %s", async (_, old, now) => {
    for (const isRead of [false, true]) {
      const bench = await rescued();
      await replace(bench, old, now);
      if (isRead) bench.readAsProgram("a.md");
      bench.save("a.md", buffer("typed 0\ntyped 1\n"));
      expect(await settled(bench)).toBe(`${EDITED.replace(old, now)}typed 0\ntyped 1\n`);
      expect(told(bench)).toEqual(["rescued", "rescued"]);
    }
  });

  test("[EV28] removes the edit if it has a newer one: its author had read both", async () => {
    const bench = await rescued();
    await replace(bench, "Alpha opens", "Alpha soon opens");
    bench.readAsProgram("a.md");
    const text = buffer("typed 0\ntyped 1\n").replace("Alpha opens", "Alpha soon opens");
    bench.save("a.md", text);
    expect(await settled(bench)).toBe(text);
    expect(told(bench)).toEqual(["rescued"]);
  });
});

describe("a save while an editor has the file open", () => {
  test("[EV9] is merged from the version that Vim had loaded, although another program has saved since", async () => {
    const bench = await edited();
    const { ino, mtimeNs } = imageOf(bench);
    accepted(
      await bench.edit(ALICE, {
        path: "a.md",
        plan: planReplace("Alpha opens.", "Alpha opens twice.", "unique"),
      }),
    );
    const newest = await settled(bench);
    bench.save("a.md", `${bench.readAsProgram("a.md")}by sed\n`);
    await settled(bench);
    bench.readAsProgram("a.md");
    const mtimeMs = Math.floor(Number(mtimeNs / 1_000_000n));
    bench.editors.loaded.set("a.md", [{ editor: "vim", mtimeMs, precisionMs: 1, ino: Number(ino) }]);
    bench.save("a.md", EDITED.replace("Gamma", "Gimel"));
    expect(await settled(bench)).toBe(`${newest.replace("Gamma", "Gimel")}by sed\n`);
    expect((await historyOf(bench))[0]).toMatchObject({ lacked: { evidence: "editor" } });
  });

  test("[EV10] that contains the newer edits is another program's, and remains as it is", async () => {
    const bench = new Bench({ "a.md": BASE }, {}, tellingReads());
    await bench.document("a.md");
    const { ino, mtimeNs } = imageOf(bench);
    await sing(bench);
    const mtimeMs = Math.floor(Number(mtimeNs / 1_000_000n));
    bench.editors.loaded.set("a.md", [{ editor: "vim", mtimeMs, precisionMs: 1, ino: Number(ino) }]);
    const saved = bench.readAsProgram("a.md").replace(", and sings", ", and sing");
    bench.save("a.md", saved);
    expect(await settled(bench)).toBe(saved);
  });

  test("[EV11] is merged from the version of the time at which Emacs locked the file", async () => {
    const bench = new Bench({ "a.md": BASE }, {}, tellingReads());
    await bench.document("a.md");
    const changedAt = Date.now();
    await new Promise((done) => setTimeout(done, 5));
    await sing(bench);
    bench.readAsProgram("a.md");
    bench.editors.loaded.set("a.md", [{ editor: "emacs", changedAt }]);
    bench.save("a.md", BASE.replace("Beta waits.", "Beta leaves."));
    expect(await settled(bench)).toMatch(/sings.*leaves|leaves.*sings/s);
  });

  test.each([
    ["others have read it", true],
    ["nobody has read it", false],
  ])(
    "[EV25] that was locked after an edit which the buffer lacks loses neither edit, and %s",
    async (_, isRead) => {
      const bench = await edited();
      if (isRead) bench.readAsProgram("a.md");
      await lockAndEdit(bench);
      if (isRead) bench.readAsProgram("a.md");
      bench.save("a.md", BASE.replace("Gamma closes.", "Gamma closes.\n\nOmega follows."));
      expect(await settled(bench)).toBe(
        EDITED.replace("opens.", "opens twice.").replace("Gamma closes.", "Gamma closes.\n\nOmega follows."),
      );
      await expect.poll(() => told(bench)).toEqual(["rescued"]);
    },
  );

  test.each([
    ["others have read it", true],
    ["nobody has read it", false],
  ])(
    "[EV25, EV28] that was locked again after a rescue lacks the same edits again, and %s: they come back",
    async (_, isRead) => {
      const bench = await edited();
      const first = `${BASE}\nOmega follows.\n`;
      bench.save("a.md", first);
      await settled(bench);
      if (isRead) bench.readAsProgram("a.md");
      await lockAndEdit(bench);
      if (isRead) bench.readAsProgram("a.md");
      bench.save("a.md", `${first}\nThe end.\n`);
      const text = await settled(bench);
      expect(text).toMatch(/opens twice.*Omega follows.*The end/s);
      expect(text).toMatch(/sings/);
      expect(told(bench)).toEqual(["rescued", "rescued"]);
    },
  );

  test.each([
    [
      "only adds a line: the edits come back",
      (base: string) => `${base}\nOmega follows.\n`,
      ["rescued"],
      /sings.*Line 0.*early.*Omega/s,
    ],
    [
      "removes text, too: they come back all the same",
      (base: string) => base.replace("Alpha opens.\n\n", ""),
      ["rescued"],
      /sings.*Line 0.*early/s,
    ],
  ])(
    "[EV26] that names several versions by the same stamps, and the save %s",
    async (_, change, events, expected) => {
      const bench = new Bench({ "a.md": BASE }, {}, tellingReads());
      await bench.document("a.md");
      const { ino } = imageOf(bench);
      await sing(bench);
      // The system soon gives a new file the number of a former one again.
      for (let i = 0; i === 0 || imageOf(bench).ino !== ino; i++)
        await replace(bench, "Gamma closes.", `Line ${i} of Bob.\n\nGamma closes.`);
      await replace(bench, "Gamma closes.", "Gamma closes early.");
      bench.readAsProgram("a.md");
      const stamps = { mtimeMs: 0, precisionMs: Number.MAX_SAFE_INTEGER, ino: Number(ino) };
      bench.editors.loaded.set("a.md", [{ editor: "vim", ...stamps }]);
      bench.save("a.md", change(BASE));
      expect(await settled(bench)).toMatch(expected);
      await expect.poll(() => told(bench).sort()).toEqual(events);
    },
  );

  describe("[EV27] whose backup of the buffer VS Code removes", () => {
    /** Returns a bench with a file that an agent edited after VS Code had loaded it, and others have read it since. */
    async function backedUp() {
      const bench = new TimedBench({ "a.md": BASE });
      await bench.passing(bench.document("a.md"));
      const mtimeMs = Math.floor(Number(imageOf(bench).mtimeNs / 1_000_000n));
      await bench.clock.advance(1000);
      bench.editors.loaded.set("a.md", [{ editor: "vscode", mtimeMs, precisionMs: 1 }]);
      await bench.passing(sing(bench));
      bench.readAsProgram("a.md");
      const hint = async () => {
        bench.workspace.hint(`${bench.workspace.ports.files.root}/a.md`);
        await bench.passing(settled(bench));
      };
      const saved = async (text: string) => {
        bench.save("a.md", text);
        await hint();
        return bench.passing(settled(bench));
      };
      return { bench, hint, saved };
    }

    test("just after the save, is merged from the version that the backup named", async () => {
      const { bench, hint, saved } = await backedUp();
      await hint(); // of the agent's edit
      bench.editors.loaded.clear();
      expect(await saved(BASE.replace("Gamma closes.\n", ""))).toMatch(/sings/);
      expect((await historyOf(bench))[0]).toMatchObject({ lacked: { evidence: "editor" } });
    });

    test("is looked for four times a second at most, however often the file changes", async () => {
      const { bench, hint } = await backedUp();
      await bench.clock.advance(1000);
      const look = vi.spyOn(bench.editors, "look");
      const since = bench.clock.elapsed();
      for (let i = 0; i < 10; i++) await hint();
      const quarters = Math.floor((bench.clock.elapsed() - since) / 250);
      expect(look.mock.calls.length).toBeGreaterThan(0);
      expect(look.mock.calls.length).toBeLessThanOrEqual(1 + quarters);
    });

    test("long before the save, is judged without it: the buffer was loaded anew", async () => {
      const { bench, hint, saved } = await backedUp();
      await hint();
      bench.editors.loaded.clear();
      await bench.clock.advance(6000);
      const text = BASE.replace("Gamma closes.\n", "");
      expect(await saved(text)).toBe(text);
    });
  });

  test("[EV12] is judged by its texts where the editor names a version that the file never had", async () => {
    const bench = await edited();
    bench.readAsProgram("a.md");
    bench.editors.loaded.set("a.md", [{ editor: "vim", mtimeMs: 1000, precisionMs: 1000, ino: 1 }]);
    bench.save("a.md", OTHER);
    expect(await settled(bench)).toBe(OTHER);
    await expect.poll(() => told(bench)).toEqual(["superseded"]);
  });
});
