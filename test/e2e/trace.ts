import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Client } from "../../src/client/index.ts";
import { compose } from "../../src/text/delta.ts";
import type { Splice } from "../../src/text/splice.ts";

/** A history of real editing: every patch of every transaction in order makes the end content. */
export interface Trace {
  readonly startContent: string;
  readonly endContent: string;
  readonly txns: readonly { readonly patches: readonly Patch[] }[];
}

/** Positions and counts are code points. */
export type Patch = readonly [position: number, deleted: number, inserted: string];

const PROJECT = resolve(import.meta.dirname, "../..");

/** Our own trace, made by `make-trace.ts`. */
export const OWN = resolve(PROJECT, "fixtures/traces/own.json.gz");
/** Traces of other people's work, where they are installed. */
export const SHARED = ["rustcode", "sveltecomponent"]
  .map((name) => resolve(PROJECT, `../shared/data/traces/${name}.json.gz`))
  .filter((file) => existsSync(file));

export function readTrace(file: string): Trace {
  return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as Trace;
}

/** Requests under way at once. */
const WINDOW = 256;

/**
 * Sends an `edit.splice` for every transaction, or for several together, pipelined; resolves when all are durable.
 * Returns the number of edits.
 */
export async function replay(client: Client, path: string, { txns }: Trace, together = 1): Promise<number> {
  const under = new Set<Promise<unknown>>();
  let sent = 0;
  for (let i = 0; i < txns.length; i += together) {
    const patches = txns.slice(i, i + together).flatMap((txn) => txn.patches);
    const splices = patches.map(asEdit).reduce(compose, []);
    if (splices.length === 0) continue;
    const edit = client.request("edit.splice", { path, version: "latest", splices, ack: "durable" });
    const done = edit.finally(() => under.delete(done));
    under.add(done);
    sent++;
    if (under.size >= WINDOW) await Promise.race(under);
  }
  await Promise.all(under);
  return sent;
}

function asEdit([position, deleted, inserted]: Patch): Splice[] {
  return [{ from: position, to: position + deleted, insert: inserted }];
}
