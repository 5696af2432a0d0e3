import type { Bench } from "./bench.ts";
import { type CpuTimes, cpuMsBetween, cpuTimes } from "./cpu.ts";
import type { Measured, Pair } from "./line.ts";
import { progress } from "./progress.ts";

/** Does a block of work and returns the time of each piece, in milliseconds. */
export type Block = () => Promise<readonly number[]>;

interface Rounds {
  readonly name: string;
  readonly rounds: number;
  /** Rounds before the measured ones. */
  readonly warmup: number;
  /** The ids of the processes that do the work, for its processor time. */
  readonly servers?: Pair<number> & { readonly floor?: number };
  /** The number of operations in one piece of work. Default: 1. */
  readonly operations?: number;
  /** True when the blocks contain nothing but the work, so that its rate tells something. */
  readonly rated?: boolean;
}

interface Samples {
  readonly ours: number[];
  readonly peer: number[];
  /** Milliseconds of processor time an operation. */
  readonly cpu?: Pair<number>;
  /** Operations a second of the blocks. */
  readonly rate?: Pair<number>;
  /** What the least program took for the same work. */
  readonly floor?: Measured;
}

/**
 * Runs our block, the peer's and the floor's in turns, if there are such, so that other load on the machine slows all
 * alike. The floor is the least program that does what ours promises.
 */
export async function interleave(
  { quick }: Bench,
  { name, rounds, warmup, servers, operations = 1, rated = false }: Rounds,
  ours: Block,
  peer: Block = async () => [],
  floor?: Block,
): Promise<Samples> {
  const sides = { ours: new Side(ours, servers?.ours), peer: new Side(peer, servers?.peer) };
  const least = floor && new Side(floor, servers?.floor);
  const counted = quick ? 1 : rounds;
  const before = quick ? Math.min(1, warmup) : warmup;
  for (let round = -before; round < counted; round++) {
    progress(`${name}: ${round < 0 ? "warming up" : `round ${round + 1} of ${counted}`}`);
    await sides.ours.run(round >= 0);
    await sides.peer.run(round >= 0);
    await least?.run(round >= 0);
  }
  const of = (value: (side: Side) => number) => ({ ours: value(sides.ours), peer: value(sides.peer) });
  const isTimed = sides.ours.cpuMs !== undefined && sides.peer.cpuMs !== undefined;
  const rateOf = ({ took, ms }: Side) => (1000 * took.length * operations) / ms;
  const cpuOf = ({ took, cpuMs }: Side) => cpuMs! / took.length / operations;
  return {
    ours: sides.ours.took,
    peer: sides.peer.took,
    ...(rated && { rate: of(rateOf) }),
    ...(isTimed && { cpu: of(cpuOf) }),
    ...(least && {
      floor: {
        values: least.took,
        ...(rated && { rate: rateOf(least) }),
        ...(least.cpuMs !== undefined && { cpu: cpuOf(least) }),
      },
    }),
  };
}

/** One side of a comparison: what its blocks have taken. */
class Side {
  readonly took: number[] = [];
  ms = 0;
  /** Undefined where processor time is unknown. */
  cpuMs: number | undefined;
  readonly #block: Block;
  readonly #server: number | undefined;

  constructor(block: Block, server: number | undefined) {
    this.#block = block;
    this.#server = server;
  }

  async run(isCounted: boolean): Promise<void> {
    const [cpu, started] = [this.#cpu(), performance.now()];
    const took = await this.#block();
    if (!isCounted) return;
    this.ms += performance.now() - started;
    const since = this.#cpu();
    if (cpu !== undefined && since !== undefined) this.cpuMs = (this.cpuMs ?? 0) + cpuMsBetween(cpu, since);
    for (const ms of took) this.took.push(ms);
  }

  #cpu(): CpuTimes | undefined {
    return this.#server === undefined ? undefined : cpuTimes(this.#server);
  }
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
