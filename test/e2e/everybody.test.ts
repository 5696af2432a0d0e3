import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { LoroDoc } from "loro-crdt";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { connect, RefusedError } from "../../src/client/index.ts";
import { openPage } from "../web/browser.ts";
import { atEnd } from "./cleanup.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { type CarefulSave, carefulByRename, carefulInPlace } from "./editor.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { Ledger, NOTHING_AMISS } from "./ledger.ts";
import { times } from "./long.ts";
import { loroPeer } from "./loro-peer.ts";
import { markersStory } from "./markers-story.ts";
import { chosenSeed, type Random, seeded } from "./seed.ts";
import { tokenFor } from "./token.ts";
import { until, within } from "./until.ts";
import { openWire, type Wire } from "./wire.ts";

const PATH = "shared.md";
const WHERE = ["one", "two", "three"];
const START = `${WHERE.map((line) => `${line}:\n`).join("")}page:\n`;
/** The number of kills of the daemon, and the time of work before each and after the last. */
const KILLS = times(2, 6);
const ROUND_MS = times(1, 10) * 1_000;
/** The time until all replicas must be equal in the end. */
const TOGETHER_MS = 30_000;

/** The daemon that all clients use: another one after each kill, or none. */
interface Site {
  readonly folder: Folder;
  readonly ledger: Ledger;
  readonly random: Random;
  daemon: Daemon;
  /** The process that may write the file: undefined while there is none, "ending" while a killed one may still write. */
  writer: number | "ending" | undefined;
  over: boolean;
}

/** Inserts markers behind a line's name until the test ends the work. */
async function works(site: Site, name: string, edit: (old: string, put: string) => Promise<unknown>) {
  while (!site.over) {
    const marker = site.ledger.marker(name);
    const old = `${site.random.pick(WHERE)}:`;
    await edit(old, `${old} ${marker}`);
    site.ledger.note(marker);
  }
}

/** Runs an agent whose client library handles lost connections. */
async function agentByClient(site: Site) {
  const client = await within("hello", connect({ name: "ann", folder: site.folder.root }));
  atEnd(() => client.close());
  const live = await client.openDocument(PATH);
  const done = works(site, "ann", (old, put) =>
    client.edit.replace({ path: PATH, old, new: put, ack: site.random.pick(["durable", "mirrored"]) }),
  );
  return { done, text: () => live.text };
}

/** Runs an agent that uses the protocol directly and repeats unanswered requests. */
async function agentByHand(site: Site) {
  let wire: Wire | undefined;
  const greeted = async (): Promise<Wire> => {
    while (wire?.ws.readyState !== WebSocket.OPEN) {
      const opened = await until(
        "the daemon takes the agent",
        () => openWire(site.daemon.located),
        Boolean,
        TOGETHER_MS,
      );
      const hello = opened.ask("hello", { protocol: 1, agent: { name: "bob" } });
      if (typeof (await Promise.race([hello, opened.closed])) !== "number") wire = opened;
    }
    return wire;
  };
  let edits = 0;
  const done = works(site, "bob", async (old, put) => {
    const edit = { path: PATH, old, new: put, opId: `bob ${edits++}` };
    for (;;) {
      const open = await greeted();
      const answer = await Promise.race([open.ask("edit.replace", edit), open.closed]);
      if (typeof answer === "number") continue;
      if (answer.error !== undefined) throw new RefusedError(answer.error);
      return;
    }
  });
  return { done };
}

/** Runs a person's Loro client, which applies edits at once and sends them when it is connected. */
async function loroClient(site: Site) {
  // The owner's token changes at each start.
  const token = await tokenFor(site.folder.root, "lara", "**=write");
  const peer = loroPeer(site.daemon.located, token);
  const joined = await peer.join(PATH, new LoroDoc(), "lara");
  const done = (async () => {
    while (!site.over) {
      const marker = site.ledger.marker("lara");
      const line = `${site.random.pick(WHERE)}:`;
      joined.edit((text) => text.insert(text.toString().indexOf(line) + line.length, ` ${marker}`));
      site.ledger.note(marker);
      await pause(site.random.below(60));
    }
  })();
  return { done, text: () => joined.text.toString() };
}

/** Runs an editor that saves in different ways while no other process can write. */
async function editor(site: Site) {
  const file = site.folder.at(PATH);
  for (let turn = 0; !site.over; turn++) {
    const marker = site.ledger.marker("ed");
    const change = (text: string) => {
      const line = `${site.random.pick(WHERE)}:`;
      return text.replace(line, `${line} ${marker}`);
    };
    if (site.writer !== "ending" && saving(turn, site.writer)(file, change)) site.ledger.note(marker);
    await pause(site.random.below(60));
  }
}

/** Returns a way to save that overwrites nobody, while `writer` may write the file, too. */
function saving(turn: number, writer: number | undefined): CarefulSave {
  if (writer === undefined) return alone;
  return turn % 2 === 0 ? carefulInPlace : carefulByRename(writer);
}

const alone: CarefulSave = (file, change) => {
  writeFileSync(`${file}.new`, change(readFileSync(file, "utf8")));
  renameSync(`${file}.new`, file);
  return true;
};

/** A person who types at the end of the last line. */
async function person(site: Site, page: Page) {
  while (!site.over) {
    const marker = site.ledger.marker("page");
    await page.keyboard.type(` ${marker}`);
    site.ledger.note(marker);
    await pause(site.random.below(40));
  }
}

/** Returns the whole text of the editor; the page's tree contains only the visible part. */
async function copied(page: Page): Promise<string> {
  await page.locator(".cm-content").press("Control+a");
  return page.evaluate<string>(`(() => {
    const clipboardData = new DataTransfer();
    const copy = new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true });
    document.querySelector(".cm-content").dispatchEvent(copy);
    return clipboardData.getData("text/plain");
  })()`);
}

describe("everybody on one file", () => {
  test(
    `[EE41] agents, a page, a Loro client and an editor: through ${KILLS} kills everything is there once, and all see the same`,
    async () => {
      const folder = makeFolder({ [PATH]: START });
      const first = await startDaemon(folder.root);
      const site: Site = {
        folder,
        ledger: new Ledger(),
        random: seeded(chosenSeed(20_261_122)),
        daemon: first,
        writer: first.pid,
        over: false,
      };
      const page = await openPage(first, { to: `/doc/${PATH}` });
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+End");
      await page.keyboard.press("ArrowLeft");
      const ann = await agentByClient(site);
      const lara = await loroClient(site);
      const bob = await agentByHand(site);
      const everybody = Promise.all([ann.done, bob.done, lara.done, editor(site), person(site, page)]);
      everybody.catch(() => undefined); // awaited below
      for (let kill = 0; kill < KILLS; kill++) {
        await Promise.race([pause(site.random.below(ROUND_MS)), everybody]);
        site.writer = "ending";
        await site.daemon.kill();
        site.writer = undefined;
        await pause(site.random.below(200));
        const port = new URL(first.located.url).port;
        // A page may connect, and have the daemon write the file, before this test sees that the daemon is ready.
        const spawned = (pid: number) => {
          site.writer = pid;
        };
        site.daemon = await startDaemon(folder.root, { args: ["--port", port], spawned });
      }
      await Promise.race([pause(ROUND_MS), everybody]);
      site.over = true;
      await within("everybody is done", everybody, TOGETHER_MS);

      const owner = await site.daemon.connect({ name: "owner" });
      const seed = `seed ${site.random.seed}`;
      const all = await until(
        "everything is there",
        async () => (await owner.request("doc.read", { path: PATH })).text,
        (text) => site.ledger.audit(text).lost.length === 0,
        TOGETHER_MS,
      ).catch(async () => (await owner.request("doc.read", { path: PATH })).text);
      const did = ["ann", "bob", "lara", "ed", "page"].map((name) => `${name} ${site.ledger.notedBy(name)}`);
      process.stdout.write(`everybody: ${did.join(", ")}\n`);
      const audit = site.ledger.audit(all);
      const amiss = [...audit.lost, ...audit.doubled];
      const story = amiss.length === 0 ? "" : await markersStory(owner, PATH, amiss);
      expect(audit, `${seed}\n${story}`).toEqual(NOTHING_AMISS);
      const seen = async () => ({
        memory: (await owner.request("doc.read", { path: PATH })).text,
        file: folder.read(PATH),
        client: ann.text(),
        loro: lara.text(),
        page: await copied(page),
      });
      await until("all see the same", seen, (each) => new Set(Object.values(each)).size === 1, TOGETHER_MS);
    },
    KILLS * (ROUND_MS + 20_000) + 3 * TOGETHER_MS,
  );
});
