import { setTimeout as wait } from "node:timers/promises";

const PAUSE_MS = 5;

/** Asks over and over until some work ends. Returns the milliseconds of the answers. */
export async function answersDuring(ask: () => Promise<unknown>, work: Promise<unknown>): Promise<number[]> {
  const answers: number[] = [];
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined); // the last line throws it
  while (!isOver) {
    const asked = performance.now();
    await ask();
    answers.push(performance.now() - asked);
    await wait(PAUSE_MS);
  }
  await over;
  return answers;
}
