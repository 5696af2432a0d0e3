import { type Attack, type Ground, MB } from "../attack.ts";
import { type Attacker, tally, type Verdict } from "../attacker.ts";
import { lines } from "../texts.ts";

const name = "long.md";
const files = () => ({ [name]: "one\n" });
/** The number of proposals; a thousand in the long form. */
const COUNT = process.env["LONG"] === "1" ? 1_000 : 5;

async function propose(one: Attacker, { scaled, at }: Ground): Promise<Verdict> {
  const proposed_value = lines(scaled(15 * MB), 3);
  const verdicts: Verdict[] = [];
  for (let i = 0; i < COUNT; i++)
    verdicts.push(
      await one.verdict("proposal.create", { path: at(name), operation: "append", proposed_value }),
    );
  return tally(verdicts);
}

/** Proposals that are large, and looking at them. */
export const proposals: readonly Attack[] = [
  {
    name: "proposals-made",
    level: "write",
    files,
    async prepare(scene) {
      const one = await scene.attacker("write");
      return () => propose(one, scene);
    },
  },
  {
    name: "proposals-listed",
    level: "read",
    files,
    async prepare(scene) {
      await propose(await scene.attacker("write"), scene);
      const one = await scene.attacker("read");
      return async () =>
        tally(await Promise.all(Array.from({ length: 5 }, () => one.verdict("proposal.list", {}))));
    },
  },
];
