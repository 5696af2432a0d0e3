import { Text } from "../src/text/text.ts";
import { seeded, under } from "./random.ts";
import type { Recorded, Typed } from "./trace.ts";

const KEYS = Array.from("eeetaoinshrdlucmfw      ,.()\n\né😀");
const TRANSACTIONS = 20_000;

/** Returns a trace in which a person types, deletes and moves the cursor. It is the same on every run. */
export function typedTrace(): Recorded {
  const random = seeded(7);
  const txns: { patches: Typed }[] = [];
  let text = Text.empty;
  let cursor = 0;
  while (txns.length < TRANSACTIONS) {
    const action = random();
    if (action < 0.03) cursor = under(random, text.chars + 1);
    const deleted = action > 0.85 ? Math.min(cursor, 1 + under(random, 3)) : 0;
    const insert = deleted > 0 ? "" : KEYS[under(random, KEYS.length)]!;
    const from = cursor - deleted;
    text = text.splice([{ from, to: cursor, insert }]);
    txns.push({ patches: [[from, deleted, insert]] });
    cursor = deleted > 0 ? from : from + 1;
  }
  return { startContent: "", endContent: text.toString(), txns };
}
