import { safeCut } from "../text/positions.ts";
import { growth, type Splice } from "../text/splice.ts";

/**
 * Splits an edit into two consecutive ones: `first` inserts at most `most` UTF-16 units, and `rest` has
 * positions in the text that `first` leaves.
 */
export function splitEdit(
  splices: readonly Splice[],
  most: number,
): { readonly first: readonly Splice[]; readonly rest: readonly Splice[] } {
  let left = most;
  const long = splices.findIndex(({ insert }) => {
    left -= insert.length;
    return left < 0;
  });
  if (long === -1) return { first: splices, rest: [] };
  const { from, to, insert } = splices[long]!;
  const cut = safeCut(insert, insert.length + left);
  const first = [...splices.slice(0, long), { from, to, insert: insert.slice(0, cut) }];
  const moved = growth(first);
  const rest = [{ from: to, to, insert: insert.slice(cut) }, ...splices.slice(long + 1)];
  return {
    first,
    rest: rest.map((splice) => ({ ...splice, from: splice.from + moved, to: splice.to + moved })),
  };
}
