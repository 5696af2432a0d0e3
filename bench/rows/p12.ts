import type { Client } from "../../src/client/client.ts";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { interleave, timed } from "../interleave.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { MARKED, markedDocument } from "../marked.ts";

const LARGE = 10_000_000;
const SMALL = 10_000;
const BLOCK = 20;

type Edit = () => Promise<unknown>;

/** Compares a keystroke in a large document with one in a small document. */
export async function* p12(bench: Bench): AsyncGenerator<Line> {
  for (const method of ["splice", "replace"] as const) {
    const large = await document(bench, LARGE, method);
    const small = await document(bench, SMALL, method);
    const samples = await interleave(
      bench,
      { name: `P12 ${method}`, rounds: 10, warmup: 2 },
      () => block(large),
      () => block(small),
    );
    yield lineOf(
      { row: "P12", what: `one ${method} in 10 MB, durable`, against: "in 10 KB", ...samples },
      atMost(2),
    );
  }
}

/** Opens a document in its own daemon, so that writing the large file does not delay the small one. */
async function document(bench: Bench, bytes: number, method: "splice" | "replace") {
  const daemon = await startDaemon(bench, bench.scope.folder());
  const client = await daemon.connect("bench");
  const marked = markedDocument(client, daemon, bytes, "durable");
  return { client, edit: method === "replace" ? () => marked.edit() : typing(client, bytes >> 1) };
}

/** Returns an edit that types the next character. */
function typing(client: Client, from: number): Edit {
  let at = from;
  return () => {
    const splices = [{ from: at, to: at, insert: "x" }];
    at++;
    return client.request("edit.splice", { path: MARKED, version: "latest", splices, ack: "durable" });
  };
}

/** Times a block of edits, then waits for the file, so that its write does not slow the other side. */
async function block({ client, edit }: { client: Client; edit: Edit }): Promise<number[]> {
  const took = await timed(BLOCK, edit);
  await client.request("doc.save", { path: MARKED });
  return took;
}
