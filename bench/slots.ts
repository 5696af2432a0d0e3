import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { startDaemon } from "./daemon.ts";
import { startMcpFilesystem } from "./peers/mcp-filesystem.ts";

const NAME = "slots.ts";

/** A file with numbered slots, which an agent fills one after the other while others write the file. */
export class Slots {
  readonly path: string;
  readonly #replace: (old: string, updated: string) => Promise<unknown>;
  readonly #settle: () => Promise<unknown>;
  readonly #filled: number[] = [];
  #next = 0;

  constructor(
    folder: string,
    count: number,
    replace: (old: string, updated: string) => Promise<unknown>,
    settle: () => Promise<unknown>,
  ) {
    this.path = join(folder, NAME);
    this.#replace = replace;
    this.#settle = settle;
    writeFileSync(this.path, Array.from({ length: count }, (_, n) => `${slot(n, "open")}\n`).join(""));
  }

  /** Fills the next slot. An edit that is refused is not lost, because the agent knows. */
  async fill(): Promise<void> {
    const n = this.#next++;
    const isMade = await this.#replace(slot(n, "open"), slot(n, "filled")).then(
      () => true,
      () => false,
    );
    if (isMade) this.#filled.push(n);
  }

  /** Returns the file's text at last, and how many of the acknowledged edits it lacks. */
  async end(): Promise<{ readonly text: string; readonly lost: number; readonly acknowledged: number }> {
    await this.#settle();
    const text = readFileSync(this.path, "utf8");
    const lines = new Set(text.split("\n"));
    const lost = this.#filled.filter((n) => !lines.has(slot(n, "filled"))).length;
    return { text, lost, acknowledged: this.#filled.length };
  }
}

function slot(n: number, state: string): string {
  return `slot ${String(n).padStart(5, "0")}: ${state}`;
}

/** Opens a file of slots that spliced or the MCP filesystem server edits. */
export async function openSlots(
  { scope, ...bench }: Bench,
  editor: "ours" | "peer",
  count: number,
): Promise<Slots> {
  const folder = scope.folder();
  if (editor === "peer") {
    const { edit } = await startMcpFilesystem(scope, folder);
    return new Slots(
      folder,
      count,
      (old, updated) => edit(NAME, old, updated),
      async () => undefined,
    );
  }
  const daemon = await startDaemon({ ...bench, scope }, folder);
  const client = await daemon.connect("agent");
  return new Slots(
    folder,
    count,
    (old, updated) => client.request("edit.replace", { path: NAME, old, new: updated, ack: "durable" }),
    () => client.request("doc.save", { path: NAME }),
  );
}
