import { describe, expect, test } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { type Actor, DISK } from "../../src/workspace/access/actor.ts";
import { FULL_RIGHTS, type Level, Rights } from "../../src/workspace/access/rights.ts";
import { type Claim, removalBefore } from "../../src/workspace/claims/claim.ts";
import { Claims } from "../../src/workspace/claims/claims.ts";
import { creditFor } from "../../src/workspace/claims/credit.ts";
import { TakenIn } from "../../src/workspace/claims/taken-in.ts";
import { GuardedWorkspace } from "../../src/workspace/folder/guarded-workspace.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { ALICE, accepted, Bench, refused, TimedBench } from "./harness.ts";

const signal = new AbortController().signal;
const at = (path: string) => path as DocPath;

function agent(name: string, session?: string, rights: Rights = FULL_RIGHTS): Actor {
  return { name, agent: `owner/${name}`, rights, ...(session !== undefined && { session }) };
}

const CODEX = agent("codex", "s1");
const CLAUDE = agent("claude", "s2");

/** Returns a claim that ran from 1000 to 2000. */
function claim(actor: Actor, path?: string, extra: Partial<Claim> = {}): Claim {
  return {
    id: "clm",
    actor,
    path: path === undefined ? undefined : at(path),
    opened: 1000,
    until: 2000,
    seen: 2000,
    closed: true,
    ...extra,
  };
}

const credit = (claims: Claim[], time: number, ...paths: string[]) =>
  creditFor(claims, (paths.length === 0 ? ["a.md"] : paths).map(at), { from: time, to: time });

function rights(...rules: [glob: string, level: Level][]): Rights {
  return new Rights(rules.map(([glob, level]) => ({ glob, level, conflict: "merge" })));
}

describe("whose a save is", () => {
  test("[KR1] a save of the file that a claim names is surely its agent's", () => {
    expect(credit([claim(CODEX, "a.md", { message: "why" })], 1500)).toMatchObject({
      agent: "owner/codex",
      session: "s1",
      credit: { certainty: "sure", message: "why" },
    });
  });

  test("[KR15] a save of other bytes than the claim names is only likely its agent's", () => {
    const moment = { from: 1500, to: 1500 };
    const saved = (claims: Claim[], sha256: string) => creditFor(claims, [at("a.md")], moment, sha256);
    const expecting = claim(CODEX, "a.md", { sha256: "aa" });
    expect(saved([expecting], "aa")).toMatchObject({ name: "codex", credit: { certainty: "sure" } });
    expect(saved([expecting], "bb")).toMatchObject({ name: "codex", credit: { certainty: "likely" } });
    const other = claim(CLAUDE, "a.md", { sha256: "bb" });
    expect(saved([expecting, other], "bb")).toMatchObject({ name: "claude", credit: { certainty: "sure" } });
    expect(saved([expecting, claim(CLAUDE)], "bb")?.credit?.candidates).toHaveLength(2);
  });

  test("[KR2] a save during a claim of any file is likely its agent's", () => {
    expect(credit([claim(CODEX)], 1500)).toMatchObject({
      agent: "owner/codex",
      credit: { certainty: "likely" },
    });
  });

  test("[KR3] a claim that names the file beats a claim of any file", () => {
    const both = [claim(CLAUDE), claim(CODEX, "a.md")];
    expect(credit(both, 1500)).toMatchObject({ name: "codex", credit: { certainty: "sure" } });
    expect(credit(both, 1500, "b.md")).toMatchObject({ name: "claude", credit: { certainty: "likely" } });
  });

  test("[KR4] the claims of several agents name them all, and no session", () => {
    const named = credit([claim(CLAUDE), claim(CODEX)], 1500);
    expect(named).toMatchObject({
      name: "claude or codex",
      credit: { certainty: "likely", candidates: ["owner/claude", "owner/codex"] },
    });
    expect(named).not.toHaveProperty("session");
  });

  test("[KR5] the file's own time counts, with a little tolerance", () => {
    const edit = [claim(CODEX, "a.md")];
    const shell = [claim(CODEX)];
    expect(credit(edit, 990)).toBeDefined();
    expect(credit(edit, 900)).toBeUndefined();
    expect(credit(edit, 2400)).toBeDefined();
    expect(credit(edit, 2600)).toBeUndefined();
    expect(credit(shell, 2050)).toBeDefined();
    expect(credit(shell, 2200)).toBeUndefined();
  });

  test("[KR5] a tool that ran at that time beats one that had just ended", () => {
    const next = claim(CLAUDE, "a.md", { opened: 2010, until: 3000 });
    expect(credit([claim(CODEX, "a.md"), next], 2100)).toMatchObject({ name: "claude" });
    expect(credit([claim(CODEX, "a.md"), next], 2000)).toMatchObject({ name: "codex" });
  });

  test("[KR6] nobody is credited with a file that their token may not write", () => {
    const reader = agent("codex", "s1", rights(["docs/**", "write"], ["**", "read"]));
    expect(credit([claim(reader)], 1500)).toBeUndefined();
    expect(credit([claim(reader)], 1500, "docs/a.md")).toBeDefined();
    expect(credit([claim(reader)], 1500, "docs/a.md", "b.md")).toBeUndefined();
  });
});

describe("claims", () => {
  function opened() {
    const clock = new FakeClock();
    let next = 0;
    let caughtUp = (_has: boolean) => {};
    const seen = () =>
      new Promise<boolean>((done) => {
        caughtUp = done;
      });
    const claims = new Claims(
      clock,
      (prefix) => `${prefix}_${++next}`,
      seen,
      async () => {},
    );
    return { clock, claims, catchUp: (has: boolean) => caughtUp(has) };
  }
  const now = (clock: FakeClock) => ({ from: clock.now(), to: clock.now() });

  test("[KR7] a claim that nobody closes expires", async () => {
    const { clock, claims } = opened();
    accepted(claims.open(CODEX, { path: at("a.md") }));
    await clock.advance(9 * 60_000);
    expect(claims.authorOf([at("a.md")], now(clock))).toMatchObject({ name: "codex" });
    await clock.advance(2 * 60_000);
    expect(claims.authorOf([at("a.md")], now(clock))).toBe(DISK);
  });

  test("[KR7] a turn closes the claims of its session, and of no other", async () => {
    const { clock, claims } = opened();
    accepted(claims.open(CODEX, { path: at("a.md") }));
    accepted(claims.open(agent("codex", "s9"), { path: at("b.md") }));
    claims.turn(CODEX, undefined);
    await clock.advance(1000);
    expect(claims.authorOf([at("a.md")], now(clock))).toBe(DISK);
    expect(claims.authorOf([at("b.md")], now(clock))).toMatchObject({ session: "s9" });
  });

  test("[KR7] a claim ends with its connection, unless it came without one", async () => {
    const { clock, claims } = opened();
    accepted(claims.open(CODEX, { path: at("a.md"), connection: "ses_1" }));
    accepted(claims.open(CODEX, { path: at("b.md") }));
    claims.endConnection("ses_1");
    await clock.advance(1000);
    expect(claims.authorOf([at("a.md")], now(clock))).toBe(DISK);
    expect(claims.authorOf([at("b.md")], now(clock))).toMatchObject({ name: "codex" });
  });

  test("[KR17] tools that end during a look at all files share the next one, and wait for 30 s at most", async () => {
    const clock = new FakeClock();
    const looks: (() => void)[] = [];
    const takenIn = new TakenIn(clock, () => new Promise((done) => looks.push(done)));
    const ended: number[] = [];
    const end = async (tool: number) => {
      await takenIn.wait();
      ended.push(tool);
    };
    void end(1);
    await clock.advance(10);
    for (const tool of [2, 3]) void end(tool);
    looks[0]!();
    await clock.advance(10);
    expect([looks.length, ended]).toEqual([2, [1]]);
    await clock.advance(30_000);
    expect([looks.length, ended]).toEqual([2, [1, 2, 3]]);
  });

  test("[KR16] a deletion of which a busy machine tells late is the agent's that had claimed it", async () => {
    const { clock, claims, catchUp } = opened();
    accepted(claims.open(CODEX, {}));
    claims.close(CODEX, {});
    await clock.advance(5_000);
    const removal = () => claims.authorOf([at("a.md")], removalBefore(clock.now()));
    expect(claims.authorOf([at("a.md")], now(clock))).toBe(DISK);
    catchUp(false);
    await clock.advance(1_000);
    expect(removal()).toMatchObject({ name: "codex", credit: { certainty: "likely" } });
    catchUp(true);
    await clock.advance(0);
    await clock.advance(1_000);
    expect(removal()).toBe(DISK);
  });

  test("[KR7] two tools of one session at once have their own claims", async () => {
    const { clock, claims } = opened();
    accepted(claims.open(CODEX, { path: at("a.md"), call: "t1" }));
    accepted(claims.open(CODEX, { path: at("b.md"), call: "t2" }));
    expect(claims.close(CODEX, { call: "t1" })).toBe(1);
    await clock.advance(1000);
    expect(claims.authorOf([at("a.md")], now(clock))).toBe(DISK);
    expect(claims.authorOf([at("b.md")], now(clock))).toMatchObject({ name: "codex" });
  });

  test("[KR8] a token has at most 1,000 claims; a closed one makes room, and other tokens have their own", () => {
    const { claims } = opened();
    const ids = Array.from({ length: 1000 }, (_, i) => accepted(claims.open(CODEX, { path: at(`${i}.md`) })));
    expect(refused(claims.open(CODEX, {}))).toMatchObject({ code: "OVERLOADED" });
    accepted(claims.open({ ...CODEX, agent: "bot/codex" }, {}));
    claims.close(CODEX, { id: ids[500]! });
    accepted(claims.open(CODEX, {}));
    expect(refused(claims.open(CODEX, {})).message).toContain("1000");
  });

  test("[KR8] no token closes the claims of another", () => {
    const { claims } = opened();
    const id = accepted(claims.open(CODEX, {}));
    expect(claims.close({ ...CODEX, agent: "bot/codex" }, { id })).toBe(0);
    expect(claims.close(CODEX, { call: "other" })).toBe(0);
    expect(claims.close(CODEX, { id })).toBe(1);
    expect(claims.close(CODEX, { id })).toBe(0);
  });

  test("[KR9] what an agent read last of a file is known, by session or by any", () => {
    const { claims } = opened();
    claims.reads.note(CODEX, at("a.md"), "AB");
    claims.reads.note(agent("codex", "s9"), at("a.md"), "cd");
    claims.reads.note(CODEX, at("b.md"), "ef");
    expect(claims.reads.last(CODEX, at("a.md"))).toMatchObject({ sha256: "ab", session: "s1" });
    expect(claims.reads.last(agent("codex"), at("a.md"))).toMatchObject({ sha256: "cd", session: "s9" });
    expect(claims.reads.last(CLAUDE, at("a.md"))).toBeUndefined();
  });
});

describe("credited files", () => {
  async function covered(files: Record<string, string>): Promise<Bench> {
    const bench = new Bench(files);
    await bench.workspace.cover.pass(signal);
    return bench;
  }
  async function look(bench: Bench, ...paths: string[]): Promise<void> {
    for (const path of paths) bench.workspace.cover.look(at(path));
    await bench.workspace.cover.settled();
  }
  async function historyOf(bench: Bench, path?: string) {
    const guarded = new GuardedWorkspace(bench.workspace, ALICE, "read");
    return accepted(await bench.history.list(guarded, { path, limit: 50 })).changes;
  }

  test("[KR1] a save of a file that nobody opened has its agent, session and certainty", async () => {
    const bench = await covered({ "a.md": "one\n" });
    const id = accepted(bench.workspace.claims.open(CODEX, { path: at("a.md"), message: "fix it" }));
    bench.save("a.md", "one two\n");
    bench.workspace.claims.close(CODEX, { id });
    await look(bench, "a.md");
    expect(await historyOf(bench)).toMatchObject([
      {
        author: "codex",
        agent: "owner/codex",
        session: "s1",
        certainty: "sure",
        message: "fix it",
        origin: "disk",
      },
    ]);
  });

  test("[KR10] creations, renames and deletions are credited, too", async () => {
    const bench = await covered({ "old.md": "old\n", "gone.md": "gone\n" });
    accepted(bench.workspace.claims.open(CODEX, {}));
    bench.write("new.md", "new\n");
    bench.rename("old.md", "moved.md");
    bench.remove("gone.md");
    await look(bench, "new.md", "moved.md", "old.md", "gone.md");
    const changes = (await historyOf(bench)).map(({ kind, path, author, certainty }) => [
      kind,
      path,
      author,
      certainty,
    ]);
    expect(changes.sort()).toEqual([
      ["create", "new.md", "codex", "likely"],
      ["delete", "gone.md", "codex", "likely"],
      ["rename", "moved.md", "codex", "likely"],
    ]);
  });

  test("[KR19] a deletion is the agent's that claimed it, although the daemon waits for others that follow", async () => {
    const names = Array.from({ length: 40 }, (_, i) => `${i}.md`);
    const bench = new TimedBench(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    await bench.passing(bench.workspace.cover.pass(signal));
    accepted(bench.workspace.claims.open(CODEX, {}));
    const removes = async (name: string) => {
      bench.remove(name);
      bench.workspace.cover.look(at(name));
      await bench.clock.advance(45);
    };
    await removes("0.md");
    bench.workspace.claims.close(CODEX, {});
    for (const name of names.slice(1, 18)) await removes(name);
    await bench.passing(bench.workspace.cover.settled());
    const authors = new Map((await historyOf(bench)).map(({ path, author }) => [path, author]));
    expect([authors.get("0.md"), authors.get("17.md")]).toEqual(["codex", "disk"]);
  });

  test("[KR1] without a claim a save is by the disk, as before", async () => {
    const bench = await covered({ "a.md": "one\n", "b.md": "two\n" });
    accepted(bench.workspace.claims.open(CODEX, { path: at("b.md") }));
    bench.save("a.md", "one two\n");
    await look(bench, "a.md");
    const [change] = await historyOf(bench);
    expect(change).toMatchObject({ author: "disk", agent: "disk" });
    expect(change).not.toHaveProperty("certainty");
  });

  test("[KR11] an agent hears once what its save was merged with", async () => {
    const bench = new Bench({ "a.md": "one\ntwo\nthree\nfour\nfive\n" });
    await bench.document("a.md");
    accepted(bench.workspace.claims.open(CODEX, { path: at("a.md") }));
    const base = bench.read("a.md");
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planReplace("five", "FIVE words", "unique") }));
    bench.save("a.md", base.replace("one", "ONE"));
    expect(await bench.text("a.md")).toBe("ONE\ntwo\nthree\nfour\nFIVE words\n");
    const [sentence] = bench.workspace.claims.news.take("owner/codex");
    expect(sentence).toContain("alice");
    expect(sentence).toContain("FIVE");
    expect(bench.workspace.claims.news.take("owner/codex")).toEqual([]);
  });

  test("[KR12] a save counts as what its agent read last", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    await bench.document("a.md");
    accepted(bench.workspace.claims.open(CODEX, { path: at("a.md") }));
    bench.save("a.md", "one two\n");
    const document = await bench.document("a.md");
    const read = bench.workspace.claims.reads.last(CODEX, at("a.md"));
    expect(document.versions.findHash(read!.sha256!)?.seq).toBe(1);
  });
});
