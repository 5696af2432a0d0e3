import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { floorFile, type Splicing } from "../floors/edits.ts";
import { interleave, timed } from "../interleave.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { MARKED, markedDocument } from "../marked.ts";

const LARGE = 10_000_000;
const SMALL = 10_000;
const BLOCK = 20;

/** A document of one side. */
interface Side {
  edit(): Promise<unknown>;
  save(): Promise<unknown>;
}

/** Compares an edit in a large document with one in a small document. */
export async function* p12(bench: Bench): AsyncGenerator<Line> {
  for (const method of ["splice", "replace"] as const) {
    const large = await document(bench, LARGE, method);
    const small = await document(bench, SMALL, method);
    const floor = await floorFile(bench.scope, LARGE, "durable");
    const edit = method === "replace" ? () => floor.file.edit() : typing(floor.splice, LARGE >> 1);
    const least = { edit, save: floor.save };
    const samples = await interleave(
      bench,
      { name: `P12 ${method}`, rounds: 10, warmup: 2 },
      () => block(large),
      () => block(small),
      () => block(least),
    );
    if (method === "replace") floor.file.check();
    yield lineOf(
      { row: "P12", what: `one ${method} in 10 MB, durable`, against: "in 10 KB", ...samples },
      atMost(2),
    );
  }
}

/** Opens a document in its own daemon, so that writing the large file does not delay the small one. */
async function document(bench: Bench, bytes: number, method: "splice" | "replace"): Promise<Side> {
  const daemon = await startDaemon(bench, bench.scope.folder());
  const client = await daemon.connect("bench");
  const marked = markedDocument(client, daemon, bytes, "durable");
  const splice = (edit: Splicing) => client.request("edit.splice", edit);
  return {
    edit: method === "replace" ? () => marked.edit() : typing(splice, bytes >> 1),
    save: () => client.request("doc.save", { path: MARKED }),
  };
}

/** Returns an edit that types the next character. */
function typing(splice: (edit: Splicing) => Promise<unknown>, from: number): () => Promise<unknown> {
  let at = from;
  return () => {
    const splices = [{ from: at, to: at, insert: "x" }];
    at++;
    return splice({ path: MARKED, version: "latest", splices, ack: "durable" });
  };
}

/** Times a block of edits, then waits for the file, so that its write does not slow the other side. */
async function block({ edit, save }: Side): Promise<number[]> {
  const took = await timed(BLOCK, edit);
  await save();
  return took;
}
