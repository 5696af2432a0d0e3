import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import type { Line } from "./line.ts";
import { RESULTS } from "./places.ts";

/** What a run measured, as `bench/results/latest.json` has it. */
export interface Results {
  readonly machine: Machine;
  readonly quick: boolean;
  readonly full: boolean;
  readonly lines: readonly Line[];
  readonly failed: readonly { readonly row: string; readonly reason: string }[];
}

/** The machine's properties that the times depend on. */
interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  /** The mean number of busy processes over the minute before the run. */
  readonly load: number;
}

export function thisMachine(): Machine {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    load: loadavg()[0]!,
  };
}

/** Returns the circumstances of a run in one sentence. */
export function circumstances({ machine: { node, platform, cores, load }, quick }: Results): string {
  const run = quick ? "A quick run" : "A run";
  return `${run} with Node ${node}, ${platform}, ${cores} cores, load ${load.toFixed(1)} at the start.`;
}

export function saveResults(results: Results): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, "latest.json"), `${JSON.stringify(results, null, 2)}\n`);
}

/** Reads the results of a run. @throws when the file has none */
export function loadResults(file: string): Results {
  const results = JSON.parse(readFileSync(file, "utf8")) as Partial<Results>;
  if (!Array.isArray(results.lines)) throw new Error(`${file} has no results of a run of this benchmark`);
  return results as Results;
}
