import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Steps for a process that ends early, so that it leaves nothing behind. They cannot wait for anything. */
const leftovers = new Set<() => void>();
process.on("exit", () => {
  for (const step of [...leftovers].reverse()) step();
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

/** The resources of a row. Closing the scope releases them in reverse order. */
export class Scope {
  readonly #steps: (() => unknown)[] = [];

  /** Runs `now` on `close`, or `atExit` instead if the process ends first. */
  defer(now: () => unknown, atExit?: () => void): void {
    if (atExit !== undefined) leftovers.add(atExit);
    this.#steps.push(async () => {
      await now();
      if (atExit !== undefined) leftovers.delete(atExit);
    });
  }

  /** Creates an empty folder and returns its real path. */
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

/** Does some work with a scope of its own, which closes at its end. */
export async function within<Result>(work: (scope: Scope) => Promise<Result>): Promise<Result> {
  const scope = new Scope();
  try {
    return await work(scope);
  } finally {
    await scope.close();
  }
}
