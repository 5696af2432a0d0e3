import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Reached } from "../../src/mirror/step.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb.ts";
import type { Store } from "../../src/store/store.ts";

/** Returns a folder that is removed when the test ends. */
export function folder(): string {
  const at = mkdtempSync(join(tmpdir(), "spliced-store-"));
  onTestFinished(() => rmSync(at, { recursive: true, force: true }));
  return at;
}

/** Returns a copy of a store's folder: what a process leaves that is killed now. */
export function copyOf(at: string): string {
  const copy = folder();
  cpSync(at, copy, { recursive: true });
  return copy;
}

/** Opens a store, and keeps it busy until it has a log. */
export async function openLogged(at: string, reached: Reached = () => {}): Promise<Store> {
  let isMade = () => {};
  const made = new Promise<void>((done) => {
    isMade = done;
  });
  const store = openLmdbStore(at, (step) => {
    reached(step);
    if (step === "log made") isMade();
  });
  for (let i = 0; i < BUSY_GROUPS; i++) await store.savePeer("0", { name: `warm ${i}`, agent: "warm" });
  await made;
  return store;
}

/** After this many groups of writes a store makes a log. */
export const BUSY_GROUPS = 8;
