/** The largest number that has a form here. */
const LARGEST = 2 ** 52;

/** Returns true for a whole number that has a form here. */
export function isWhole(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) <= LARGEST && !Object.is(value, -0);
}

/** Encodes whole numbers in seven bits a byte, the lowest first. The lowest bit of all is the sign. */
export function varintsOf(values: readonly number[]): Buffer {
  let bytes = Buffer.allocUnsafe(values.length + MOST_BYTES);
  let at = 0;
  for (const value of values) {
    if (bytes.length - at < MOST_BYTES) bytes = Buffer.concat([bytes], 2 * bytes.length);
    let left = value < 0 ? -2 * value - 1 : 2 * value;
    for (; left > 127; left = Math.floor(left / 128)) bytes[at++] = (left % 128) | 128;
    bytes[at++] = left;
  }
  return bytes.subarray(0, at);
}

/** The bytes of the largest number. */
const MOST_BYTES = 8;

export function numbersOf(varints: Uint8Array): number[] {
  const values: number[] = [];
  for (let at = 0; at < varints.length; at++) {
    const first = varints[at]!;
    if (first < 128) {
      values.push((first >> 1) ^ -(first & 1));
      continue;
    }
    let value = first - 128;
    let unit = 128;
    while (varints[++at]! > 127) {
      value += (varints[at]! - 128) * unit;
      unit *= 128;
    }
    value += varints[at]! * unit;
    values.push(value % 2 === 0 ? value / 2 : -(value + 1) / 2);
  }
  return values;
}

/** Returns each number's difference to the one before it; the first stays. */
export function differences(values: readonly number[]): number[] {
  return values.map((value, i) => (i === 0 ? value : value - values[i - 1]!));
}

/** Returns the numbers that have these differences. */
export function sums(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((difference) => {
    sum += difference;
    return sum;
  });
}
