import type { Bench } from "./bench.ts";
import { progress } from "./progress.ts";

/** Does a block of work and returns the time of each piece, in milliseconds. */
export type Block = () => Promise<readonly number[]>;

interface Rounds {
  readonly name: string;
  readonly rounds: number;
  /** Rounds before the measured ones. */
  readonly warmup: number;
}

/** Runs our block and the peer's in turns, so that other load on the machine slows both alike. */
export async function interleave(
  { quick }: Bench,
  { name, rounds, warmup }: Rounds,
  ours: Block,
  peer: Block,
): Promise<{ ours: number[]; peer: number[] }> {
  const samples = { ours: [] as number[], peer: [] as number[] };
  const counted = quick ? 1 : rounds;
  const before = quick ? Math.min(1, warmup) : warmup;
  for (let round = -before; round < counted; round++) {
    progress(`${name}: ${round < 0 ? "warming up" : `round ${round + 1} of ${counted}`}`);
    const a = await ours();
    const b = await peer();
    if (round < 0) continue;
    samples.ours.push(...a);
    samples.peer.push(...b);
  }
  return samples;
}

/** Returns the time of each of `count` runs, in milliseconds. */
export async function timed(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await work();
    took.push(performance.now() - started);
  }
  return took;
}
