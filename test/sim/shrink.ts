import { type Options, type Run, simulate } from "./simulate.ts";

/** The part of a seed's run to play; the whole run by default. */
interface Part extends Pick<Options, "turns" | "interrupted"> {
  readonly turns: readonly number[];
}

/** A part of a run, or all of it. */
type Played = Pick<Options, "turns" | "interrupted">;

/**
 * Finds a small part of a failing run that fails, too: without any one of its turns it does not fail. It may break
 * another promise than the whole run.
 */
export async function shrink(
  seed: number,
  options: Options,
  play: (seed: number, part: Played) => Promise<Run> = (seed, part) =>
    simulate(seed, { ...options, ...part }),
): Promise<Part> {
  const fails = async (part: Part) => (await play(seed, part)).problems.length > 0;
  const { turns: count } = await play(seed, {});
  const all = Array.from({ length: count }, (_, turn) => turn);
  const steady = { turns: all, interrupted: false };
  const start = (await fails(steady)) ? steady : { turns: all };
  return fewer(start, fails);
}

/** Leaves out half of the turns, then a quarter, and so on, then single ones, until every turn is needed. */
async function fewer(start: Part, fails: (part: Part) => Promise<boolean>): Promise<Part> {
  let part = start;
  for (let size = Math.ceil(part.turns.length / 2); size > 0; ) {
    const before = part.turns.length;
    // The search starts at the end, so that it first leaves out the turns after the failure.
    for (let to = before; to > 0; to -= size) {
      const turns = part.turns.filter((_, i) => i < to - size || i >= to);
      if (turns.length < part.turns.length && (await fails({ ...part, turns }))) part = { ...part, turns };
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (part.turns.length === before) size = 0;
  }
  return part;
}
