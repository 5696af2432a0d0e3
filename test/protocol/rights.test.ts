import { symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Method, methods } from "../../src/protocol/schemas/schemas.ts";
import type { Holder } from "../../src/protocol/service/service.ts";
import {
  AgentBounds,
  FULL_RIGHTS,
  LEVELS,
  type Level,
  levelIncludes,
  Rights,
} from "../../src/workspace/access/rights.ts";
import { planAppend, planWrite } from "../../src/workspace/planners/whole.ts";
import { ALICE, Bench, DiskBench } from "../workspace/harness.ts";
import { PROBES, sha256Of } from "./probes.ts";
import { type Message, Talk } from "./talk.ts";

const HIDDEN = {
  "secret/a.md": "SECRET\n",
  "secret/big.md": `SECRET ${"x".repeat(1 << 20)}`,
  "secret/raw.bin": Buffer.from([0, 1, 2]),
  "docs/Private.md": "SECRET\n",
  "top.md": "SECRET\n",
};
/** The ways to name these paths. */
const NAMES = [
  "secret/a.md",
  "./secret/a.md",
  "docs/../secret/a.md",
  "/secret/a.md",
  "secret//a.md",
  "secret/a.md/",
  "Secret/A.md",
  "secret/a.md/x",
  "secret",
  "secret/big.md",
  "secret/raw.bin",
  "secret/gone.md",
  "docs/private.md",
  "docs/Private.md",
  "top.md",
  "docs/link.md",
  "docs/biglink.md",
  "docs/rawlink.md",
  "docs/folder/a.md",
  "docs/folder/A.md",
  "docs/folder/a.md/x",
  "docs/folder",
  ".spliced/daemon.json",
  "docs/state/daemon.json",
];

function rights(...rules: [glob: string, level: Level][]): Rights {
  return new Rights(rules.map(([glob, level]) => ({ glob, level, conflict: "merge" })));
}

function guest(level: Level): Holder {
  return { name: "guest", rights: rights(["docs/private.md", "none"], ["docs/**", level]) };
}

/** The setting `private` that hides these documents from agents. */
const PRIVATE = ["secret", "docs/private.md", "top.md"];

/** Returns a workspace with or without hidden documents, and its owner; links lead to the hidden ones. */
async function world(hidden: object, privateGlobs: readonly string[] = []): Promise<Talk> {
  const bench = new DiskBench({ "docs/open.md": "open\n", ...hidden });
  const links = [
    ["link.md", "../secret/a.md"],
    ["biglink.md", "../secret/big.md"],
    ["rawlink.md", "../secret/raw.bin"],
    ["folder", "../secret"],
    ["state", "../.spliced"],
  ];
  for (const [name, target] of links) symlinkSync(target!, bench.path(`docs/${name}`));
  const owner = new Talk(bench, undefined, { agents: new AgentBounds([], privateGlobs) });
  await owner.hello({ role: "person" });
  return owner;
}

interface Busy {
  readonly owner: Talk;
  /** Ids of a hidden change, a hidden proposal and a hidden thread. */
  readonly ids: { readonly change: string; readonly proposal: string; readonly thread: string };
}

/** Returns a workspace whose owner has edited the hidden documents. */
async function busyWorld(privateGlobs: readonly string[] = []): Promise<Busy> {
  const owner = await world(HIDDEN, privateGlobs);
  await owner.ask("doc.create", { path: "secret/gone.md", text: "SECRET\n" });
  const edited = await owner.ask("edit.append", { path: "secret/gone.md", text: "SECRET too\n" });
  await owner.ask("doc.delete", { path: "secret/gone.md" });
  await owner.ask("doc.open", { path: "top.md" });
  const wish = { operation: "append", proposed_value: "SECRET", reasoning: "SECRET" };
  const proposed = await owner.ask("proposal.create", { path: "secret/a.md", ...wish });
  const tolerant = { patch: "@@ -1,2 +1,2 @@\n-SECRET\n+SECRET too\n \n", match: "tolerant" };
  const unsure = await owner.ask("edit.patch", { path: "secret/a.md", ...tolerant });
  expect(unsure.error?.data.code).toBe("CONFIRMATION_REQUIRED");
  const spoken = await owner.ask("thread.append", { path: "secret/a.md", role: "user", text: "SECRET" });
  const ids = {
    change: String(edited.result?.["changeId"]),
    proposal: String(proposed.result?.["id"]),
    thread: String(spoken.result?.["thread"]),
  };
  return { owner, ids };
}

/** Removes the parts that differ between runs. */
function shown(message: unknown): string {
  return JSON.stringify(message)
    .replace(/\b(clm|doc|chg|msg|ses|thr)_[0-9a-z]{16}/g, "$1_…")
    .replace(/"\d+-[0-9a-z]+"/g, '"version"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time");
}

/** Methods whose answers count the requests of everybody. */
const COUNTING = new Set(["metrics.get"]);

function requests({ change, proposal, thread }: Busy["ids"]): [method: string, params: object][] {
  return Object.entries(PROBES).flatMap(([method, { at, within, of, about, inThread, rest }]) =>
    [
      ...(rest ?? []),
      ...(of?.(change) ?? []),
      ...(about?.(proposal) ?? []),
      ...(inThread?.(thread) ?? []),
      ...NAMES.flatMap((name) => [...(at?.(name) ?? []), ...(within?.(name) ?? [])]),
    ].map((params): [string, object] => [method, params]),
  );
}

/** Asks all at once, and each search alone: a search among hundreds of requests may end before the last document. */
async function answersTo(
  talk: Talk,
  asked: readonly (readonly [method: string, params: object])[],
): Promise<Message[]> {
  const isSearch = ([method]: readonly [method: string, params: object]) => method === "search";
  const answers = await talk.askAll(asked.filter((one) => !isSearch(one)));
  const all: Message[] = [];
  for (const one of asked) all.push(isSearch(one) ? await talk.ask(...one) : answers.shift()!);
  return all;
}

describe("documents that a token may not read", () => {
  test("[RI7] are requested by every method", () => {
    expect(Object.keys(PROBES).sort()).toEqual(
      Object.keys(methods)
        .filter((method) => method !== "hello")
        .sort(),
    );
  });

  for (const level of ["read", "append", "write"] as const)
    test(`[RI7, RI9] look missing to a token with docs/**=${level}, for every method and name`, async () => {
      const { owner, ids } = await busyWorld();
      const there = await owner.again(guest(level));
      const nothing = await (await world({})).again(guest(level));
      for (const talk of [there, nothing]) await talk.ask("doc.open", { path: "docs/open.md" });
      const asked = requests(ids);
      const told = await answersTo(there, asked);
      const expected = await answersTo(nothing, asked);
      for (const [i, [method, params]] of asked.entries())
        expect([method, params, shown(told[i])]).toEqual([method, params, shown(expected[i])]);
      expect(JSON.stringify(there.sent)).not.toContain("SECRET");
      for (const path of ["secret/a.md", "docs/Private.md", "top.md"])
        expect(owner.bench.read(path)).toBe("SECRET\n");
    });

  test("[AG1] look missing to an agent of any token if they are private, for every method and name", async () => {
    const { owner, ids } = await busyWorld(PRIVATE);
    const there = await owner.again();
    const nothing = await (await world({}, PRIVATE)).again();
    for (const talk of [there, nothing]) await talk.ask("doc.open", { path: "docs/open.md" });
    const asked = requests(ids).filter(([method]) => !COUNTING.has(method));
    const told = await answersTo(there, asked);
    const expected = await answersTo(nothing, asked);
    for (const [i, [method, params]] of asked.entries())
      expect([method, params, shown(told[i])]).toEqual([method, params, shown(expected[i])]);
    expect(JSON.stringify(there.sent)).not.toContain("SECRET");
    for (const path of ["secret/a.md", "docs/Private.md", "top.md"])
      expect(owner.bench.read(path)).toBe("SECRET\n");
  });

  test("[RI7] are not listed; the others are, with their permission", async () => {
    const { owner } = await busyWorld();
    const talk = await owner.again({
      name: "guest",
      rights: rights(["docs/open.md", "append"], ["top.md", "read"]),
    });
    await owner.ask("doc.open", { path: "secret/a.md" });
    expect((await talk.ask("doc.list")).result?.["docs"]).toMatchObject([
      { path: "docs/open.md", permission: "append" },
      { path: "top.md", permission: "read" },
    ]);
    expect((await talk.ask("doc.status")).result?.["docs"]).toMatchObject([{ path: "top.md" }]);
    const docId = async (path: string) => (await owner.ask("doc.open", { path })).result?.["docId"];
    const found = async (path: string) =>
      (await talk.ask("doc.status", { docId: await docId(path) })).result?.["docs"];
    expect(await found("top.md")).toMatchObject([{ path: "top.md" }]);
    expect(await found("secret/a.md")).toEqual([]);
  });

  test("[RI7] are in no other token's history: neither changes nor ids reveal them", async () => {
    const { owner, ids } = await busyWorld();
    const talk = await owner.again(guest("write"));
    expect((await talk.ask("history.list")).result?.["changes"]).toEqual([]);
    for (const [method, params] of [
      ["undo", { changeId: ids.change }],
      ["history.list", { before: ids.change }],
    ] as const)
      expect((await talk.ask(method, params)).error?.message).toBe(
        `this workspace has no change "${ids.change}"`,
      );
  });
});

describe("what a token may do", () => {
  /** The document of a method; each has its own, because some methods delete theirs. */
  const pathOf = (method: string) => `docs/${method}.md`;
  const named = Object.entries(PROBES).filter(
    ([method, { at }]) => at !== undefined && methods[method as Method].level !== "none",
  );
  const files = Object.fromEntries(named.map(([method]) => [pathOf(method), "SECRET\n"]));

  for (const level of LEVELS)
    test(`[RI8] with ${level} it may use methods of that level and below; a refusal names the missing level`, async () => {
      const owner = new Talk(new Bench(files));
      await owner.hello();
      const talk = await owner.again({ name: "guest", rights: rights(["docs/**", level]) });
      const asked = named.map(([method, { at }]): [string, object] => [method, at!(pathOf(method))[0]!]);
      const answers = await talk.askAll(asked);
      for (const [i, [method]] of asked.entries()) {
        const needed = neededFor(method);
        const { code, details } = refusalIn(answers[i]) ?? {};
        const proposed = isEdit(method) && levelIncludes(level, "propose");
        if (levelIncludes(level, needed) || proposed)
          expect([method, code]).not.toEqual([method, "PERMISSION_DENIED"]);
        else if (level === "none" && method !== "doc.create")
          expect([method, code]).toEqual([method, "NOT_FOUND"]);
        else
          expect([method, code, details]).toMatchObject([
            method,
            "PERMISSION_DENIED",
            { path: pathOf(method), level, needed },
          ]);
        if (!levelIncludes(level, needed)) expect(owner.bench.read(pathOf(method))).toBe("SECRET\n");
      }
    });

  /** Returns the refusal of an answer; a batch has it in its result. */
  function refusalIn(answer: Message | undefined): { code?: string; details?: object } | undefined {
    const { errors } = (answer?.result ?? {}) as { errors?: { code: string; details?: object }[] };
    return answer?.error?.data ?? errors?.[0];
  }

  /** Returns the level that a method requires; lower ones may propose an edit. */
  /** True for a method that edits, which a token that may only propose may call, too. */
  function isEdit(method: string): boolean {
    return method.startsWith("edit.") || method === "batch.apply";
  }

  function neededFor(method: string): Level {
    if (method === "edit.append") return "append";
    if (isEdit(method)) return "write";
    return methods[method as Method].level;
  }

  const workspaceWide = Object.entries(methods).filter(([, { on }]) => on === "all");
  for (const [method, { level }] of workspaceWide)
    test(`[RI22] ${method} concerns every document and takes ${level} on all of them`, async () => {
      const owner = new Talk(new Bench({ "docs/a.md": "a" }));
      await owner.hello();
      const talk = await owner.again({ name: "guest", rights: rights(["docs/**", "admin"]) });
      const params = PROBES[method as keyof typeof PROBES].rest?.[0] ?? {};
      expect((await talk.ask(method, params)).error?.data).toMatchObject({
        code: "PERMISSION_DENIED",
        details: { needed: level },
      });
    });

  test("[RI8] a refused edit names another way to make it", async () => {
    const owner = new Talk(new Bench({ "docs/a.md": "a\n" }));
    await owner.hello();
    const suggestion = async (level: Level) => {
      const talk = await owner.again(guest(level));
      return (await talk.ask("edit.write", { path: "docs/a.md", text: "b\n" })).error?.data.suggestion;
    };
    expect(await suggestion("read")).toContain("--allow 'docs/a.md=write'");
  });

  test("[RI8, PO11] an edit of a token that may only propose becomes a proposal for one that may write", async () => {
    const owner = new Talk(new Bench({ "docs/a.md": "a\n" }));
    await owner.hello();
    for (const [level, expected] of [
      ["propose", { proposal: expect.any(String), changeId: null }],
      ["append", { changeId: expect.any(String) }],
    ] as const) {
      const talk = await owner.again(guest(level));
      const answer = await talk.ask("edit.append", { path: "docs/a.md", text: `${level}\n` });
      expect(answer.result).toMatchObject(expected);
    }
    expect(owner.bench.read("docs/a.md")).toBe("a\nappend\n");
    const { proposals } = (await owner.ask("proposal.list")).result as { proposals: { id: string }[] };
    const id = proposals[0]?.id;
    for (const method of ["proposal.approve", "proposal.reject"])
      expect(
        (await (await owner.again({ ...guest("append"), name: "other" })).ask(method, { id })).error?.data,
      ).toMatchObject({
        code: "PERMISSION_DENIED",
        details: { level: "append", needed: "write" },
      });
    expect((await (await owner.again(guest("write"))).ask("proposal.approve", { id })).result).toBeTruthy();
    expect(owner.bench.read("docs/a.md")).toContain("propose\n");
  });

  test("[RI62] a batch shows nothing of a document that left the token's reach, also by ids", async () => {
    const owner = new Talk(new Bench({ "docs/a.md": "a\n", "docs/b.md": "b\n" }));
    await owner.hello();
    const talk = await owner.again(guest("write"));
    const file = (docPath: string, was: string) => ({
      docPath,
      originalSha256: sha256Of(was),
      text: "mine\n",
    });
    const asked = { files: [file("docs/b.md", "b\n"), file("docs/a.md", "a\n")], opId: "op" };
    const made = (await talk.ask("batch.apply", asked)).result?.["result"] as {
      batchId: string;
      files: { filePatchId: string }[];
    };
    const get = async (id: object) => (await talk.ask("change.get", id)).result?.["files"];
    const both = made.files.map(({ filePatchId }) => ({ filePatchId }));
    expect(await get({ batchId: made.batchId })).toMatchObject(both);
    await owner.ask("doc.rename", { path: "docs/b.md", to: "secret/b.md" });
    const before = talk.sent.length;
    expect(await get({ batchId: made.batchId })).toMatchObject([both[1]!]);
    expect(await get(both[1]!)).toMatchObject([both[1]!]);
    expect(await get(both[0]!)).toBeUndefined();
    expect(both[1]!.filePatchId).not.toMatch(/\.\d$/);
    expect((await talk.ask("batch.apply", asked)).result).toMatchObject({
      successful: true,
      result: { batchId: made.batchId, files: [both[1]!] },
    });
    expect(JSON.stringify(talk.sent.slice(before))).not.toContain("secret");
  });

  test("[RI7] a proposal is hidden with its document, also for its author", async () => {
    const owner = new Talk(new Bench({ "docs/a.md": "a\n" }));
    await owner.hello();
    const talk = await owner.again(guest("propose"));
    const wish = { path: "docs/a.md", operation: "append", proposed_value: "x", opId: "op" };
    const id = (await talk.ask("proposal.create", wish)).result?.["id"];
    await owner.ask("doc.rename", { path: "docs/a.md", to: "secret/a.md" });
    await owner.ask("doc.create", { path: "docs/a.md", text: "SECRET\n" });
    await owner.ask("edit.append", { path: "secret/a.md", text: "SECRET\n" });
    for (const [method, params] of [
      ["proposal.get", { id }],
      ["proposal.create", wish],
    ] as const)
      expect((await talk.ask(method, params)).error?.data.code).toBe("NOT_FOUND");
    expect((await talk.ask("proposal.list")).result?.["proposals"]).toEqual([]);
    expect(JSON.stringify(talk.sent)).not.toContain("SECRET");
  });

  test("[RI9] the rights on a link and on its target both apply", async () => {
    const bench = new DiskBench({ "rw/a.md": "a\n", "ro/a.md": "a\n" });
    symlinkSync("../rw/a.md", bench.path("ro/link.md"));
    symlinkSync("../ro/a.md", bench.path("rw/link.md"));
    const talk = new Talk(bench, { name: "guest", rights: rights(["ro/**", "read"], ["rw/**", "write"]) });
    await talk.hello();
    for (const path of ["ro/link.md", "rw/link.md"]) {
      const [read, append, write] = await talk.askAll([
        ["doc.read", { path }],
        ["edit.append", { path, text: "x" }],
        ["edit.write", { path, text: "x" }],
      ]);
      expect(read?.result?.["text"]).toBe("a\n");
      expect([append, write].map((answer) => answer?.error?.data.code)).toEqual([
        "PERMISSION_DENIED",
        "PERMISSION_DENIED",
      ]);
    }
  });

  test("[RI10] creates and moves nothing where it may not write, and learns nothing of the files there", async () => {
    const owner = new Talk(new Bench({ "docs/a.md": "a", "ro/a.md": "a", "secret/a.md": "a" }));
    await owner.hello();
    const holder = { name: "guest", rights: rights(["docs/**", "write"], ["ro/**", "read"]) };
    const talk = await owner.again(holder);
    const targets = ["secret/a.md", "secret/b.md", "ro/a.md", "ro/b.md"];
    const answers = await talk.askAll(
      targets.flatMap((to): [string, object][] => [
        ["doc.create", { path: to, text: "" }],
        ["doc.rename", { path: "docs/a.md", to }],
      ]),
    );
    expect(answers.map((answer) => answer.error?.data.code)).toEqual(answers.map(() => "PERMISSION_DENIED"));
    expect((await talk.ask("doc.rename", { path: "ro/a.md", to: "docs/b.md" })).error?.data.code).toBe(
      "PERMISSION_DENIED",
    );
    expect((await talk.ask("doc.rename", { path: "docs/a.md", to: "docs/b.md" })).result).toBeTruthy();
  });

  test("[RI8, RI62] a batch is undone by a token that may write all that it may read of it, or not at all", async () => {
    const bench = new Bench({ "docs/a.md": "a\n", "ro/a.md": "a\n", "secret/a.md": "a\n" });
    const append = (path: string) => ({ kind: "append", path, plan: planAppend("x\n") });
    const batches = [
      ["docs/a.md", "ro/a.md"],
      ["docs/a.md", "secret/a.md"],
    ];
    for (const [i, paths] of batches.entries())
      await bench.editor.apply(ALICE, paths.map(append), { batch: { id: `bat_${i}` } });
    const holder = { name: "guest", rights: rights(["docs/**", "write"], ["ro/**", "read"]) };
    const talk = new Talk(bench, holder);
    await talk.hello();
    expect((await talk.ask("undo", { batchId: "bat_0" })).error?.data.code).toBe("PERMISSION_DENIED");
    expect(bench.read("docs/a.md")).toBe("a\nx\nx\n");
    expect((await talk.ask("undo", { batchId: "bat_1" })).result).toMatchObject({ path: "docs/a.md" });
    expect(["docs/a.md", "secret/a.md"].map((path) => bench.read(path))).toEqual(["a\nx\n", "a\nx\n"]);
    expect(JSON.stringify(talk.sent)).not.toContain("secret");
  });

  test("[RI8] edits made together are applied when all of them are allowed", async () => {
    const bench = new Bench({ "docs/a.md": "a\n", "docs/b.md": "b\n", "ro/a.md": "a\n" });
    const actor = { ...ALICE, rights: rights(["docs/**", "write"], ["ro/**", "read"]) };
    const together = (...paths: string[]) =>
      bench.editor.apply(
        actor,
        paths.map((path) => ({ kind: "write", path, plan: planWrite("mine\n") })),
      );
    expect(await together("docs/a.md", "ro/a.md", "secret/a.md", "docs/b.md")).toMatchObject({
      refused: [
        { index: 1, refusal: { code: "PERMISSION_DENIED", details: { level: "read", needed: "write" } } },
        { index: 2, refusal: { code: "NOT_FOUND" } },
      ],
    });
    expect(bench.read("docs/a.md")).toBe("a\n");
    expect(await together("docs/a.md", "docs/b.md")).toMatchObject({ made: [{}, {}] });
  });

  const meanwhile: [what: string, text: string][] = [
    ["added to", "one\ntwo\nthree\n"],
    ["cut", "one\n"],
    ["replaced", "another\ntext\n"],
    ["emptied", ""],
  ];
  for (const [what, text] of meanwhile)
    test(`[RI12] with append it adds at the end, also by naming a version that was ${what} since`, async () => {
      const owner = new Talk(new Bench({ "docs/a.md": "one\ntwo\n" }));
      await owner.hello();
      const talk = await owner.again(guest("append"));
      const version = (await talk.ask("doc.open", { path: "docs/a.md" })).result?.["version"];
      await owner.ask("edit.write", { path: "docs/a.md", text, version: "latest" });
      expect(
        (await talk.ask("edit.append", { path: "docs/a.md", text: "mine", version })).result,
      ).toBeTruthy();
      expect(owner.bench.read("docs/a.md")).toBe(`${text}mine`);
    });
});

describe("notifications", () => {
  test("[RI11] name no unreadable document; a rename out of sight is a deletion, into sight a creation", async () => {
    const owner = new Talk(new Bench({ "docs/a.md": "a\n", "secret/b.md": "b\n" }));
    await owner.hello();
    const talk = await owner.again(guest("read"));
    await talk.ask("subscribe", { pattern: "**" });
    await talk.ask("subscribe", { path: "docs/a.md" });
    await owner.ask("subscribe", { pattern: "**" });
    await owner.ask("edit.append", { path: "secret/b.md", text: "SECRET 1\n" });
    await owner.ask("doc.rename", { path: "docs/a.md", to: "secret/a.md" });
    await owner.ask("edit.append", { path: "secret/a.md", text: "SECRET 2\n" });
    await owner.ask("doc.rename", { path: "secret/a.md", to: "secret/c.md" });
    await owner.ask("doc.create", { path: "secret/new.md", text: "SECRET 3\n" });
    await owner.ask("doc.delete", { path: "secret/new.md" });
    await owner.ask("doc.rename", { path: "secret/b.md", to: "docs/b.md" });
    await owner.ask("edit.append", { path: "docs/b.md", text: "x\n" });
    await owner.ask("doc.rename", { path: "docs/b.md", to: "docs/c.md" });
    const heard = (who: Talk) => who.sent.filter(({ method }) => method !== undefined);
    await expect.poll(() => heard(owner)).toHaveLength(9);
    expect(heard(talk).map(({ method, params }) => `${method} ${params?.["path"]}`)).toEqual([
      "doc.deleted docs/a.md",
      "doc.created docs/b.md",
      "doc.changed docs/b.md",
      "doc.renamed docs/b.md",
    ]);
    expect(JSON.stringify(talk.sent)).not.toContain("ecret");
    expect(JSON.stringify(talk.sent)).not.toContain("SECRET");
  });

  test("[RI11] after a lag name no unreadable document", async () => {
    const owner = new Talk(new Bench({ "docs/a.md": "a\n", "secret/b.md": "b\n" }));
    await owner.hello();
    const talk = await owner.again(guest("read"));
    await talk.ask("subscribe", { pattern: "**" });
    talk.buffered = 2 << 20;
    await owner.ask("edit.append", { path: "secret/b.md", text: "x" });
    await owner.ask("edit.append", { path: "docs/a.md", text: "x" });
    talk.buffered = 0;
    talk.session.drained();
    expect(talk.told("resync").map(({ params }) => params)).toEqual([{ paths: ["docs/a.md"] }]);
  });
});

describe("the author of a request", () => {
  const holder = (name: string): Holder => ({ name, rights: FULL_RIGHTS });

  test("[RI28] an opId belongs to its token's agent; others neither use it nor see its answer", async () => {
    const bench = new Bench({ "a.md": "" });
    const asks: [token: string, agent: string, opId: string][] = [
      ["one", "x", "op"],
      ["two", "x", "op"],
      ["one", "x y", "op"],
      ["one", "x", "y op"],
      ["one", "two/x", "op"],
    ];
    const answers = await Promise.all(
      asks.map(async ([token, name, opId]) => {
        const talk = new Talk(bench, holder(token));
        await talk.hello({ agent: { name } });
        return talk.ask("edit.append", { path: "a.md", text: "x", opId });
      }),
    );
    expect(new Set(answers.map(({ result }) => result?.["changeId"])).size).toBe(asks.length);
    expect(bench.read("a.md")).toBe("x".repeat(asks.length));
  });

  test("[RI13] an answer about a document that is no longer readable is not repeated", async () => {
    const owner = new Talk(new Bench({ "docs/a.md": "a\n", "docs/b.md": "b\n" }));
    await owner.hello();
    const request = { path: "docs/a.md", text: "x\n", opId: "op" };
    expect((await (await owner.again(guest("write"))).ask("edit.append", request)).result).toBeTruthy();
    const less = { name: "guest", rights: rights(["docs/b.md", "write"]) };
    const talk = await owner.again(less);
    for (const path of ["docs/a.md", "docs/b.md"])
      expect((await talk.ask("edit.append", { ...request, path })).error?.data.code).toBe("NOT_FOUND");
    expect(owner.bench.read("docs/b.md")).toBe("b\n");
  });

  test("[RI13] a client with another's id as its name is not that one", async () => {
    const bench = new Bench({ "a.md": "" });
    const [victim, other] = [new Talk(bench, holder("one")), new Talk(bench, holder("two"))];
    await victim.hello({ agent: { name: "x" } });
    await other.hello({ agent: { name: "one/x" } });
    await victim.ask("edit.append", { path: "a.md", text: "mine " });
    await other.ask("edit.append", { path: "a.md", text: "theirs" });
    await victim.ask("undo", {});
    expect(bench.read("a.md")).toBe("theirs");
  });

  for (const [given, name] of [
    ["disk", "disk (agent)"],
    ["Spliced\u200b", "Spliced (agent)"],
    ["\u001b[2J", "[2J"],
    ["", "agent"],
    ["x".repeat(10_000), "x".repeat(100)],
  ] as const)
    test(`[RI13, NM1] who says to be ${JSON.stringify(given.slice(0, 10))} is shown as ${name.slice(0, 20)}`, async () => {
      const talk = new Talk(new Bench({ "a.md": "" }), holder("one"));
      const greeting = await talk.hello({ agent: { name: given } });
      expect(greeting.result).toMatchObject({ agent: { id: `one/${name}`, name } });
      await talk.ask("edit.append", { path: "a.md", text: "x" });
      expect((await talk.bench.document("a.md")).head).toMatchObject({ author: name, agent: `one/${name}` });
    });
});
