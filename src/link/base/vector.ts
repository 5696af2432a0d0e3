/** The number of the newest known message of each machine's log, without a gap before it. */
export type Vector = Readonly<Record<string, number>>;

/** Returns true if a vector includes all messages of another one. */
export function includes(vector: Vector, other: Vector): boolean {
  return Object.entries(other).every(([machine, number]) => (vector[machine] ?? 0) >= number);
}

/** Returns the entries of a vector that are beyond another one. */
export function beyond(vector: Vector, other: Vector): Vector {
  return Object.fromEntries(
    Object.entries(vector).filter(([machine, number]) => number > (other[machine] ?? 0)),
  );
}

/** Returns the vector with the messages of either vector. */
export function joined(a: Vector, b: Vector): Vector {
  return { ...a, ...beyond(b, a) };
}

/** Returns the vector with the messages that all of these vectors have. */
export function meet(vectors: readonly Vector[]): Vector {
  const [first = {}, ...rest] = vectors;
  return Object.fromEntries(
    Object.entries(first).map(([machine, number]) => [
      machine,
      Math.min(number, ...rest.map((vector) => vector[machine] ?? 0)),
    ]),
  );
}

/** Returns the number of messages that a vector includes. */
export function sizeOf(vector: Vector): number {
  return Object.values(vector).reduce((sum, number) => sum + number, 0);
}
