import { StepBudget } from "../diff/budget.ts";
import { diff } from "../diff/diff.ts";
import { commonHead, commonTail } from "../diff/ends.ts";
import { countChars } from "../positions.ts";
import type { Splice } from "../splice.ts";
import { MOST_SPLICES } from "./occurrence.ts";

/** Beyond this number, a replacement is only trimmed by the head and tail that it shares with the text. */
const MOST_REFINED = 1_000;
/** The most pairs of characters compared for all replacements together, and for one of them. */
const STEPS = 40_000_000;
const STEPS_EACH = 4_000_000;

/**
 * Returns the splices, in code points, of replacements in UTF-16 units, which ascend and do not overlap. They leave
 * unchanged text alone, as far as that needs no long comparison. The result has at most `MOST_SPLICES` splices.
 */
export function replacedSplices(text: string, found: readonly Splice[]): Splice[] {
  const changed = found.filter(({ from, to, insert }) => from < to || insert !== "");
  if (changed.length > MOST_REFINED)
    return inCodePoints(
      text,
      joined(
        text,
        changed.flatMap((one) => trimmed(text, one)),
      ),
    );
  const budget = new StepBudget(STEPS);
  const coarse = inCodePoints(text, changed);
  const fine = coarse.flatMap((splice, i) => {
    const { from, to } = changed[i]!;
    return refined(text.slice(from, to), splice, budget);
  });
  return fine.length > MOST_SPLICES ? coarse : fine;
}

function refined(removed: string, splice: Splice, budget: StepBudget): Splice[] {
  const { from: at, insert } = splice;
  if (!budget.spend(Math.min(removed.length * insert.length, STEPS_EACH))) return [splice];
  return diff(removed, insert).map(({ from, to, insert }) => ({ from: at + from, to: at + to, insert }));
}

function trimmed(text: string, { from, to, insert }: Splice): Splice[] {
  const removed = text.slice(from, to);
  const head = commonHead(removed, insert);
  const tail = commonTail(removed, insert, head);
  const rest = insert.slice(head, insert.length - tail);
  return head + tail === removed.length && rest === ""
    ? []
    : [{ from: from + head, to: to - tail, insert: rest }];
}

/** Joins neighbours, with the text between them, until at most `MOST_SPLICES` are left. */
function joined(text: string, splices: readonly Splice[]): readonly Splice[] {
  if (splices.length <= MOST_SPLICES) return splices;
  const size = Math.ceil(splices.length / MOST_SPLICES);
  const groups: Splice[] = [];
  for (let i = 0; i < splices.length; i += size) {
    const group = splices.slice(i, i + size);
    const { from } = group[0]!;
    let at = from;
    let insert = "";
    for (const splice of group) {
      insert += text.slice(at, splice.from) + splice.insert;
      at = splice.to;
    }
    groups.push({ from, to: at, insert });
  }
  return groups;
}

function inCodePoints(text: string, splices: readonly Splice[]): Splice[] {
  let at = 0;
  let chars = 0;
  const position = (index: number) => {
    chars += countChars(text.slice(at, index));
    at = index;
    return chars;
  };
  return splices.map(({ from, to, insert }) => ({ from: position(from), to: position(to), insert }));
}
