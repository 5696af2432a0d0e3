import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Names, after a run, the processes of tests that did not end by themselves, and the files that never ended. Vitest only
 * says that a process is gone.
 */
export class LostWorkers implements Reporter {
  readonly #open = new Set<string>();
  readonly #lost: string[] = [];

  onInit(): void {
    subscribe("child_process", (message) => {
      const { process: child } = message as { readonly process: ChildProcess };
      child.once("exit", (code, signal) => {
        if (code !== 0 && child.spawnargs.some((arg) => arg.includes("vitest")))
          this.#lost.push(`process ${child.pid} ended with ${signal ?? code}`);
      });
    });
  }

  onTestModuleStart({ relativeModuleId }: TestModule): void {
    this.#open.add(relativeModuleId);
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#open.delete(relativeModuleId);
  }

  onTestRunEnd(): void {
    if (this.#open.size > 0)
      console.error([...this.#lost, `files that never ended: ${[...this.#open].join(", ")}`].join("\n"));
  }
}
