import type { Bench } from "../bench.ts";
import { cpuAtMost, rateAtLeast } from "../line.ts";
import { keystrokes } from "./keystrokes.ts";

/** Measures ten agents that type into one document, durably, beside a server that stores nothing. */
export function p6(bench: Bench) {
  const what = "10 agents type in 1 document, durable";
  return keystrokes(bench, { row: "P6", what, documents: 1 }, rateAtLeast(4), cpuAtMost(0.4));
}
