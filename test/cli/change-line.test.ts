import { expect, test } from "vitest";
import { changeLine } from "../../src/cli/history/change-line.ts";

const SAVE = {
  changeId: "chg_1",
  path: "a.md",
  docId: "doc_1",
  version: "9-x",
  author: "disk",
  agent: "disk",
  time: "2026-11-26T00:00:38.843Z",
  kind: "edit",
  added: 1,
  removed: 7,
  previous: "8-x",
  undone: false,
} as const;
const lacked = { base: "2-x", authors: ["ann", "bob"] };

test("[HI9] the line of a save names the authors whose edits it removed", () => {
  expect(changeLine({ ...SAVE, origin: "disk", lacked })).toMatch(/ {2}removed edits of ann, bob$/);
  expect(changeLine({ ...SAVE, origin: "disk" })).toMatch(/-7$/);
});

test("[TM30] the line of a change names the beginning of its session", () => {
  const session = "5f0c2a71-6b1e-4f43-9a52-0d3a3c1b7e11";
  expect(changeLine({ ...SAVE, origin: "disk", session })).toMatch(/ {2}session 5f0c2a71-6b1$/);
});

test("[HI9] the line of a rescue has only its message, which names the authors", () => {
  const message = "restores the edits of ann, bob";
  const rescue = { ...SAVE, author: "spliced", agent: "spliced", message, lacked };
  // The origin of another machine's rescue is "remote".
  for (const origin of ["undo", "remote"] as const)
    expect(changeLine({ ...rescue, origin })).toMatch(/-7 {2}restores the edits of ann, bob$/);
});
