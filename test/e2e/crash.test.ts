import { chmodSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Client, DisconnectedError } from "../../src/client/index.ts";
import { STEPS, type Step } from "../../src/mirror/step.ts";
import type { Params, Result } from "../../src/protocol/schemas/schemas.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { type Daemon, HELD_BACK, type ServedFolder, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { type Audit, Ledger, NOTHING_AMISS } from "./ledger.ts";
import { times } from "./long.ts";
import { chosenSeed, type Random, seeded } from "./seed.ts";
import { serveFolder } from "./served.ts";
import { until, within } from "./until.ts";

const PATH = "notes/shared.md";
const LINES = 60;
const LONGEST_MS = 200;
/** Steps that are reached seldom. */
const RARE: ReadonlySet<Step> = new Set(["synced", "log made", "taken in"]);
const AGENTS = ["ann", "bob"] as const;

/** An edit as an agent sends it, and sends it again after an unknown outcome. */
interface Sent {
  readonly agent: string;
  readonly marker: string;
  readonly params: Params<"edit.replace">;
}

/** Agents that edit one document through several crashes. */
class Load {
  readonly ledger = new Ledger();
  readonly random: Random;
  readonly #acks: readonly ("durable" | "mirrored")[];
  readonly #atOnce: number;
  /** Edits that were sent and interrupted before an answer. */
  #open: Sent[] = [];
  readonly #answered: Sent[] = [];

  constructor(random: Random, acks: readonly ("durable" | "mirrored")[], atOnce: number) {
    this.random = random;
    this.#acks = acks;
    this.#atOnce = atOnce;
  }

  /** Sends edits of every agent, several at once, until the daemon ends. */
  async run(clients: ReadonlyMap<string, Client>): Promise<void> {
    const one = async (client: Client, agent: string) => {
      while (await this.#send(client, this.#make(agent)));
    };
    const all = [...clients].flatMap(([agent, client]) =>
      Array.from({ length: this.#atOnce }, () => one(client, agent)),
    );
    await Promise.all(all);
  }

  /** Sends the interrupted edits again, and some answered ones. */
  async sendAgain(clients: ReadonlyMap<string, Client>): Promise<void> {
    const open = this.#open;
    this.#open = [];
    for (const sent of [...open, ...this.#answered.slice(-10)])
      await this.#send(clients.get(sent.agent)!, sent);
  }

  /** True when the edit was acknowledged, false when the connection ended before. */
  async #send(client: Client, sent: Sent): Promise<boolean> {
    try {
      await client.request("edit.replace", sent.params);
    } catch (error) {
      if (!(error instanceof DisconnectedError)) throw error;
      this.#open.push(sent);
      return false;
    }
    this.ledger.note(sent.marker);
    this.#answered.push(sent);
    return true;
  }

  #make(agent: string): Sent {
    const marker = this.ledger.marker(agent);
    const old = `line ${this.random.below(LINES)}:`;
    const ack = this.random.pick(this.#acks);
    return { agent, marker, params: { path: PATH, old, new: `${old} ${marker}`, ack, opId: marker } };
  }
}

async function connectAll(daemon: ServedFolder): Promise<Map<string, Client>> {
  return new Map(
    await Promise.all(AGENTS.map(async (name) => [name, await daemon.connect({ name })] as const)),
  );
}

/** Runs rounds: agents edit, the daemon is killed and restarted, and the ledger is checked. */
async function crashAgainAndAgain(cycles: number, text: string, load: Load): Promise<void> {
  const folder = makeFolder({ [PATH]: text });
  const first = await startDaemon(folder.root);
  let killed: Daemon | undefined = first;
  let clients = await connectAll(first);
  await clients.get("ann")!.request("doc.open", { path: PATH });
  for (let cycle = 0; cycle < cycles; cycle++) {
    const seed = `seed ${load.random.seed}, cycle ${cycle}`;
    const working = load.run(clients);
    await pause(1 + load.random.below(LONGEST_MS));
    await killed?.kill();
    await working;
    killed = cycle + 1 < cycles ? await startDaemon(folder.root) : undefined;
    const daemon = killed ?? (await serveFolder(folder.root));
    // No client has requested the document yet: the daemon writes the file by itself.
    const inFile = () => load.ledger.audit(folder.read(PATH));
    await until(`the file holds everything acknowledged (${seed})`, inFile, ({ lost }) => lost.length === 0);
    clients = await connectAll(daemon);
    await load.sendAgain(clients);
    const { text } = await clients.get("ann")!.request("doc.read", { path: PATH });
    expect(load.ledger.audit(text), seed).toEqual(NOTHING_AMISS);
  }
  console.info(`crash: ${load.ledger.size} edits acknowledged over ${cycles} kills`);
  expect(load.ledger.size).toBeGreaterThan(cycles * 3);
}

describe("kill -9", () => {
  const lines = Array.from({ length: LINES }, (_, i) => `line ${i}:\n`).join("");

  const kills = times(2, 10_000);
  test(
    `[I2] under load, ${kills} times: what was acknowledged is in the file and in memory after each`,
    { timeout: 60_000 + kills * 5_000 },
    () =>
      crashAgainAndAgain(kills, lines, new Load(seeded(chosenSeed(20_261_121)), ["durable", "mirrored"], 3)),
  );

  further("[I2] with memory far ahead of a large file: the same", { timeout: 60_000 }, () => {
    const large = `${lines}${`${"x".repeat(99)}\n`.repeat(30_000)}`;
    return crashAgainAndAgain(times(1, 2), large, new Load(seeded(chosenSeed(7)), ["durable"], 40));
  });
});

describe("a crash at a step of an edit", () => {
  const rounds = times(1, 50);

  /** Edits until the daemon dies at the step, then starts another, which writes the file. */
  async function crashAt(
    step: Step,
    nth: number,
    root: string,
    load: Load,
    inFile: () => Audit,
  ): Promise<void> {
    const script = [join(import.meta.dirname, "dying-daemon.js"), root, step, String(nth)];
    const daemon = await startDaemon(root, { script });
    const clients = await connectAll(daemon);
    const what = `seed ${load.random.seed}, ${step} reached ${nth} times`;
    await until(
      `the file holds what was acknowledged before (${what})`,
      inFile,
      ({ lost }) => lost.length === 0,
    );
    daemon.signal("SIGUSR2");
    await load.sendAgain(clients);
    await load.run(clients);
    await within(`it dies (${what})`, daemon.ended);
  }

  test(`[FA5] each of ${STEPS.length}, ${rounds} times: what was acknowledged is there once`, {
    timeout: 60_000 + rounds * 60_000,
  }, async () => {
    const folder = makeFolder({ [PATH]: Array.from({ length: LINES }, (_, i) => `line ${i}:\n`).join("") });
    const load = new Load(seeded(chosenSeed(5)), ["durable", "mirrored"], 2);
    const inFile = () => load.ledger.audit(folder.read(PATH));
    for (let round = 0; round < rounds; round++)
      for (const step of STEPS) {
        const nth = RARE.has(step) ? 1 : 1 + load.random.below(times(10, 30));
        await crashAt(step, nth, folder.root, load, inFile);
      }
    const clients = await connectAll(await serveFolder(folder.root));
    await load.sendAgain(clients);
    const { text } = await clients.get("ann")!.request("doc.read", { path: PATH });
    expect(load.ledger.audit(text)).toEqual(NOTHING_AMISS);
    await until("the file holds it, too", inFile, ({ lost }) => lost.length === 0);
  });
});

describe("what was answered ahead of kill -9", () => {
  const once = { path: "notes.md", text: "once\n", opId: "op-1" };
  let folder: Folder;
  let first: Result<"edit.append">;
  let ann: Client;
  let bob: Client;

  beginShared(async () => {
    folder = makeFolder({
      "notes.md": "start\n",
      "twice.md": "start\n",
      "gone.md": "gone\n",
      "old.md": "moved\n",
    });
    const daemon = await startDaemon(folder.root);
    const client = await daemon.connect({ name: "ann" });
    first = await client.request("edit.append", once);
    await client.request("doc.create", { path: "a/new.md", text: "made\n" });
    await client.request("doc.delete", { path: "gone.md" });
    await client.request("doc.rename", { path: "old.md", to: "sub/new.md" });
    await daemon.kill();
    const next = await serveFolder(folder.root);
    ann = await next.connect({ name: "ann" });
    bob = await next.connect({ name: "bob" });
  });

  test("[EE22] an edit sent again under its opId after the restart gets its first answer, and is not made twice", async () => {
    expect(await ann.request("edit.append", once)).toEqual(first);
    expect(folder.read("notes.md")).toBe("start\nonce\n");
    await bob.request("edit.append", once);
    expect(folder.read("notes.md")).toBe("start\nonce\nonce\n");
  });

  test("[EE22] the same opId twice at once is made once, with the same answer", async () => {
    const params = { path: "twice.md", text: "once\n", opId: "twin" };
    const answers = await Promise.all([1, 2, 3].map(() => ann.request("edit.append", params)));
    expect(new Set(answers.map(({ changeId }) => changeId)).size).toBe(1);
    expect(folder.read("twice.md")).toBe("start\nonce\n");
  });

  test("[I2] of a new document right after doc.create: it is there, text and all", async () => {
    expect((await ann.request("doc.read", { path: "a/new.md" })).text).toBe("made\n");
    expect(folder.read("a/new.md")).toBe("made\n");
  });

  test("[I2] right after doc.delete and doc.rename: neither comes undone", async () => {
    await expect(ann.request("doc.read", { path: "gone.md" })).rejects.toMatchObject({ code: "DELETED" });
    expect((await ann.request("doc.read", { path: "sub/new.md" })).text).toBe("moved\n");
    const listed = (await ann.request("doc.list", {})).docs.map(({ path }) => path);
    expect(listed).not.toContain("gone.md");
    expect(listed).not.toContain("old.md");
  });
});

describe.concurrent("files changed while the daemon was down", () => {
  for (const [how, end] of [
    ["after a stop", (daemon: Daemon) => daemon.stop()],
    ["after kill -9", (daemon: Daemon) => daemon.kill()],
  ] as const)
    (how === "after kill -9" ? test : further)(
      `[EE23] ${how}: modified, deleted, created, renamed are taken in, and edits go on`,
      async () => {
        const folder = makeFolder({ "modified.md": "one\ntwo\n", "deleted.md": "d\n", "renamed.md": "r\n" });
        const daemon = await startDaemon(folder.root);
        const client = await daemon.connect();
        for (const path of ["modified.md", "deleted.md", "renamed.md"])
          await client.request("edit.append", { path, text: "agent\n" });
        await end(daemon);
        folder.write("modified.md", "one\nTWO\nagent\n");
        folder.write("created.md", "c\n");
        rmSync(folder.at("deleted.md"));
        renameSync(folder.at("renamed.md"), folder.at("renewed.md"));
        const next = await (await serveFolder(folder.root)).connect();
        const read = async (path: string) => (await next.request("doc.read", { path })).text;
        expect(await read("modified.md")).toBe("one\nTWO\nagent\n");
        expect(await read("created.md")).toBe("c\n");
        expect(await read("renewed.md")).toBe("r\nagent\n");
        for (const path of ["deleted.md", "renamed.md"])
          await expect(read(path)).rejects.toMatchObject({
            code: expect.stringMatching(/DELETED|NOT_FOUND/),
          });
        await next.request("edit.append", { path: "modified.md", text: "more\n" });
        expect(folder.read("modified.md")).toBe("one\nTWO\nagent\nmore\n");
      },
    );
});

describe.concurrent("a file that cannot be written", () => {
  test("[EE24] edits are kept and told as not mirrored; once it can be, the file is brought up", async () => {
    const folder = makeFolder({ "closed/doc.md": "one\ntwo\n", "open.md": "open\n" });
    chmodSync(folder.at("closed"), 0o555);
    const client = await (await startDaemon(folder.root, HELD_BACK)).connect();
    const told: string[] = [];
    client.on("mirror.blocked", ({ path }) => told.push(`blocked ${path}`));
    client.on("mirror.recovered", ({ path }) => told.push(`recovered ${path}`));
    await client.request("subscribe", { path: "closed/doc.md" });
    const edit = await client.request("edit.replace", { path: "closed/doc.md", old: "one", new: "ONE" });
    expect(edit).toMatchObject({ durable: true, mirrored: false });
    const { docs } = await client.request("doc.status", { path: "closed/doc.md" });
    expect(docs).toMatchObject([{ syncStatus: "blocked", pendingWrites: 1, problem: expect.any(String) }]);
    await client.request("edit.append", { path: "open.md", text: "others go on\n" });
    expect(folder.read("open.md")).toBe("open\nothers go on\n");
    chmodSync(folder.at("closed"), 0o755);
    await until("the file is brought up", () => folder.read("closed/doc.md") === "ONE\ntwo\n");
    await until("both are told", () => told.join() === "blocked closed/doc.md,recovered closed/doc.md");
  });

  further(
    "[EE24] memory ahead at the crash, and the files saved meanwhile, also after many edits and in one place: both are kept",
    async () => {
      const lines = Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join("");
      const folder = makeFolder({ "closed/doc.md": "one\ntwo\nthree\n", "closed/long.md": lines });
      chmodSync(folder.at("closed"), 0o555);
      const daemon = await startDaemon(folder.root, HELD_BACK);
      const client = await daemon.connect();
      const edit = { path: "closed/doc.md", ack: "durable" } as const;
      await client.request("edit.replace", { ...edit, old: "one", new: "one by an agent" });
      await client.request("edit.replace", { ...edit, old: "two\n", new: "two\nbetween\n" });
      const ledger = new Ledger();
      for (let i = 0; i < 80; i++) {
        const marker = ledger.marker("ann");
        await client.request("edit.replace", {
          path: "closed/long.md",
          old: `line ${i}\n`,
          new: `line ${i} ${marker}\n`,
          ack: "durable",
        });
        ledger.note(marker);
      }
      await daemon.kill();
      expect(folder.read("closed/doc.md")).toBe("one\ntwo\nthree\n");
      folder.write("closed/doc.md", "one\ntwo\nthree by a person\n");
      const saved = ledger.marker("editor");
      folder.write("closed/long.md", lines.replace("line 5\n", `line 5 ${saved}\n`));
      ledger.note(saved);
      chmodSync(folder.at("closed"), 0o755);
      const both = "one by an agent\ntwo\nbetween\nthree by a person\n";
      const next = await serveFolder(folder.root);
      await until(
        "the file holds both",
        () => folder.read("closed/doc.md"),
        (text) => text === both,
      );
      const { text } = await (await next.connect()).request("doc.read", { path: "closed/doc.md" });
      expect(text).toBe(both);
      const amiss = () => ledger.audit(folder.read("closed/long.md"));
      await until(
        "the long file holds all",
        amiss,
        ({ lost, doubled }) => lost.length + doubled.length === 0,
      );
    },
  );
});
