import { type Attack, MB, type Scene } from "../attack.ts";
import { type Attacker, tally, type Verdict } from "../attacker.ts";
import { lines } from "../texts.ts";

const path = "long.md";
const files = () => ({ [path]: "one\n" });
/** How many there are; a thousand in the long form. */
const COUNT = process.env["LONG"] === "1" ? 1_000 : 5;

async function propose(one: Attacker, scaled: Scene["scaled"]): Promise<Verdict> {
  const proposed_value = lines(scaled(15 * MB), 3);
  const verdicts: Verdict[] = [];
  for (let i = 0; i < COUNT; i++)
    verdicts.push(await one.verdict("proposal.create", { path, operation: "append", proposed_value }));
  return tally(verdicts);
}

/** Proposals that are large, and looking at them. */
export const proposals: readonly Attack[] = [
  {
    name: "proposals-made",
    level: "propose",
    files,
    async prepare({ attacker, scaled }) {
      const one = await attacker("propose");
      return () => propose(one, scaled);
    },
  },
  {
    name: "proposals-listed",
    level: "read",
    files,
    async prepare({ attacker, scaled }) {
      await propose(await attacker("propose"), scaled);
      const one = await attacker("read");
      return async () =>
        tally(await Promise.all(Array.from({ length: 5 }, () => one.verdict("proposal.list", {}))));
    },
  },
];
