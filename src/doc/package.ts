import { setFlagsFromString } from "node:v8";
import { lazily } from "../lazily.ts";

const load = lazily<typeof import("loro-crdt")>("loro-crdt");

/**
 * How much of a function of Loro runs, about in bytes of its code, until the engine compiles it anew with optimizations.
 * This is the budget of Node 22. With that of Node 20, a seventh, a start compiles longer than it works on documents.
 */
const TIERING_BUDGET = 13_000_000;

let isPrepared = false;

/** Returns the package Loro. */
export function loro(): typeof import("loro-crdt") {
  if (!isPrepared) setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);
  isPrepared = true;
  return load();
}
