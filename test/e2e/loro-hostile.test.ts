import { LoroDoc } from "loro-crdt";
import { CrdtType, decode, encode, MessageType, UpdateStatusCode } from "loro-protocol";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { MARKER } from "../fuzz/known-values.ts";
import { beginShared } from "../helpers/shared.ts";
import { Bystander } from "./attack/bystander.ts";
import { spread } from "./attack/table.ts";
import { atEnd } from "./cleanup.ts";
import { type Daemon, logOf, residentBytes, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { times } from "./long.ts";
import { isChecked, mutated, validUpdates } from "./loro-bytes.ts";
import { loroPeer } from "./loro-peer.ts";
import { chosenSeed, type Random, seeded } from "./seed.ts";
import { tokenFor } from "./token.ts";
import { until, within } from "./until.ts";

const COUNT = times(60, 1_000_000);
/** Updates that wait for their answers. */
const TOGETHER = 32;
/** The bytes by which the daemon and its examiner may grow. */
const GROWTH_BYTES = 600 << 20;
const ROOM = { crdt: CrdtType.Loro, roomId: "a.md" } as const;

let folder: Folder;
let daemon: Daemon;

beginShared(async () => {
  folder = makeFolder({
    "a.md": "one\ntwo\nthree\n",
    "b.md": "calm\n",
    "hidden.md": `${MARKER}\n`,
    "small.txt": "small\n",
  });
  daemon = await startDaemon(folder.root);
});

/** A socket that has joined the room and counts the outcomes of its messages. */
class Attacker {
  readonly acks = new Map<number, number>();
  /** True when it received text that its token may not read. */
  toldOfHidden = false;
  readonly #ws: WebSocket;
  #answered = 0;
  #sent = 0;
  #wake: () => void = () => {};

  constructor(token: string) {
    const headers = { authorization: `Bearer ${token}` };
    this.#ws = new WebSocket(`${daemon.located.url.replace("http:", "ws:")}/loro`, { headers });
    this.#ws.on("message", (data, isBinary) => isBinary && this.#heard(data as Buffer));
    atEnd(() => this.#ws.terminate());
  }

  async join(): Promise<void> {
    await within("the connection opens", new Promise((open) => this.#ws.once("open", open)));
    this.#join();
  }

  async send(update: Uint8Array): Promise<void> {
    const batchId = `0x${(++this.#sent).toString(16).padStart(16, "0")}` as const;
    this.#ws.send(encode({ type: MessageType.DocUpdate, ...ROOM, updates: [update], batchId }));
    await this.#answers(TOGETHER);
  }

  /** Resolves once at most `left` answers are missing. */
  async #answers(left: number): Promise<void> {
    while (this.#sent - this.#answered > left)
      await within(
        "an answer",
        new Promise<void>((wake) => {
          this.#wake = wake;
        }),
      );
  }

  async done(): Promise<void> {
    await this.#answers(0);
    this.#ws.close();
  }

  /** Joins the room, and tries to join the hidden ones. */
  #join(): void {
    const none = new Uint8Array();
    for (const room of [ROOM, { ...ROOM, roomId: "hidden.md" }])
      this.#ws.send(encode({ type: MessageType.JoinRequest, ...room, auth: none, version: none }));
  }

  #heard(data: Buffer): void {
    this.toldOfHidden ||= data.includes(MARKER);
    const message = decode(data);
    if (message.type === MessageType.RoomError) this.#join();
    if (message.type !== MessageType.Ack) return;
    this.acks.set(message.status, (this.acks.get(message.status) ?? 0) + 1);
    this.#answered++;
    this.#wake();
  }
}

describe("updates made to harm", () => {
  test(
    `[LW10, FZ2, FZ3] ${COUNT} mutations of updates end in an answer each, and in documents that are whole`,
    async () => {
      const random: Random = seeded(chosenSeed(24));
      const token = await tokenFor(folder.root, "attacker", "hidden.md=none", "**=write");
      const bystander = await Bystander.at(daemon.located, "small.txt");
      const before = residentBytes(daemon.pid);
      const healthy = await loroPeer(daemon.located, daemon.located.token).join("a.md");
      const calm = await loroPeer(daemon.located, daemon.located.token).join("b.md");
      const base = new LoroDoc();
      base.import(healthy.doc.export({ mode: "snapshot" }));
      const valid = validUpdates(base);
      expect(valid.every(isChecked)).toBe(true);
      const attacker = new Attacker(token);
      await attacker.join();
      const { witness } = await bystander.during(async () => {
        for (let i = 0; i < COUNT; i++) {
          await attacker.send(mutated(random.pick(valid), random));
          if (i % 100 === 0) calm.edit((text) => text.insert(0, "."));
        }
        await attacker.done();
      });
      const grown = residentBytes(daemon.pid) - before;
      const counts = Object.entries(UpdateStatusCode).map(([name, code]) => [
        name,
        attacker.acks.get(code) ?? 0,
      ]);
      const deaths = logOf(folder.root).split("loro.examiner_died").length - 1;
      process.stdout.write(
        `${COUNT} mutations: ${JSON.stringify(Object.fromEntries(counts))}, ${deaths} deaths; others' reads took ${spread(witness.read).map(Math.round).join("/")} ms (p50/p99/max); ${grown >> 20} MB more\n`,
      );
      expect(attacker.toldOfHidden).toBe(false);
      expect([witness.unanswered, witness.refused]).toEqual([0, []]);
      expect(grown).toBeLessThan(GROWTH_BYTES);
      expect([...attacker.acks.values()].reduce((sum, n) => sum + n)).toBe(COUNT);
      expect(attacker.acks.get(UpdateStatusCode.InvalidUpdate)).toBeGreaterThan(COUNT / 2);

      healthy.edit((text) => text.insert(0, "still here "));
      const agent = await daemon.connect();
      const reads = async (path: string) => (await agent.request("doc.read", { path })).text;
      await until(
        "the edit is made",
        () => reads("a.md"),
        (text) => text.includes("still here "),
      );
      const text = await reads("a.md");
      await until(
        "the replica has the same",
        () => healthy.text.toString(),
        (seen) => seen === text,
      );
      await until(
        "the file has the same",
        () => folder.read("a.md"),
        (seen) => seen === text,
      );
      const dots = ".".repeat(Math.ceil(COUNT / 100));
      await until(
        "others went on",
        () => reads("b.md"),
        (seen) => seen === `${dots}calm\n`,
      );
      expect(calm.refused).toEqual([]);
    },
    COUNT * 50 + 60_000,
  );
});
