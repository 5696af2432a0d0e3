import { Refusal } from "../workspace/outcome/refusal.ts";
import type { ShownLane } from "./waiting.ts";

export function unknownToken(name: string): Refusal {
  return new Refusal("NOT_FOUND", `there is no token ${JSON.stringify(name)}`, {
    suggestion: "`spliced token list` shows the tokens, and `spliced token add` makes one.",
  });
}

export function unknownLane(name: string): Refusal {
  return new Refusal("NOT_FOUND", `there is no lane ${JSON.stringify(name)}`, {
    suggestion: "lane.list shows the lanes.",
  });
}

/** The refusal to remove a lane with text that the workspace does not have. */
export function pending({ record: { name }, waiting, commit }: ShownLane): Refusal {
  const what = [
    ...(waiting.length > 0
      ? [`${waiting.length} ${waiting.length === 1 ? "file waits" : "files wait"}`]
      : []),
    ...(commit === undefined ? [] : [`the commit ${commit.slice(0, 12)} is at the end of no branch`]),
  ].join(", and ");
  return new Refusal("CONFLICT", `the lane ${name} was not removed: ${what}`, {
    suggestion: "Decide about these, or remove the lane with `force`; its proposal stays.",
    details: { waiting, ...(commit !== undefined && { commit }) },
  });
}

export function takenName(name: string): Refusal {
  return new Refusal("ALREADY_EXISTS", `there is a lane ${name} already`, {
    suggestion: "Use that lane, choose another name, or remove the lane first.",
  });
}
