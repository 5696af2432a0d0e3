import type { Bench } from "../bench.ts";
import { cpuAtMost, rateAtLeast } from "../line.ts";
import { keystrokes } from "./keystrokes.ts";

/** Measures ten agents that type into ten documents, durably, beside a server that stores nothing. */
export function p5(bench: Bench) {
  const what = "10 agents type in 10 documents, durable";
  return keystrokes(bench, { row: "P5", what, documents: 10 }, rateAtLeast(1), cpuAtMost(1.2));
}
