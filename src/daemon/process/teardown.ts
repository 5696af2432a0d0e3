/**
 * Runs each step once, the last one first, and the others also where one fails. Rejects with the error of the first one
 * that failed.
 */
export async function runInReverse(steps: (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps.splice(0).reverse())
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
}
