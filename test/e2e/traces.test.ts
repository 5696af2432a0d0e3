import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { carefulByRename } from "./editor.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { times } from "./long.ts";
import { EDITS, makeTrace } from "./make-trace.ts";
import { seeded } from "./seed.ts";
import { serveFolder } from "./served.ts";
import { OWN, readTrace, replay, SHARED, type Trace } from "./trace.ts";

const PATH = "typed.md";

async function expectText(client: Client, folder: Folder, text: string): Promise<void> {
  await client.request("doc.save", { path: PATH });
  const read = await client.request("doc.read", { path: PATH });
  // A diff of two long texts shows no reason.
  expect(read.text === text, "memory holds the trace's end").toBe(true);
  expect(folder.read(PATH) === text, "the file holds the trace's end").toBe(true);
}

/** The number of keystrokes of our own trace in one edit. */
const OWN_TOGETHER = times(4, 1);

describe("editing as it was done", () => {
  test("[EE29] our own trace is the one that its generator makes", () => {
    expect(readTrace(OWN)).toEqual(makeTrace(seeded(2026), EDITS));
  });

  test("[EE29] while an editor saves the same file, both have what they wrote", {
    timeout: 60_000,
  }, async () => {
    const trace = readTrace(OWN);
    // The trace's text ends before this line, and the editor's lines follow it.
    const border = "\n--- the editor's lines ---\n";
    const folder = makeFolder({ [PATH]: `${trace.startContent}${border}` });
    const daemon = await serveFolder(folder.root);
    const client = await daemon.connect();
    const save = carefulByRename(daemon.pid);
    const lines: string[] = [];
    let typing = true;
    const editor = async () => {
      for (let i = 0; typing || i < 20; i++) {
        const line = `saved ${i}\n`;
        if (save(folder.at(PATH), (text) => text + line)) lines.push(line);
        await pause(30);
      }
    };
    const typed = replay(client, PATH, trace, OWN_TOGETHER).finally(() => {
      typing = false;
    });
    await Promise.all([typed, editor()]);
    console.info(`own trace: ${await typed} edits, ${lines.length} saves`);
    await expectText(client, folder, `${trace.endContent}${border}${lines.join("")}`);
  });

  if (SHARED.length === 0) console.info("traces: only our own; ../shared/data/traces is not at hand");
  /** The number of transactions in one edit, because the long traces would otherwise take too long. */
  const TOGETHER: Readonly<Record<string, number>> = { "rustcode.json.gz": 8, "sveltecomponent.json.gz": 8 };
  for (const file of SHARED)
    further(`[EE29] ${basename(file)}, pipelined: file and memory hold its end`, async () => {
      const trace: Trace = readTrace(file);
      const folder = makeFolder({ [PATH]: trace.startContent });
      const client = await (await serveFolder(folder.root)).connect();
      const started = performance.now();
      const sent = await replay(client, PATH, trace, TOGETHER[basename(file)]);
      const rate = Math.round((sent / (performance.now() - started)) * 1000);
      console.info(`traces: ${basename(file)}, ${trace.txns.length} transactions, ${sent} edits, ${rate}/s`);
      await expectText(client, folder, trace.endContent);
    });
});
