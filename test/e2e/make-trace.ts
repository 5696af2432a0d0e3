import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { type Random, seeded } from "./seed.ts";
import { OWN, type Patch, type Trace } from "./trace.ts";

/**
 * Makes `fixtures/traces/own.json.gz`, the same at each run. A person types a text character by character and corrects
 * slips at once. The person also changes earlier words, deletes whole lines and sometimes pastes. `node
 * test/e2e/make-trace.ts` writes it.
 */
export function makeTrace(random: Random, size: number): Trace {
  const text: string[] = [];
  const txns: { patches: Patch[] }[] = [];
  let cursor = 0;
  const apply = (patches: Patch[]) => {
    for (const [at, deleted, inserted] of patches) {
      text.splice(at, deleted, ...inserted);
      cursor = at + Array.from(inserted).length;
    }
    txns.push({ patches });
  };
  const type = (words: string) => {
    for (const char of words) {
      if (random.below(40) === 0) {
        apply([[cursor, 0, random.pick(LETTERS)]]);
        apply([[cursor - 1, 1, ""]]);
      }
      apply([[cursor, 0, char]]);
    }
  };
  while (txns.length < size) {
    const what = random.below(20);
    if (what < 14 || text.length < 200) type(`${random.pick(WORDS)}${random.below(9) === 0 ? ".\n" : " "}`);
    else if (what < 16) cursor = text.length;
    else if (what < 18) cursor = random.below(text.length + 1);
    else if (what === 18) backspace(random.below(12), apply, () => cursor);
    else replaceTwice(text, random, apply);
  }
  return { startContent: "", endContent: text.join(""), txns };
}

function backspace(times: number, apply: (patches: Patch[]) => void, cursor: () => number): void {
  for (let i = 0; i < times && cursor() > 0; i++) apply([[cursor() - 1, 1, ""]]);
}

/** Renames a word at two places in one transaction, as an editor with two cursors does. */
function replaceTwice(text: readonly string[], random: Random, apply: (patches: Patch[]) => void): void {
  const first = random.below(text.length - 20);
  const second = first + 10;
  const word = random.pick(WORDS);
  apply([
    [second, 3, word],
    [first, 3, word],
  ]);
}

const LETTERS = [..."etaoinshrdlu"];
const WORDS = [
  ..."the of and to in is it that was for on are with as be at one have this from by hot word but what".split(
    " ",
  ),
  ..."some we can out other were all there when up use your how said an each she which do their time if".split(
    " ",
  ),
  ..."naïve façade Ελλάδα 文字 👩‍👩‍👧 e\u0301tude → «quoted» \t // x=1; {} []".split(" "),
];

export const EDITS = 4_000;

if (process.argv[1] === import.meta.filename) {
  mkdirSync(dirname(OWN), { recursive: true });
  writeFileSync(OWN, gzipSync(JSON.stringify(makeTrace(seeded(2026), EDITS)), { level: 9 }));
}
