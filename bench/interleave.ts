import type { Bench } from "./bench.ts";
import { progress } from "./progress.ts";

/** Does a block of work; answers how long each piece took, in milliseconds. */
export type Block = () => Promise<readonly number[]>;

export interface Rounds {
  readonly name: string;
  readonly rounds: number;
  /** Rounds before, not counted. */
  readonly warmup: number;
}

/** Ours, peer, ours, peer, …: what else the machine does meanwhile hits both alike. */
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

/** Times each of `count` runs. */
export async function timed(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await work();
    took.push(performance.now() - started);
  }
  return took;
}
