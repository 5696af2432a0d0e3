import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Done without waiting when the process ends early, so that nothing is left behind. */
const leftovers = new Set<() => void>();
process.on("exit", () => {
  for (const step of [...leftovers].reverse()) step();
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

/** Owns what a row sets up and takes it down again, last first. */
export class Scope {
  readonly #steps: (() => unknown)[] = [];

  /** `now` is done on `close`, `atExit` instead of it when the process ends first. */
  defer(now: () => unknown, atExit?: () => void): void {
    if (atExit !== undefined) leftovers.add(atExit);
    this.#steps.push(async () => {
      await now();
      if (atExit !== undefined) leftovers.delete(atExit);
    });
  }

  /** An empty folder, by its real path. */
  folder(): string {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), "spliced-bench-"));
    const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    this.defer(remove, remove);
    return folder;
  }

  async close(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }
}
