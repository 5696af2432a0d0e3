/** For each machine, the number of the newest message of its log that is known, without a gap. */
export type Vector = Readonly<Record<string, number>>;

/** Returns true if a vector has everything that another one has. */
export function includes(vector: Vector, other: Vector): boolean {
  return Object.entries(other).every(([machine, number]) => (vector[machine] ?? 0) >= number);
}

/** Returns the entries of a vector that are beyond another one. */
export function beyond(vector: Vector, other: Vector): Vector {
  return Object.fromEntries(
    Object.entries(vector).filter(([machine, number]) => number > (other[machine] ?? 0)),
  );
}

/** Returns the vector that has what both have. */
export function joined(a: Vector, b: Vector): Vector {
  return { ...a, ...beyond(b, a) };
}

/** Returns the vector that has what all of several have. */
export function meet(vectors: readonly Vector[]): Vector {
  const [first = {}, ...rest] = vectors;
  return Object.fromEntries(
    Object.entries(first).map(([machine, number]) => [
      machine,
      Math.min(number, ...rest.map((vector) => vector[machine] ?? 0)),
    ]),
  );
}
