import { Seeded } from "../../helpers/seeded.ts";

const WORDS = 4096;

/** Returns lines of this number of bytes that share hardly any text with those of another seed. */
export function lines(bytes: number, seed: number): string {
  const random = new Seeded(seed);
  const words = Array.from({ length: WORDS }, () => random.word().toString(36).padStart(7, "0"));
  const made: string[] = [];
  for (let size = 0; size < bytes; size += 48)
    made.push(Array.from({ length: 6 }, () => random.pick(words)).join(" "));
  return `${made.join("\n")}\n`.slice(0, bytes);
}

/** Returns `count` pieces, each made from its number, with `between` them. */
export function many(count: number, piece: (i: number) => string, between = ""): string {
  return Array.from({ length: count }, (_, i) => piece(i)).join(between);
}
