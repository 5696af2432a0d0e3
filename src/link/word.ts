import { Encoder } from "msgpackr";
import * as z from "zod";

const vector = z.record(z.string().max(64), z.int().min(0));

const wordSchema = z.object({
  /** The process that speaks; two processes of one machine are a copied folder. */
  process: z.string().max(64),
  /** What the machine has received and stored. */
  held: vector,
  /** The number of its newest message. */
  newest: z.int().min(0),
  /** The first message of each log that it lacks. */
  needs: vector,
  /** The first message that it can still publish again. */
  first: z.int().min(1),
});

/** What a machine says of itself every now and then; nobody stores it. */
export type Word = z.infer<typeof wordSchema>;

const packer = new Encoder({ useRecords: false });

export function encodeWord(word: Word): Uint8Array {
  return packer.encode(word);
}

/** Returns a word, or undefined for bytes that are none. */
export function decodeWord(bytes: Uint8Array): Word | undefined {
  try {
    return wordSchema.safeParse(packer.decode(bytes)).data;
  } catch {
    return undefined;
  }
}
