import type { Bench } from "../bench.ts";
import { againstMcp } from "./mcp-edit.ts";

/** Measures a replacement in 10 KB that is answered once the file is written. */
export function p1(bench: Bench) {
  return againstMcp(bench, { row: "P1", size: "10 KB", bytes: 10_000, target: 0.5, rounds: 8, block: 100 });
}
