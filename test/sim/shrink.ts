import { type Options, simulate } from "./simulate.ts";

/** What of a seed's run is played; the whole of it where nothing is said. */
export interface Part extends Pick<Options, "turns" | "interrupted"> {
  readonly turns: readonly number[];
}

/**
 * A small part of a failing run that fails, too: no turn of it can be left out. Whether it breaks the same
 * promise is not asked, only that one is broken.
 */
export async function shrink(seed: number, options: Options): Promise<Part> {
  const fails = async (part: Part) => (await simulate(seed, { ...options, ...part })).problems.length > 0;
  const { turns: count } = await simulate(seed, options);
  const all = Array.from({ length: count }, (_, turn) => turn);
  const steady = { turns: all, interrupted: false };
  const start = (await fails(steady)) ? steady : { turns: all };
  return fewer(start, fails);
}

/** Leaves out half of the turns at a time, then a quarter, and so on, then single ones until none can go. */
async function fewer(start: Part, fails: (part: Part) => Promise<boolean>): Promise<Part> {
  let part = start;
  for (let size = Math.ceil(part.turns.length / 2); size > 0; ) {
    const before = part.turns.length;
    // From the end, so that what comes after the failure goes first.
    for (let to = before; to > 0; to -= size) {
      const turns = part.turns.filter((_, i) => i < to - size || i >= to);
      if (turns.length < part.turns.length && (await fails({ ...part, turns }))) part = { ...part, turns };
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (part.turns.length === before) size = 0;
  }
  return part;
}
