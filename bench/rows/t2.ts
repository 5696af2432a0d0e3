import type { Bench } from "../bench.ts";
import { type Daemon, startDaemon } from "../daemon.ts";
import { interleave } from "../interleave.ts";
import { type Line, lineOf, p99AtMost } from "../line.ts";
import { within } from "../scope.ts";

/** As many as a thread may have. */
const MESSAGES = 10_000;
/** Messages that are sent before the first answer is awaited. */
const AT_ONCE = 500;
const NOTES = "notes.md";
const TEXT = "A message of a long conversation, with as many words as people write in one go. ".repeat(3);

/** Measures how long a thread of 10,000 messages takes to open. */
export async function* t2(bench: Bench): AsyncGenerator<Line> {
  const root = bench.scope.folder();
  const thread = await within((scope) => filled({ ...bench, scope }, root));
  const what = `open a thread of ${MESSAGES.toLocaleString("en")} messages`;
  const titles = { row: "T2", against: "a limit" };
  const rounds = { name: "T2 after a start", rounds: 10, warmup: 1 };
  const cold = await interleave(bench, rounds, () =>
    within(async (scope) => [await opening(await startDaemon({ ...bench, scope }, root), thread)]),
  );
  yield lineOf({ ...titles, what: `${what}, first after a start`, ...cold }, p99AtMost(200));
  const daemon = await startDaemon(bench, root);
  const warm = await interleave(bench, { name: "T2", rounds: 50, warmup: 3 }, async () => [
    await opening(daemon, thread),
  ]);
  yield lineOf({ ...titles, what, ...warm }, p99AtMost(200));
}

/** Writes a full thread in a folder, and returns its id. */
async function filled(bench: Bench, root: string): Promise<string> {
  const client = await (await startDaemon(bench, root)).connect("person");
  await client.request("doc.create", { path: NOTES, text: "# Notes\n" });
  const { thread } = await client.request("thread.append", { path: NOTES, role: "user", text: TEXT });
  for (let n = 1; n < MESSAGES; n += AT_ONCE) {
    const count = Math.min(AT_ONCE, MESSAGES - n);
    const message = { thread, role: "user", text: TEXT } as const;
    await Promise.all(Array.from({ length: count }, () => client.request("thread.append", message)));
  }
  return thread;
}

/** Returns the time in which a new client follows and reads a thread, as the page does. */
async function opening(daemon: Daemon, thread: string): Promise<number> {
  const client = await daemon.connect("reader");
  const started = performance.now();
  await client.subscribe({ thread });
  const { messages } = await client.request("thread.get", { thread });
  const ms = performance.now() - started;
  await client.close();
  if (messages.length === 0) throw new Error("the thread has no messages");
  return ms;
}
