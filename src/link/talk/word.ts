import * as z from "zod";
import { packer, unpacked } from "../base/packing.ts";
import { vectorSchema } from "../messages/schemas.ts";

const wordSchema = z.object({
  /** The process that sent the word. Two processes of one machine at once mean a copied folder. */
  process: z.string().max(64),
  /** Another process of the same machine whose word the sender has heard. */
  heard: z.string().max(64).optional(),
  /** The messages that the machine has received and stored. */
  held: vectorSchema,
  /** The number of the machine's newest message. */
  newest: z.int().min(0),
  /** The first message of each log that the machine lacks. */
  needs: vectorSchema,
  /** True for a machine that could not apply a change. */
  lacks: z.boolean().optional(),
  /** True for a machine that lacks something of the documents of others, also because of its own rules. */
  isPartial: z.boolean().optional(),
  /** The first message that the machine can still publish again. */
  first: z.int().min(1),
});

/** A machine's regular report about itself, which no machine stores. */
export type Word = z.infer<typeof wordSchema>;

export function encodeWord(word: Word): Uint8Array {
  return packer.encode(word);
}

/** Returns the object that some bytes encode, of any kind of word; undefined for other bytes. */
export function decoded(bytes: Uint8Array): object | undefined {
  const value = unpacked(bytes);
  return typeof value === "object" && value !== null ? value : undefined;
}

/** Returns a decoded object as a word; undefined for any other object. */
export function wordOf(value: object): Word | undefined {
  return wordSchema.safeParse(value).data;
}
