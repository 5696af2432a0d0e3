/** Merges sorted lists into one order, lazily: it finds each name only when the caller asks for it. */
export function* sorted(runs: readonly (readonly string[])[]): Generator<string, undefined> {
  if (runs.length < 2) return yield* runs[0] ?? [];
  const half = runs.length >> 1;
  const left = sorted(runs.slice(0, half));
  const right = sorted(runs.slice(half));
  let [a, b] = [left.next().value, right.next().value];
  while (a !== undefined && b !== undefined)
    if (a < b) {
      yield a;
      a = left.next().value;
    } else {
      yield b;
      b = right.next().value;
    }
  for (; a !== undefined; a = left.next().value) yield a;
  for (; b !== undefined; b = right.next().value) yield b;
}
