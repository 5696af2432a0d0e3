import { setTimeout as pause } from "node:timers/promises";

const steps: (() => unknown)[] = [];
/** A step that takes longer is abandoned, so that the other steps still run. */
const STEP_MS = 2_000;

/**
 * Runs a step at the end of the test file, whether its tests passed or not; the last added step runs first.
 * `test/helpers/clean-up.ts` runs the steps of each test file.
 */
export function atEnd(step: () => unknown): void {
  steps.push(step);
}

/** Runs the steps now; scripts that are no tests call it themselves. */
export async function cleanUp(): Promise<void> {
  for (const step of steps.splice(0).reverse())
    await Promise.race([Promise.resolve(step()).catch(() => undefined), pause(STEP_MS)]);
}
