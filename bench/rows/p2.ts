import type { Bench } from "../bench.ts";
import { againstMcp } from "./mcp-edit.ts";

/** Measures a replacement in 1 MB and in 10 MB that is answered once the file is written. */
export async function* p2(bench: Bench) {
  yield* againstMcp(bench, { row: "P2", size: "1 MB", bytes: 1_000_000, target: 0.15, rounds: 8, block: 20 });
  yield* againstMcp(bench, {
    row: "P2",
    size: "10 MB",
    bytes: 10_000_000,
    target: 0.06,
    rounds: 6,
    block: 5,
  });
}
