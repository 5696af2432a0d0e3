import { setTimeout as pause } from "node:timers/promises";

const steps: (() => unknown)[] = [];
/** A step that takes longer is left behind, so that the others are still taken. */
const STEP_MS = 2_000;

/**
 * Runs a step when the test file is done, whether its tests passed or not; the last one given goes first.
 * `test/helpers/clean-up.ts` takes the steps of each test file.
 */
export function atEnd(step: () => unknown): void {
  steps.push(step);
}

/** Takes the steps now; scripts that are no tests call it themselves. */
export async function cleanUp(): Promise<void> {
  for (const step of steps.splice(0).reverse())
    await Promise.race([Promise.resolve(step()).catch(() => undefined), pause(STEP_MS)]);
}
