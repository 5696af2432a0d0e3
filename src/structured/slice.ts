import type { Key } from "./data.ts";

/** A part of a text that can be read alone, to set a field there. */
export interface Slice {
  readonly from: number;
  readonly to: number;
  /** The key of the field in the part. */
  readonly key: Key;
  /** Stands before the part while it is read alone, and makes it a document that looks as in the whole. */
  readonly lead: string;
}

/** A shorter text is parsed as a whole. */
export const LEAST_UNITS = 32 << 10;
