import { execFileSync } from "node:child_process";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { cli } from "./cli.ts";
import type { ServedFolder } from "./daemon.ts";
import { type Folder, folderIn, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { inTerminal, openTerminal, type Terminal } from "./terminal.ts";
import { until } from "./until.ts";

const BASE = "# Plan\n\nAlpha opens.\n\nBeta waits.\n\nGamma closes.\n";
const SINGS = "Beta waits, and sings.";
const OTHER = "# Notes\n\nDelta closes the case.\n\nThis text is new.\n";

let served: Folder;
let daemon: ServedFolder;
let client: Client;

beforeAll(async () => {
  served = makeFolder();
  daemon = await serveFolder(served.root);
  client = await daemon.connect();
});

/** Returns a file that an agent edits and programs save. */
function begin() {
  const folder = folderIn(served, { "notes.md": BASE });
  const path = `${basename(folder.root)}/notes.md`;
  const text = async () => (await client.request("doc.read", { path })).text;
  return {
    folder,
    path,
    text,
    sing: () => client.request("edit.replace", { path, old: "Beta waits.", new: SINGS }),
    /** Reads the file as `grep -r` does, so that access times prove nothing. */
    readByOthers: () => execFileSync("cat", [folder.at("notes.md")]),
    /** Waits until the document and the file have a text. */
    becomes: async (expected: RegExp) => {
      await until("the document has both", text, (seen) => expected.test(seen));
      await until(
        "the file has both",
        () => folder.read("notes.md"),
        (seen) => expected.test(seen),
      );
    },
    evidence: async () => {
      const { changes } = await client.request("history.list", { path, limit: 5 });
      return changes.find(({ lacked }) => lacked !== undefined)?.lacked?.evidence;
    },
  };
}

test("[EV1] saves in place of an old buffer of a file with two hard links return all edits of the agent", async () => {
  const { folder, path, text } = begin();
  linkSync(folder.at("notes.md"), folder.at("again.md"));
  await client.request("doc.read", { path });
  let [buffer, agents, saved] = [BASE, "", ""];
  for (let i = 0; i < 3; i++) {
    for (let edit = 0; edit < 3; edit++) {
      await client.request("edit.replace", {
        path,
        old: "Alpha opens.",
        new: `agent ${i}.${edit}\nAlpha opens.`,
      });
      agents += `agent ${i}.${edit}\n`;
    }
    buffer += `saved ${i}\n`;
    saved += `saved ${i}\n`;
    writeFileSync(folder.at("notes.md"), buffer);
    await until("the save is merged", async () => (await text()).includes(`saved ${i}`));
  }
  expect(await text()).toBe(`${BASE.replace("Alpha", `${agents}Alpha`)}${saved}`);
});

async function quitVim(terminal: Terminal): Promise<void> {
  terminal.press("Escape");
  terminal.type(":qa!");
  terminal.press("Enter");
  await terminal.ends();
}

describe.runIf(inTerminal("vim"))("a real vim with a swap file", () => {
  for (const [how, others] of [
    ["nobody else reads the file", false],
    ["others read the file", true],
  ] as const)
    test(`[EV13] saves a buffer of an old version that only lost a line, and ${how}: the agent's edit comes back`, async () => {
      const { folder, path, sing, readByOthers, becomes, evidence } = begin();
      await client.request("doc.read", { path });
      const terminal = openTerminal(folder.root, [
        "vim",
        "-u",
        "NONE",
        "-i",
        "NONE",
        "-n",
        "-c",
        "set swapfile updatecount=1",
        "notes.md",
      ]);
      await terminal.shows("Gamma closes.");
      await sing();
      if (others) readByOthers();
      terminal.type(":g/Gamma/d");
      terminal.press("Enter");
      await until("the line is gone", () => !terminal.screen().includes("Gamma closes."));
      terminal.type(":w!");
      terminal.press("Enter");
      await terminal.shows("Do you really want to write to it");
      terminal.type("y");
      await terminal.shows("written");
      await becomes(/^# Plan\n\nAlpha opens\.\n\nBeta waits, and sings\.\n+$/);
      expect(await evidence()).toBe("editor");
      await quitVim(terminal);
    });
});

describe.runIf(inTerminal("emacs"))("a real emacs with a lock", () => {
  test("[EV14] saves a buffer that it changed before an agent's edit: the edit comes back", async () => {
    const { folder, path, sing, readByOthers, becomes, evidence } = begin();
    await client.request("doc.read", { path });
    const terminal = openTerminal(folder.root, [
      "emacs",
      "-Q",
      "-nw",
      "--eval",
      "(setq inhibit-startup-screen t)",
      "notes.md",
    ]);
    await terminal.shows("Gamma closes.");
    terminal.press("M->");
    terminal.type("Typed in emacs.");
    terminal.press("Enter");
    await terminal.shows("Typed in emacs.");
    await sing();
    readByOthers();
    terminal.press("C-x", "C-s");
    await terminal.shows("Save anyway?");
    terminal.type("yes");
    terminal.press("Enter");
    await becomes(/Beta waits, and sings\..*Typed in emacs\./s);
    expect(await evidence()).toBe("editor");
  });
});

describe.runIf(inTerminal("nano"))("a real nano", () => {
  test("[EV15] saves an old buffer that only lost a line: no program had read the agent's edit, so it comes back", async () => {
    const { folder, path, sing, becomes, evidence } = begin();
    await client.request("doc.read", { path });
    const terminal = openTerminal(folder.root, ["nano", "--ignorercfiles", "notes.md"]);
    await terminal.shows("Gamma closes.");
    terminal.press("C-k", "C-k");
    await sing();
    terminal.press("C-s");
    await terminal.shows("modified");
    terminal.press("y");

    await becomes(/^Alpha opens\.\n\nBeta waits, and sings\.\n\nGamma closes\.\n$/);
    expect(await evidence()).toBe("unread");
  });
});

/** The ways in which the file tools of agents save. */
const WAYS: Readonly<Record<string, (folder: Folder, text: string) => void>> = {
  "in place": (folder, text) => folder.write("notes.md", text),
  "by rename": (folder, text) => {
    folder.write("notes.md.tmp.4711.abcdef", text);
    renameSync(folder.at("notes.md.tmp.4711.abcdef"), folder.at("notes.md"));
  },
};

describe("a file tool", () => {
  for (const [way, save] of Object.entries(WAYS)) {
    test(`[EV3] reads, then rewrites the whole file with other words ${way}: the rewrite stands as it is`, async () => {
      const { folder, text, sing } = begin();
      await sing();
      folder.read("notes.md");
      save(folder, OTHER);
      await until("the rewrite is there", text, (seen) => seen === OTHER);
      expect(folder.read("notes.md")).toBe(OTHER);
    });

    test(`[EV4] writes the same old text twice ${way}, with an agent's edit in between: never silent`, async () => {
      const { folder, path, sing, text } = begin();
      await client.request("doc.read", { path });
      const told: string[] = [];
      for (const method of ["doc.rescued", "doc.conflict"] as const)
        client.on(method, (event) => event.path === path && told.push(method));
      await client.request("subscribe", { path });
      const old = BASE.replace("Alpha", "Aleph");
      save(folder, old);
      await until("it is taken in", text, (seen) => seen === old);
      await sing();
      save(folder, old);
      await until("it is told of", () => told.length > 0);
    });

    (way === "in place" ? test : further)(
      `[EV6] writes ${way}, reads its own text back, thinks and writes again, beside an agent: no edit leaves the text`,
      async () => {
        const { folder, path, text } = begin();
        const rounds = 25;
        let ended = false;
        const edited: number[] = [];
        const agent = (async () => {
          for (let i = 0; !ended; i++) {
            await client.request("edit.splice", {
              path,
              version: "latest",
              splices: [{ from: 0, to: 0, insert: `agent ${i};\n` }],
            });
            edited.push(i);
            await pause(8);
          }
        })();
        let own = folder.read("notes.md");
        for (let i = 0; i < rounds; i++) {
          own = `${own}tool ${i};\n`;
          save(folder, own);
          own = readFileSync(folder.at("notes.md"), "utf8");
          await pause(40);
        }
        ended = true;
        await agent;
        const expected = [
          ...edited.map((i) => `agent ${i};\n`),
          ...Array.from({ length: rounds }, (_, i) => `tool ${i};\n`),
        ];
        const missing = (seen: string) => expected.filter((line) => !seen.includes(line));
        await until("all is in the document", text, (seen) => missing(seen).length === 0);
        await until(
          "all is in the file",
          () => folder.read("notes.md"),
          (seen) => missing(seen).length === 0,
        );
        expect(expected.filter((line) => folder.read("notes.md").split(line).length !== 2)).toEqual([]);
      },
    );
  }

  further("[EV5] deletes a file and makes another of that name later: the new one is itself", async () => {
    const { folder, path, sing, text } = begin();
    await sing();
    rmSync(folder.at("notes.md"));
    await until("it is deleted", async () => {
      const { changes } = await client.request("history.list", { path, limit: 1 });
      return changes[0]?.kind === "delete";
    });
    const anew = BASE.replace("Alpha", "Aleph");
    folder.write("notes.md", anew);
    await until(
      "it is there",
      () => text().catch(() => ""),
      (seen) => seen === anew,
    );
    expect(folder.read("notes.md")).toBe(anew);
  });
});

test("[EV16] doctor says which evidence of stale saves the folder has", async () => {
  const { out } = await cli(served.root, ["doctor"]);
  expect(out).toMatch(/readings\s/);
});
