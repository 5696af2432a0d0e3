import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../src/client/client.ts";

const PAUSE_MS = 5;

/** Reads a document over and over until some work ends. Returns the milliseconds of the answers. */
export async function answersDuring(client: Client, path: string, work: Promise<unknown>): Promise<number[]> {
  const answers: number[] = [];
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined); // the last line throws it
  while (!isOver) {
    const asked = performance.now();
    await client.request("doc.read", { path });
    answers.push(performance.now() - asked);
    await wait(PAUSE_MS);
  }
  await over;
  return answers;
}
